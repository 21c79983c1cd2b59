// Findings for a terminal, for programs and for CI systems. Each is one function from findings to
// text.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bench/gate/finding.hpp"

namespace loopbench::bench {

/// A line for each finding that does not hold, then how many do.
std::string write_text(std::span<const gate_finding> findings);

/// The same of two builds or reports, where there is no baseline that could be looser.
std::string write_text_of_comparison(std::span<const gate_finding> findings);

/// {"schema": "loopbench-check/1", "outcome": ..., "findings": [...]}; numbers that are not there are null.
std::string write_json(std::span<const gate_finding> findings);

std::string write_markdown(std::span<const gate_finding> findings);

/// A test for each finding: a regression is a failure, what failed an error, and what is not known is
/// skipped; the exit code tells that from a pass.
std::string write_junit(std::span<const gate_finding> findings);

/// Annotations: errors for what fails the build, warnings for all else that needs somebody.
std::string write_github(std::span<const gate_finding> findings);

struct finding_format {
    std::string_view name;
    std::string (*write)(std::span<const gate_finding> findings);
};

inline constexpr std::array finding_formats{
    finding_format{"text", write_text},         finding_format{"json", write_json},
    finding_format{"markdown", write_markdown}, finding_format{"junit", write_junit},
    finding_format{"github", write_github},
};

}  // namespace loopbench::bench
