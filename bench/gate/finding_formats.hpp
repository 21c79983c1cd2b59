// Formats of gate results for terminals, programs and CI systems. Each is one function from gate results to
// text.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bench/gate/finding.hpp"

namespace loopbench::bench {

/// Returns a line for each gate result that does not hold, then the number of those that hold.
std::string write_text(std::span<const gate_result> findings);

/// Returns the same for two builds or reports, where no baseline can be looser.
std::string write_text_of_comparison(std::span<const gate_result> findings);

/// Returns {"schema", "version", "outcome", "findings": [...]}; absent numbers are null.
std::string write_json(std::span<const gate_result> findings);

std::string write_markdown(std::span<const gate_result> findings);

/// Returns a test for each gate result: a regression is a failure, a failed contender is an error, and an
/// undecided one is skipped; the exit code distinguishes the latter from a pass.
std::string write_junit(std::span<const gate_result> findings);

/// Returns annotations: errors for results that fail the build, warnings for others that need attention.
std::string write_github(std::span<const gate_result> findings);

struct finding_format {
    std::string_view name;
    std::string (*write)(std::span<const gate_result> findings);
};

inline constexpr std::array finding_formats{
    finding_format{"text", write_text},         finding_format{"json", write_json},
    finding_format{"markdown", write_markdown}, finding_format{"junit", write_junit},
    finding_format{"github", write_github},
};

}  // namespace loopbench::bench
