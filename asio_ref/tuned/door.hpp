// The door for other threads, which a context without locks does not have.
//
// A list that any thread may push to, and an eventfd that wakes the reactor. The eventfd is registered only
// when a reactor is there anyway, or when there is nothing else to wait for: a scheduler that has no reactor
// makes no system call between two posted functions, and must not begin to because somebody might post from
// outside.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "asio_ref/tuned/pool_allocator.hpp"
#include "loop/operation.hpp"
#include "loop/system_error.hpp"

namespace loopbench::asio_ref::tuned {

class door {
public:
    using executor = boost::asio::io_context::executor_type;

    door() = default;
    door(const door&) = delete;
    door& operator=(const door&) = delete;
    ~door() {
        for (loop::operation* op = take(); op != nullptr;) {
            loop::operation* const next = op->next;
            op->complete(op, loop::completion::discard);
            op = next;
        }
    }

    /// Any thread. The loop's thread finds it in take(), soon.
    void push(loop::operation& op) noexcept {
        loop::operation* newest = posted_.load(std::memory_order_relaxed);
        do {
            op.next = newest;
        } while (!posted_.compare_exchange_weak(newest, &op, std::memory_order_seq_cst,
                                                std::memory_order_relaxed));
        // Whoever pushed to an empty list wakes the loop. Before the door is open the loop looks by itself:
        // it opens the door, then looks; we push, then look for the door; one of us sees the other.
        const int wake_fd = wake_fd_.load(std::memory_order_seq_cst);
        if (newest != nullptr || wake_fd < 0) return;
        const std::uint64_t one = 1;
        static_cast<void>(!::write(wake_fd, &one, sizeof one));  // a counter that is full wakes as well
    }

    // The rest is for the loop's thread.

    bool has_posted() const noexcept { return posted_.load(std::memory_order_relaxed) != nullptr; }

    /// Everything that was pushed, linked oldest first.
    loop::operation* take() noexcept {
        loop::operation* newest = posted_.exchange(nullptr, std::memory_order_seq_cst);
        loop::operation* oldest = nullptr;
        while (newest != nullptr) {
            loop::operation* const older = std::exchange(newest->next, oldest);
            oldest = std::exchange(newest, older);
        }
        return oldest;
    }

    bool is_open() const noexcept { return wake_.has_value(); }

    /// From here on the context waits for the eventfd, and so never runs out of work; `on_knock()` is called
    /// when something was pushed. Throws std::system_error.
    template <class OnKnock>
    void open(const executor& loop, OnKnock on_knock) {
        const int fd = loop::checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
        wake_.emplace(loop, fd);
        wake_->non_blocking(true);
        listen(on_knock);
        wake_fd_.store(fd, std::memory_order_seq_cst);
    }

private:
    template <class OnKnock>
    void listen(OnKnock on_knock) {
        wake_->async_read_some(boost::asio::buffer(knocks_),
                               [this, on_knock](const boost::system::error_code& error, std::size_t) {
                                   if (error) return;
                                   listen(on_knock);
                                   on_knock();
                               });
    }

    std::optional<boost::asio::posix::basic_stream_descriptor<executor>> wake_;
    std::array<std::uint64_t, 1> knocks_{};
    std::atomic<int> wake_fd_{-1};
    alignas(64) std::atomic<loop::operation*> posted_{nullptr};  // newest first
};

}  // namespace loopbench::asio_ref::tuned
