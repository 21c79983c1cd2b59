// The Asio vocabulary that the reference is written in: one concrete executor everywhere, because a
// type-erased one costs an indirection and often an allocation per operation, which nobody who measures would
// accept.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <system_error>

namespace loopbench::asio_ref {

using executor = boost::asio::io_context::executor_type;

template <class T = void>
using task = boost::asio::awaitable<T, executor>;

using timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, executor>;

// What a wrapping coroutine awaits with. `deferred` needs no coroutine frame of its own, so that a wrapped
// operation costs the one frame that a bare operation costs with `use_awaitable`.
inline constexpr auto error_as_value = boost::asio::as_tuple(boost::asio::deferred);

/// What a read or a write came to; `error` is an errno, 0 when there was none.
struct io_result {
    std::size_t bytes = 0;
    int error = 0;
};

/// The end of a stream is not an error: it is a read of no bytes.
inline io_result to_io_result(const boost::system::error_code& error, std::size_t bytes) {
    if (error == boost::asio::error::eof) return {bytes, 0};
    return {bytes, error.value()};
}

/// Boost's exception is not a std::system_error, which is what the Runtime concept promises.
inline void throw_if_failed(const boost::system::error_code& error, const char* what) {
    if (error) throw std::system_error(error.value(), std::system_category(), what);
}

}  // namespace loopbench::asio_ref
