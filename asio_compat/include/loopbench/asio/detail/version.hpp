// Checks that the compiler, the C++ standard and the version of Boost are supported. loopbench/asio uses
// internals of Asio, which can change: io_object_impl, Asio's services, and the base class of `core`
// (core.hpp). Boost 1.81, 1.83, 1.88, 1.90 and 1.92 are tested; the versions between them are accepted. Test
// a new version before you accept it.
#pragma once

#if __cplusplus < 202002L
#error "The headers of loopbench/asio need C++20, as the loop does; compile with -std=c++20 or later."
#else

#if !defined(__cpp_exceptions)
#error "The headers of loopbench/asio need exceptions; compile without -fno-exceptions."
#endif

#include <boost/version.hpp>

#include "loop/compiler.hpp"

#if BOOST_VERSION / 100 < 1081 || BOOST_VERSION / 100 > 1092
#error "loopbench/asio.hpp supports only Boost 1.81 to 1.92; use one of these versions."
#endif

#if defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT) || \
    (defined(BOOST_ASIO_HAS_IO_URING) && defined(BOOST_ASIO_DISABLE_EPOLL))
#error \
    "loopbench/asio.hpp chooses io_uring at run time; remove BOOST_ASIO_DISABLE_EPOLL and BOOST_ASIO_HAS_IO_URING_AS_DEFAULT."
#endif

#if defined(BOOST_ASIO_USE_TS_EXECUTOR_AS_DEFAULT) || defined(BOOST_ASIO_NO_TS_EXECUTORS)
#error "Do not define BOOST_ASIO_USE_TS_EXECUTOR_AS_DEFAULT or BOOST_ASIO_NO_TS_EXECUTORS."
#endif

#endif
