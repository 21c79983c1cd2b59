// A program in two parts: a shared library, which contains the compiled functions of Asio (impl/src.hpp) if
// BOOST_ASIO_SEPARATE_COMPILATION is defined, and a main program. In both parts, names are hidden by default.
#pragma once

#if defined(LOOPBENCH_NAMES_OUR_CONTEXT)
#include <loopbench/asio.hpp>
#endif

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <memory>

namespace parts {

#if defined(LOOPBENCH_NAMES_OUR_CONTEXT)
namespace types = loopbench::asio;
#else
namespace types = boost::asio;
#endif
using boost::system::error_code;

/// The number of operations that start_operations() starts.
inline constexpr int operations = 4;

/// Starts operations of different services on the context. Each of them adds 1 to `ended` if it ends without
/// an error. One of them waits for SIGUSR1. Each part has its own copy of this function.
inline void start_operations(types::io_context& context, int& ended) {
    const auto timer = std::make_shared<types::steady_timer>(context, std::chrono::milliseconds(1));
    timer->async_wait([timer, &ended](error_code error) { ended += error ? 0 : 1; });
    const auto resolver = std::make_shared<types::ip::tcp::resolver>(context);
    resolver->async_resolve("127.0.0.1", "80",
                            [resolver, &ended](error_code error, const auto&) { ended += error ? 0 : 1; });
    const auto signals = std::make_shared<types::signal_set>(context, SIGUSR1);
    signals->async_wait([signals, &ended](error_code error, int) { ended += error ? 0 : 1; });
    boost::asio::post(context, [&ended] { ++ended; });
}

// The functions of the library do the same as the main program does, but with the library's code.
[[gnu::visibility("default")]] std::unique_ptr<types::io_context> make_context_in_library();
[[gnu::visibility("default")]] void start_operations_in_library(types::io_context& context, int& ended);
[[gnu::visibility("default")]] boost::asio::any_io_executor executor_of_library(types::io_context& context);
[[gnu::visibility("default")]] void run_in_library(types::io_context& context);

}  // namespace parts
