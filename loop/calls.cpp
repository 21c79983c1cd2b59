#include "loop/calls.hpp"

namespace loopbench::loop {

struct fd_callbacks::watcher : io_operation {
    watcher(driver& io, io_kind direction, int watched_fd, std::function<void()> what)
        : owner(io), function(std::move(what)) {
        kind = direction;
        fd = watched_fd;
        complete = &run_or_discard;
    }

    void arm() {
        const bool ready = owner.start(*this);
        ++references;
        if (ready) owner.ready().push(*this);
    }

    // Watches the descriptor for the next call of the callback, unless the callback was removed. If arm()
    // throws, the callback is not called again, but stays registered until it is removed.
    void arm_again() {
        if (!removed) arm();
    }

    static void run_or_discard(operation* op, completion how) {
        auto& self = *static_cast<watcher*>(op);
        const auto keep = shared_state<watcher>::share(self);
        --self.references;
        const bool is_closed = self.result == -ECANCELED || self.result == -EBADF;
        if (how == completion::discard || self.removed || is_closed) return;
        if (self.result < 0)
            throw std::system_error(io_result::of(self.result).error_code(),
                                    "cannot watch descriptor " + std::to_string(self.fd));
        try {
            self.function();
        } catch (...) {
            self.arm_again();
            throw;
        }
        self.arm_again();
    }

    driver& owner;
    std::function<void()> function;
    bool removed = false;
    unsigned references = 1;
};

fd_callbacks::fd_callbacks(driver& io) noexcept : io_(io) {}
fd_callbacks::~fd_callbacks() {
    clear();
}

void fd_callbacks::add(int fd, io_kind kind, std::function<void()> function) {
    remove(fd, kind);
    const auto added = shared_state<watcher>::make(io_, kind, fd, std::move(function));
    const auto place = watchers_.emplace(std::pair(fd, kind), added).first;
    try {
        added->arm();
    } catch (...) {
        watchers_.erase(place);
        throw;
    }
}

bool fd_callbacks::remove(int fd, io_kind kind) noexcept {
    const auto found = watchers_.find({fd, kind});
    if (found == watchers_.end()) return false;
    const auto watching = std::move(found->second);
    watchers_.erase(found);
    watching->removed = true;
    if (watching->pending) {
        io_.discard(*watching);
        --watching->references;
    }
    io_.unwatch(fd);
    return true;
}

void fd_callbacks::clear() noexcept {
    while (!watchers_.empty()) remove(watchers_.begin()->first.first, watchers_.begin()->first.second);
}

const std::type_info* fd_callbacks::function_of(const operation& op) noexcept {
    if (op.complete != &watcher::run_or_discard) return nullptr;
    return &static_cast<const watcher&>(op).function.target_type();
}

}  // namespace loopbench::loop
