// The cases in which a contender can be faster than the fastest floor, each with the reason that a report
// states.
#pragma once

#include <span>
#include <string_view>

namespace loopbench::bench {

struct floor_exception {
    std::string_view front;   // the beginning of the workload's full name
    std::string_view metric;  // time or late_p50
    std::string_view why;     // a clause that can follow a colon
};

std::span<const floor_exception> floor_exceptions();

/// Returns the reason why a contender can be faster than the fastest floor in this metric of the workload
/// with this full name. Returns an empty text if the table of exceptions does not contain this case.
std::string_view why_faster_than_floor(std::string_view workload, std::string_view metric);

}  // namespace loopbench::bench
