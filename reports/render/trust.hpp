#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/results.hpp"

namespace loopbench::reports {

enum class trust_word { reliable, preliminary, unreliable };
constexpr auto names_of(trust_word) {
    return std::to_array<std::string_view>({"reliable", "preliminary", "unreliable"});
}

struct trust {
    trust_word word = trust_word::reliable;
    /// The reasons for `word`; empty for a reliable run. Each states a problem and its remedy, for example
    /// "some verdicts need more blocks; use --blocks 13 or more". The reason of an unreliable run has no
    /// remedy.
    std::vector<std::string> reasons;
};

/// Returns `unreliable` if the baseline differs from its own copy. Returns `preliminary` if the run is
/// incomplete or too short for some verdicts, or if its noise is unknown.
trust trust_in(const report& content);

bool is_reason_for_trust(std::string_view warning_code);

std::size_t blocks_in(const report& content);

}  // namespace loopbench::reports
