// For the compiler option `-include`. A program that names boost::asio::io_context gets our io_context, and
// objects with Asio's default executor run on it. The program itself does not change; every source that uses
// Asio must be compiled with this header.
//
// This header renames two names, also in Asio's headers: io_context, and any_io_executor, which is the
// default executor of sockets, timers and awaitables. The renamed classes are separate types. Therefore, a
// source that is compiled without this header can be linked with one that is compiled with it.
//
// Asio headers that the program includes after this header use our types. This header includes only the
// headers that Asio's io_context needs, because the program might define names that the rest of Asio uses.
#pragma once
#pragma GCC system_header  // avoids warnings about Asio's parameters named io_context

// clang-format off: the order matters
#include "loopbench/asio/detail/version.hpp"
#if __cplusplus >= 202002L  // before C++20, only version.hpp's error is reported
// The headers that need Asio's own names come first.
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
