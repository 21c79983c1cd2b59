// The tuned runtime over Boost.Asio runs in one thread, and the tasks of this project await Asio's operations
// directly.
//
// The gain over asio_ref/runtime.hpp is large if Asio's own handler memory and co_spawn dominate the cost
// (the workloads spawn, gather and yield), and small if system calls dominate the cost (echo). The following
// changes together cause the gain; their separate gains were not measured.
// - Frames come from a free list, and co_spawn is not used.
// - The memory of an operation is part of the waiting frame, or comes from the same free list (post). Asio's
//   own recycling cache is not used.
// - BOOST_ASIO_DISABLE_THREADS removes the locks, the atomic count of work and the thread-local lookup.
//   BOOST_ASIO_CONCURRENCY_HINT_UNSAFE alone would remove only the locks.
// - Writes are tried immediately.
//
// Three ideas were rejected: waiting for readiness before each read (transfer.hpp explains why), using Asio's
// namespace `detail`, which is not a public interface, and the option reactor.reset_edge_on_partial_read of
// Boost 1.90 and later. This option saves a recv(2) per message, but an end of stream that arrives together
// with data is then never reported.
#pragma once

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "asio_ref/tuned/awaiters.hpp"
#include "asio_ref/tuned/pipe.hpp"
#include "asio_ref/tuned/scheduler.hpp"
#include "asio_ref/tuned/stream.hpp"
#include "asio_ref/tuned/timer.hpp"
#include "loop/coro/task.hpp"

namespace loopbench::asio_ref::tuned {

/// A model of the concept loopbench::bench::Runtime. The documentation of the concept describes each
/// function, its errors and its thread rules.
class runtime final : public scheduler {
public:
    static constexpr std::string_view name = "asio-tuned";

    template <class T>
    using task = loop::task<T>;
    using stream = basic_stream<boost::asio::ip::tcp>;
    using listener = basic_listener<boost::asio::ip::tcp>;
    using unix_stream = basic_stream<boost::asio::local::stream_protocol>;
    using unix_listener = basic_listener<boost::asio::local::stream_protocol>;
    using event = tuned::event;
    using clock = std::chrono::steady_clock;

    clock::time_point now() const { return clock::now(); }

    sleep_awaiter sleep_until(clock::time_point when) {
        reactor_is_needed();
        return {*this, when};
    }
    template <class Function>
    call_handle call_at(clock::time_point when, Function&& function) {
        reactor_is_needed();
        return tuned::call_at(*this, when, std::forward<Function>(function));
    }
    tuned::yield_awaiter yield() noexcept { return tuned::yield_awaiter(*this); }
    gather_awaiter gather(std::span<task<void>> tasks) noexcept { return gather_awaiter(tasks); }

    listener listen() {
        reactor_is_needed();
        return {*this, {boost::asio::ip::address_v4::loopback(), 0}};
    }
    listener listen_on(const std::string& address) {
        reactor_is_needed();
        return {*this, {boost::asio::ip::make_address(address), 0}};
    }
    connect_awaiter<boost::asio::ip::tcp> connect(std::uint16_t port) {
        reactor_is_needed();
        return {*this, {boost::asio::ip::address_v4::loopback(), port}};
    }

    /// Listens on a Unix socket. The path must not exist yet; closing the listener does not remove it.
    unix_listener listen_unix(std::string_view path) {
        reactor_is_needed();
        return {*this, path};
    }
    connect_awaiter<boost::asio::local::stream_protocol> connect_unix(std::string_view path) {
        reactor_is_needed();
        return {*this, path};
    }

    pipe_ends open_pipe() {
        reactor_is_needed();
        return tuned::open_pipe(*this);
    }
};

}  // namespace loopbench::asio_ref::tuned
