#pragma once

#include <boost/version.hpp>
#include <string>
#include <utility>

#include "bench/suite/contenders/contender_main.hpp"

namespace loopbench::bench {

inline contender_info asio_info(std::string driver) {
    return {.library = "Boost.Asio",
            .library_version =
                std::to_string(BOOST_VERSION / 100'000) + "." + std::to_string(BOOST_VERSION / 100 % 1000),
            .driver = std::move(driver)};
}

}  // namespace loopbench::bench
