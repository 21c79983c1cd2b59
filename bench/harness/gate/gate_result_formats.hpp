// Formats of gate results for terminals, programs and CI systems. Each format is one function that returns
// text.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bench/harness/gate/gate_result.hpp"

namespace loopbench::bench {

/// Returns a line for each gate result that does not hold, and then the number of gate results that hold.
std::string write_text(std::span<const gate_result> results);

/// Returns the same text for a comparison of two builds or reports, which has no baseline that could be too
/// loose.
std::string write_text_of_comparison(std::span<const gate_result> results);

/// Returns {"schema", "version", "outcome", "findings": [...]}. Missing numbers are null.
std::string write_json(std::span<const gate_result> results);

std::string write_markdown(std::span<const gate_result> results);

/// Returns a test case for each gate result. A regression is a failure, a failed contender is an error, and
/// an undecided gate result is skipped. The program's exit code distinguishes undecided results from a pass.
std::string write_junit(std::span<const gate_result> results);

/// Returns annotations: errors for gate results that fail the build, and warnings for others that need
/// attention.
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
