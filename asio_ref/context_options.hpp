// The options that an io_context reads at run time (boost/asio/config.hpp). Boost has them since version
// 1.87. Earlier versions have only the concurrency hint.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/version.hpp>
#include <string>

#include "asio_ref/option_text.hpp"
#if __has_include(<boost/asio/config.hpp>)
#include <boost/asio/config.hpp>
#define LOOPBENCH_ASIO_HAS_OPTIONS 1
#else
#define LOOPBENCH_ASIO_HAS_OPTIONS 0
#endif

namespace loopbench::asio_ref {

#if LOOPBENCH_ASIO_HAS_OPTIONS
using context_argument = boost::asio::config_from_string;

/// Returns the argument of the constructor of an io_context. The io_context uses the options in the
/// environment (option_text.hpp), and then those in `own`, which has one per line. A Boost without options
/// uses `hint`; therefore `own` must contain the options that have the effect of `hint`. Throws
/// std::invalid_argument.
inline context_argument context_argument_of(int /*hint*/, const char* own) {
    // If an option occurs twice, Asio uses the first one.
    return context_argument(lines_of_options(options_in_environment(BOOST_VERSION)) + own);
}
#else
using context_argument = int;

inline context_argument context_argument_of(int hint, const char* /*own*/) {
    return hint;
}
#endif

}  // namespace loopbench::asio_ref
