// Formats gate results for terminals, programs and CI systems.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bench/harness/gate/gate_result.hpp"

namespace loopbench::bench {

/// Returns a line for each gate result that is not `holds`, and then a line with the number of gate results
/// that are `holds`.
std::string write_text(std::span<const gate_result> results);

/// Returns the text of write_text() with "better" instead of "looser", because a comparison of two builds or
/// reports has no baseline file that could be too loose.
std::string write_text_of_comparison(std::span<const gate_result> results);

/// Returns {"schema", "version", "outcome", "findings": [...]}. Missing numbers are null.
std::string write_json(std::span<const gate_result> results);

std::string write_markdown(std::span<const gate_result> results);

/// Returns a JUnit test case for each gate result. A regression is a failure, a failed contender is an error,
/// and an undecided gate result is skipped. The exit code of loopbench distinguishes undecided gate results
/// from a pass.
std::string write_junit(std::span<const gate_result> results);

/// Returns GitHub annotations: an error for each regression and failed contender, a warning for each other
/// gate result that is not `holds`, and a notice with the summary.
std::string write_github(std::span<const gate_result> results);

struct gate_result_format {
    std::string_view name;
    std::string (*write)(std::span<const gate_result> results);
};

inline constexpr std::array gate_result_formats{
    gate_result_format{"text", write_text},         gate_result_format{"json", write_json},
    gate_result_format{"markdown", write_markdown}, gate_result_format{"junit", write_junit},
    gate_result_format{"github", write_github},
};

}  // namespace loopbench::bench
