#pragma once

#include <boost/version.hpp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "asio_ref/option_text.hpp"
#include "bench/suite/contenders/contender_main.hpp"

namespace loopbench::bench {

static_assert(BOOST_VERSION == LOOPBENCH_BOOST_VERSION,
              "CMake has found another Boost than the one whose headers the compiler finds first; remove the "
              "other headers from the compiler's path, or set Boost_ROOT to their folder");

inline contender_info asio_info(std::string name, std::string driver) {
    return {.name = std::move(name),
            .library = "Boost.Asio",
            .library_version =
                std::to_string(BOOST_VERSION / 100'000) + "." + std::to_string(BOOST_VERSION / 100 % 1000),
            .driver = std::move(driver)};
}

/// Returns asio_info() of a contender that uses the options in LOOPBENCH_ASIO_OPTIONS. Ends the process with
/// exit code 2 and a message if this Boost does not have one of the options.
inline contender_info asio_info_with_options(std::string name, std::string driver) {
    contender_info info = asio_info(std::move(name), std::move(driver));
    try {
        info.options = asio_ref::options_in_environment(BOOST_VERSION);
    } catch (const std::invalid_argument& error) {
        constexpr int usage = 2;
        std::fprintf(stderr, "%s\n", error.what());
        std::exit(usage);
    }
    return info;
}

}  // namespace loopbench::bench
