// A header for the compiler option `-include`. The name boost::asio::io_context then means our io_context,
// and objects with Asio's default executor run on our io_context. The program's own sources do not change,
// but every source that uses Asio must be compiled with this header.
//
// This header uses macros to replace three names, also in Asio's headers: io_context; any_io_executor, which
// is the default executor of sockets, timers and awaitables; and stream_core, a class of ssl::stream with two
// timers. The names that replace them belong to separate types. Therefore, sources that are compiled with
// this header can be linked with sources that are compiled without it, if they share no class and no inline
// function that uses io_context or an object with the default executor.
//
// This header includes only the Asio headers that our io_context needs, because the program might define
// macros for the other Asio headers. The Asio headers that the program includes later use our types.
#pragma once
#pragma GCC system_header  // avoids warnings about Asio's parameters named io_context

// Marks every program and library that is compiled with this header. `loopbench compare` then recognises a
// program whose swap had no effect (context_record.hpp). The mark is an ELF note, because strip and
// --gc-sections keep notes. Every source adds its own copy: a single copy would need a group of sections
// (COMDAT), which --gc-sections removes unless the assembler supports SHF_GNU_RETAIN.
__asm__(
    ".pushsection .note.loopbench, \"a\", %note\n"
    ".balign 4\n"
    ".4byte 10\n"  // bytes of the name, with its null byte
    ".4byte 0\n"   // bytes of the description
    ".4byte 1\n"   // type: compiled with this header
    ".asciz \"loopbench\"\n"
    ".balign 4\n"
    ".popsection\n");

#if defined(BOOST_ASIO_DETAIL_CONFIG_HPP)
#error \
    "Include loopbench/asio/dropin.hpp before Asio: an earlier header, such as a precompiled one, has included Asio, so its names would keep Asio's own io_context."
#endif
#if defined(ASIO_STANDALONE)
#error "loopbench/asio/dropin.hpp supports Boost.Asio, not the standalone Asio (ASIO_STANDALONE is defined)."
#endif
// Every header of the standalone Asio uses this macro, so it does not compile after this header. Otherwise
// the program would keep the standalone Asio's own io_context. A compiler's note shows the next line.
// clang-format off
#pragma GCC poison ASIO_DETAIL_CONFIG_HPP  // loopbench: use <boost/asio.hpp>, not the standalone <asio.hpp>
// clang-format on

// clang-format off: the order of these includes matters
#include "loopbench/asio/detail/version.hpp"
#if __cplusplus >= 202002L  // before C++20, only version.hpp reports an error
// The following headers use Asio's own names, so they must be included before the macros are defined.
// Default visibility, as in Asio's headers: all shared libraries of a program must use the same static
// variables, such as the IDs of services.
#pragma GCC visibility push(default)
#include "loopbench/asio/detail/any_executor.hpp"
#include "loopbench/asio/detail/objects.hpp"
#include "loopbench/asio/detail/service_base.hpp"
#pragma GCC visibility pop

namespace loopbench::asio {
using loopbench_io_context = io_context;
}

// If BOOST_ASIO_SEPARATE_COMPILATION is defined, a source of the program includes boost/asio/impl/src.hpp,
// which defines the functions of Asio's classes. These guards leave out the functions of the two classes
// whose names the macros replace, and those of a service that only these two need.
#if !defined(BOOST_ASIO_HEADER_ONLY)
#define BOOST_ASIO_IMPL_ANY_IO_EXECUTOR_IPP
#define BOOST_ASIO_IMPL_IO_CONTEXT_IPP
#define BOOST_ASIO_DETAIL_IMPL_STRAND_SERVICE_IPP
#endif

#define any_io_executor loopbench_any_io_executor
#define io_context loopbench_io_context
#define stream_core loopbench_stream_core
#endif
// clang-format on
