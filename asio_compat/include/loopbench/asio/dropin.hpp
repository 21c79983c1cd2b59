// For `-include`: a program that names boost::asio::io_context gets ours, and objects with Asio's default
// executor lead to it. Nothing in the program changes; every source that uses Asio is compiled with this
// header.
//
// This header renames two names, in Asio's headers too: io_context, and any_io_executor, which is the default
// executor of sockets, timers and awaitables. They become separate types, so a source that is compiled
// without this header can be linked with one that is compiled with it.
//
// Asio headers that the program includes afterwards then use our types. This header includes only the headers
// that Asio's io_context needs: the program might define names that the rest of Asio uses.
#pragma once
#pragma GCC system_header  // avoids warnings about Asio's parameters named io_context

// clang-format off: the order matters
#include "loopbench/asio/detail/version.hpp"
#if __cplusplus >= 202002L  // otherwise version.hpp's error is the only one
// Headers that need Asio's own names come first.
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
