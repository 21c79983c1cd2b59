// An io_context without locks has no wake-up of its own; therefore other threads wake the loop through an
// eventfd. The eventfd is registered only when a reactor exists anyway, or when the context has no other
// work, because a scheduler without a reactor makes no system call between two posted functions, and the
// wake-up must not add one.
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

#include "asio_ref/tuned/handler_memory.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::asio_ref::tuned {

/// A wake-up: after ring(), the loop's thread calls on_wake() of the owner. Other threads may call only
/// ring().
template <class Owner>
class wakeup {
    using wake_descriptor =
        boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;

public:
    explicit wakeup(Owner& owner) noexcept : owner_(owner) {}
    wakeup(const wakeup&) = delete;
    wakeup& operator=(const wakeup&) = delete;

    /// Wakes the loop, from any thread. Does nothing before open().
    void ring() noexcept {
        const int wake_fd = wake_fd_.load(std::memory_order_seq_cst);
        if (wake_fd < 0) return;
        const std::uint64_t one = 1;
        static_cast<void>(!::write(wake_fd, &one, sizeof one));  // a full counter wakes the loop, too
    }

    bool is_open() const noexcept { return wake_.has_value(); }

    /// Makes the context wait for the eventfd, so that the context never runs out of work. Afterwards, the
    /// caller must check for posted functions, because a post before open() did not wake the loop. If open()
    /// throws std::system_error, open() can be called again.
    void open(const boost::asio::io_context::executor_type& loop) {
        loop::unique_fd fd(loop::checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"));
        wake_descriptor opened(loop, fd.get());
        const int wake_fd = fd.release();
        opened.non_blocking(true);
        wake_.emplace(std::move(opened));
        try {
            listen();
        } catch (...) {
            wake_.reset();
            throw;
        }
        wake_fd_.store(wake_fd, std::memory_order_seq_cst);
    }

    void completed(const boost::system::error_code& error, std::size_t) {
        if (error) return;
        listen();
        owner_.on_wake();
    }
    operation_storage<176> storage;

private:
    // Starts a read of the eventfd. Asio first tries to read and gets EAGAIN, which costs one system call for
    // each wake-up. Waiting for an edge-triggered event would not help: Asio then registers the descriptor
    // again, and epoll immediately reports a counter that is not zero.
    void listen() { wake_->async_read_some(boost::asio::buffer(count_), completion_handler<wakeup>{this}); }

    Owner& owner_;
    std::optional<wake_descriptor> wake_;
    std::array<std::uint64_t, 1> count_{};
    alignas(64) std::atomic<int> wake_fd_{-1};  // other threads read it
};

}  // namespace loopbench::asio_ref::tuned
