// Callbacks on readiness: add_reader and add_writer, as asyncio and the founding documents have them.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>

#include "loop/identity.hpp"
#include "loop/io_operation.hpp"
#include "loop/operation.hpp"

namespace loopbench::loop {

/// One direction's callbacks of one loop. A callback is called, from the ready queue, once a turn while its
/// descriptor is ready, until it is removed; it may remove itself, and others. Remove it before the
/// descriptor is closed.
template <class Driver>
class fd_callbacks {
public:
    /// `kind` is io_kind::readable or io_kind::writable.
    fd_callbacks(Driver& driver, operation_queue& ready, io_kind kind) noexcept
        : driver_(driver), ready_(ready), kind_(kind) {}
    fd_callbacks(const fd_callbacks&) = delete;
    fd_callbacks& operator=(const fd_callbacks&) = delete;
    ~fd_callbacks() { clear(); }

    /// Replaces the descriptor's callback. Throws what the driver throws for a descriptor that it cannot
    /// watch.
    void add(int fd, std::function<void()> function) {
        remove(fd);
        auto* const added = new watcher(*this, fd, std::move(function));
        watchers_.emplace(fd, added);
        try {
            added->arm();
        } catch (...) {
            watchers_.erase(fd);
            delete added;
            throw;
        }
    }

    /// True when there was one. It is not called any more, not even when it is queued.
    bool remove(int fd) {
        const auto found = watchers_.find(fd);
        if (found == watchers_.end()) return false;
        watcher* const removed = found->second;
        watchers_.erase(found);
        if (removed->pending) {
            driver_.abandon(*removed);
            removed->idle = true;
        }
        removed->removed = true;  // when it is queued or running, it is freed after that
        if (removed->idle) delete removed;
        driver_.release(fd);
        return true;
    }

    /// Removes all. What is queued is freed when the queue is run or discarded.
    void clear() {
        while (!watchers_.empty()) remove(watchers_.begin()->first);
    }

private:
    struct watcher : io_operation {
        watcher(fd_callbacks& of, int watched_fd, std::function<void()> what)
            : owner(of), function(std::move(what)) {
            kind = of.kind_;
            fd = watched_fd;
            complete = &run_or_discard;
        }

        void arm() {
            if (owner.driver_.start(*this)) owner.ready_.push(*this);
            idle = false;
        }

        static void run_or_discard(operation* op, completion how) {
            auto& self = *static_cast<watcher*>(op);
            if (how == completion::tell) {
                told = {.function = &self.function.target_type()};
                return;
            }
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

        fd_callbacks& owner;
        std::function<void()> function;
        bool idle = false;  // neither pending, nor queued, nor running
        bool removed = false;
    };

    Driver& driver_;
    operation_queue& ready_;
    io_kind kind_;
    std::unordered_map<int, watcher*> watchers_;
};

}  // namespace loopbench::loop
