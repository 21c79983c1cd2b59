// Formats gate results for terminals, programs and CI systems.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"
#include "reports/render/formats/formats.hpp"

namespace loopbench::bench {

/// Returns verdict_line(). If some gate results are not `holds`, adds a line for each of them, and then a
/// line with the number of the gate results that are `holds`.
std::string write_text(std::span<const gate_result> results);

/// Returns the lines of write_text() without the first and the last, with "better" instead of "looser": a
/// comparison of two builds or reports has no baseline file that could be too loose.
std::string write_details_of_comparison(std::span<const gate_result> results);

/// Returns the JSON object {"schema", "version", "outcome", "verdict", "findings": [...]}. Missing numbers
/// are null.
std::string write_json(std::span<const gate_result> results);

/// Returns verdict_line() and a table of the ten most severe gate results. A folded section contains the
/// others.
std::string write_markdown(std::span<const gate_result> results);

/// Returns a JUnit test case for each gate result. A regression is a failure, a failed contender is an error,
/// and an undecided gate result is skipped. The exit code of loopbench distinguishes undecided gate results
/// from a pass.
std::string write_junit(std::span<const gate_result> results);

/// Returns GitHub annotations: a notice with verdict_line(), then an error for each regression and failed
/// contender, and a warning for each other gate result that is not `holds`. Shows only the ten most severe
/// gate results.
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

/// Returns the text of a report in a format of `loopbench report`. If the report comes from a comparison, the
/// formats that can fail a CI job (JUnit, GitHub) contain its gate results.
std::string write_report(const reports::format& chosen, const reports::report& content);

}  // namespace loopbench::bench
