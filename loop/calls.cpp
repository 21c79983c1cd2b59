#include "loop/calls.hpp"

#include <memory>
#include <utility>

namespace loopbench::loop {

struct fd_callbacks::watcher : io_operation {
    watcher(driver& io, io_kind direction, int watched_fd, std::function<void()> what)
        : owner(io), function(std::move(what)) {
        kind = direction;
        fd = watched_fd;
        complete = &run_or_discard;
    }

    void arm() {
        if (owner.start(*this)) owner.ready().push(*this);
        idle = false;
    }

    static void run_or_discard(operation* op, completion how) {
        auto& self = *static_cast<watcher*>(op);
        // A negative result: the descriptor was closed under the callback. It stays, idle, until it is
        // removed.
        const bool goes_on = how == completion::run && self.result >= 0;
        if (goes_on && !self.removed) {
            try {
                self.function();
            } catch (...) {
                self.after(goes_on);
                throw;
            }
        }
        self.after(goes_on);
    }

    void after(bool goes_on) {
        if (removed) {
            delete this;
        } else {
            idle = true;
            if (goes_on) arm();  // when that throws it stays idle, until it is removed
        }
    }

    driver& owner;
    std::function<void()> function;
    bool idle = true;  // neither pending, nor queued, nor running
    bool removed = false;
};

void fd_callbacks::add(int fd, std::function<void()> function) {
    remove(fd);
    auto added = std::make_unique<watcher>(io_, kind_, fd, std::move(function));
    const auto place = watchers_.emplace(fd, added.get()).first;
    try {
        added->arm();
    } catch (...) {
        watchers_.erase(place);
        throw;
    }
    static_cast<void>(added.release());  // it deletes itself, or is deleted by remove()
}

bool fd_callbacks::remove(int fd) noexcept {
    const auto found = watchers_.find(fd);
    if (found == watchers_.end()) return false;
    watcher* const removed = found->second;
    watchers_.erase(found);
    if (removed->pending) {
        io_.discard(*removed);
        removed->idle = true;
    }
    removed->removed = true;  // when it is queued or running, it is freed after that
    if (removed->idle) delete removed;
    io_.unwatch(fd);
    return true;
}

void fd_callbacks::clear() noexcept {
    while (!watchers_.empty()) remove(watchers_.begin()->first);
}

const std::type_info* fd_callbacks::function_of(const operation& op) noexcept {
    if (op.complete != &watcher::run_or_discard) return nullptr;
    return &static_cast<const watcher&>(op).function.target_type();
}

}  // namespace loopbench::loop
