// The result of `loopbench bisect`, as text and as bisect.json.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/bisection/steps_file.hpp"
#include "bench/harness/cli/exit_code.hpp"
#include "bench/harness/experiment/plan.hpp"
#include "bench/harness/statistics/median.hpp"

namespace loopbench::bench {

enum class bisect_outcome : std::uint8_t {
    found,        // one commit
    several,      // one of several commits, some of which were skipped or undecided
    unconfirmed,  // the direct comparison with the commit before it does not show the slowdown
    no_slowdown,
    undecided,   // it is unknown if there is a slowdown
    unreliable,  // the machine is too noisy
    failed       // a program failed in a comparison of two commits
};

constexpr auto names_of(bisect_outcome) {
    return std::to_array<std::string_view>(
        {"found", "several", "unconfirmed", "no_slowdown", "undecided", "unreliable", "failed"});
}

exit_code exit_code_of(bisect_outcome outcome);

std::string_view text_of(commit_verdict found);

struct bisect_result {
    bisect_outcome outcome = bisect_outcome::undecided;
    std::string reason;  // of each outcome except `found`
    std::string benchmark;
    std::optional<estimate> total;  // the ratio of BAD to GOOD, below 1 if BAD is worse
    std::vector<std::string> also_slower;
    std::vector<unmatched_benchmark> unmatched;  // benchmarks that only GOOD or only BAD has
    struct range {
        std::size_t first, last;  // numbers in bisect_request::commits
    };
    std::optional<range> suspects;  // absent if there was no search
    std::optional<estimate> own;    // the ratio of the last suspect to the commit before the first one
    std::string page;               // the path of the report about this ratio
};

/// The part of the whole slowdown (as a logarithm) that the interval of the commit's own slowdown must reach.
/// A smaller one can be due to code placement, or one of several slower commits.
inline constexpr double least_part_of_slowdown = 0.5;

/// Returns the first line of the result, for example
/// `FOUND: 1a2b3c4d5e "parser: faster numbers" made BM_parse 5.1 % slower than 9f8e7d6c5b (4.6 to 5.6 %)`.
std::string verdict_of(const steps_record& steps, const bisect_result& result);

/// Returns the whole text: the verdict, what it means, and the table of all measured commits.
std::string text_of(const steps_record& steps, const bisect_result& result);

nlohmann::ordered_json json_of(const steps_record& steps, const bisect_result& result,
                               const std::vector<std::string>& command);

}  // namespace loopbench::bench
