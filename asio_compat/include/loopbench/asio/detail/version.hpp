// Checks that the C++ and Boost versions are supported. Asio's public classes stay the same over many
// versions. This code also uses Asio's internals (io_object_impl, its services, and the base of core.hpp's
// class). The internals change little, but they do change.
#pragma once

#if __cplusplus < 202002L
#error "loopbench/asio.hpp and loopbench/asio/dropin.hpp need C++20: compile with -std=c++20 or later."
#else

#include <boost/version.hpp>

#if BOOST_VERSION < 107400 || BOOST_VERSION > 109000
#error "loopbench/asio.hpp supports Boost 1.74 to 1.90. Use one of these, or raise the limit in this line."
#endif

#if defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
#error "loopbench/asio.hpp chooses io_uring at run time: build without BOOST_ASIO_HAS_IO_URING_AS_DEFAULT."
#endif

#if defined(BOOST_ASIO_USE_TS_EXECUTOR_AS_DEFAULT) || defined(BOOST_ASIO_NO_TS_EXECUTORS)
#error "loopbench/asio.hpp works with Asio's default executors: build without BOOST_ASIO_..._TS_EXECUTOR..."
#endif

#endif
