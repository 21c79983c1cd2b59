// For `-include`: a program that names boost::asio::io_context gets ours, and what has Asio's default
// executor leads to it. Nothing in the program changes; every source of it that uses Asio is compiled with
// this header.
//
// Two names are other ones from here on, in Asio's headers too: io_context, and any_io_executor, which is by
// default the executor of sockets, timers and awaitables. So these are types of their own, and a source that
// is compiled without this header can be linked with one that is not.
//
// What of Asio the program includes then knows ours. Nothing is included here that Asio's io_context does not
// need: a program may use names that are taken by what the rest of Asio includes.
#pragma once
#pragma GCC system_header  // or Asio's parameters that are called io_context are warned of

// clang-format off: the order matters
#include "loopbench/asio/detail/version.hpp"
#if __cplusplus >= 202002L  // or that is the one error
// What is to know Asio's own names comes first.
#include "loopbench/asio/detail/any_executor.hpp"
#include "loopbench/asio/detail/objects.hpp"

namespace boost::asio {
using loopbench_io_context = ::loopbench::asio::io_context;
}
namespace loopbench::asio {
using loopbench_io_context = io_context;
}

#define any_io_executor loopbench_any_io_executor
#define io_context loopbench_io_context
#endif
// clang-format on
