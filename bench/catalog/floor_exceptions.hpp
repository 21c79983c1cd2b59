#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct floor_exception {
    std::string_view front;  // the beginning of the workload's full name
    std::string_view metric;
    std::string_view why;
};

std::span<const floor_exception> floor_exceptions();

/// Returns the reason why a contender can be faster than the fastest floor in this metric of the workload, or
/// an empty text if no contender can be faster.
std::string_view why_faster_than_floor(std::string_view workload, std::string_view metric);

}  // namespace loopbench::bench
