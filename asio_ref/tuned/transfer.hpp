// A write is tried immediately, and completes without Asio's queue if the kernel accepts all bytes. (Asio
// also tries a write immediately, but passes the result through its queue.) A read uses Asio's operation.
// Waiting for readiness first (async_wait) would save the unsuccessful attempt to read, but would cost one
// epoll_ctl(2) for each read.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>

#include "asio_ref/tuned/completion.hpp"
#include "asio_ref/tuned/scheduler.hpp"
#include "asio_ref/types.hpp"

namespace loopbench::asio_ref::tuned {

template <class Source>
class read_awaiter : public completion_awaiter {
public:
    read_awaiter(scheduler& owner, Source& source, std::span<std::byte> in) noexcept
        : completion_awaiter(owner), source_(source), in_(in) {}

    void await_suspend(std::coroutine_handle<> waiter) {
        suspend(waiter);
        source_.async_read_some(boost::asio::buffer(in_.data(), in_.size()),
                                completion_handler<read_awaiter>{this});
    }
    io_result await_resume() const noexcept { return result_; }

    void completed(const boost::system::error_code& error, std::size_t bytes) {
        result_ = to_io_result(error, bytes);
        go_on();
    }
    operation_storage<176> storage;

private:
    Source& source_;
    std::span<std::byte> in_;
    io_result result_;
};

/// An awaiter for a write of all bytes. The sink must be in non-blocking mode.
template <class Sink>
class write_awaiter : public completion_awaiter {
public:
    /// Creates an awaiter. A write of more than `inline_max` bytes goes through Asio's queue even if the
    /// kernel accepts all bytes immediately.
    write_awaiter(scheduler& owner, Sink& sink, std::span<const std::byte> out,
                  std::size_t inline_max = SIZE_MAX) noexcept
        : completion_awaiter(owner), sink_(sink), rest_(out), inline_max_(inline_max) {}

    bool await_ready() {
        return write_the_rest() && result_.bytes <= inline_max_ && owner().may_complete_inline(result_.bytes);
    }

    void await_suspend(std::coroutine_handle<> waiter) {
        suspend(waiter);
        if (done_) {
            boost::asio::post(owner().get_executor(), completion_handler<write_awaiter>{this});
        } else {
            wait();
        }
    }
    io_result await_resume() const noexcept { return result_; }

    void completed() { go_on(); }
    void completed(const boost::system::error_code& error, std::size_t bytes) {
        if (account(error, bytes) || write_the_rest()) {
            go_on();
        } else {
            wait();
        }
    }
    operation_storage<176> storage;

private:
    void wait() {
        sink_.async_write_some(boost::asio::buffer(rest_.data(), rest_.size()),
                               completion_handler<write_awaiter>{this});
    }

    bool write_the_rest() {
        while (!done_) {
            boost::system::error_code error;
            const std::size_t bytes =
                sink_.write_some(boost::asio::buffer(rest_.data(), rest_.size()), error);
            if (error == boost::asio::error::would_block) return false;
            account(error, bytes);
        }
        return true;
    }

    bool account(const boost::system::error_code& error, std::size_t bytes) noexcept {
        result_.bytes += bytes;
        rest_ = rest_.subspan(bytes);
        // After a close() between two partial writes, the next write fails with bad_descriptor; the Stream
        // concept requires ECANCELED instead.
        if (error) result_.error = error == boost::asio::error::bad_descriptor ? ECANCELED : error.value();
        done_ = error || rest_.empty();
        return done_;
    }

    Sink& sink_;
    std::span<const std::byte> rest_;
    std::size_t inline_max_;
    io_result result_;
    bool done_ = false;
};

}  // namespace loopbench::asio_ref::tuned
