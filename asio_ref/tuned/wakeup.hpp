// How other threads wake the loop, which a context without locks does not offer.
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
#include "loop/io/fd.hpp"
#include "loop/operation.hpp"

namespace loopbench::asio_ref::tuned {

class wakeup {
public:
    using executor = boost::asio::io_context::executor_type;

    wakeup() = default;
    wakeup(const wakeup&) = delete;
    wakeup& operator=(const wakeup&) = delete;
    ~wakeup() {
        loop::operation_queue left;
        posted_.take_all(left);
        left.discard_all();
    }

    /// Any thread. The loop's thread finds it in take_all(), soon.
    void push(loop::operation& op) noexcept {
        const bool was_empty = posted_.push(op);
        // Whoever pushed to an empty list wakes the loop. Before the eventfd is there the loop looks by
        // itself: it makes it, then looks; we push, then look for it; one of us sees the other.
        const int wake_fd = wake_fd_.load(std::memory_order_seq_cst);
        if (!was_empty || wake_fd < 0) return;
        const std::uint64_t one = 1;
        static_cast<void>(!::write(wake_fd, &one, sizeof one));  // a counter that is full wakes as well
    }

    // The rest is for the loop's thread.

    bool has_posted() const noexcept { return !posted_.empty(); }
    void take_all(loop::operation_queue& queue) noexcept { posted_.take_all(queue); }

    bool is_open() const noexcept { return wake_.has_value(); }

    /// From here on the context waits for the eventfd, and so never runs out of work; `on_wake()` is called
    /// when something was pushed. Throws std::system_error.
    template <class OnWake>
    void open(const executor& loop, OnWake on_wake) {
        const int fd = loop::checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
        wake_.emplace(loop, fd);
        wake_->non_blocking(true);
        listen(on_wake);
        wake_fd_.store(fd, std::memory_order_seq_cst);
    }

private:
    template <class OnWake>
    void listen(OnWake on_wake) {
        wake_->async_read_some(boost::asio::buffer(count_),
                               [this, on_wake](const boost::system::error_code& error, std::size_t) {
                                   if (error) return;
                                   listen(on_wake);
                                   on_wake();
                               });
    }

    std::optional<boost::asio::posix::basic_stream_descriptor<executor>> wake_;
    std::array<std::uint64_t, 1> count_{};
    std::atomic<int> wake_fd_{-1};
    alignas(64) loop::operation_stack posted_;
};

}  // namespace loopbench::asio_ref::tuned
