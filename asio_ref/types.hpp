// All Asio types use a concrete executor, because a type-erased executor would cost an indirection, and often
// an allocation, per operation. With one thread, it is the executor of the io_context.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <system_error>

namespace loopbench::asio_ref {

using executor = boost::asio::io_context::executor_type;

template <class T = void, class Executor = executor>
using task = boost::asio::awaitable<T, Executor>;

using timer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, executor>;

// `deferred` needs no coroutine frame; therefore a wrapped operation costs one frame, like a bare operation
// with `use_awaitable`.
inline constexpr auto error_as_value = boost::asio::as_tuple(boost::asio::deferred);

/// The result of a read or a write; `error` is an errno, or 0 for success.
struct io_result {
    std::size_t bytes = 0;
    int error = 0;
};

/// Converts the result of Asio's read or write. The end of a stream, which Asio reports as an error, becomes
/// a read of zero bytes without an error.
inline io_result to_io_result(const boost::system::error_code& error, std::size_t bytes) {
    if (error == boost::asio::error::eof) return {bytes, 0};
    return {bytes, error.value()};
}

/// Throws std::system_error if `error` is set. (The Runtime concept requires this type, and not Boost's own
/// exception.) `what` names the step or call that failed.
inline void throw_if_failed(const boost::system::error_code& error, const char* what) {
    if (error) throw std::system_error(error.value(), std::system_category(), std::string(what) + " failed");
}

}  // namespace loopbench::asio_ref
