#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bench/harness/gate/gate_result.hpp"
#include "reports/model/results.hpp"
#include "reports/render/formats/formats.hpp"

namespace loopbench::bench {

// `verdict` is verdict_line(), or the verdict of a comparison, which can have further sentences.

std::string write_text(std::span<const gate_result> results, std::string_view verdict);

/// Returns the gate results that are not `holds`. Writes "better" instead of "looser", because a comparison
/// of two builds or reports has no baseline file that could be too loose.
std::string write_details_of_comparison(std::span<const gate_result> results);

/// Returns {"schema", "version", "outcome", "verdict", "findings": [...]}. Missing numbers are null.
std::string write_json(std::span<const gate_result> results, std::string_view verdict);

std::string write_markdown(std::span<const gate_result> results, std::string_view verdict);

/// Returns the gate results as JUnit XML. A regression becomes a failure, a failed contender an error, and an
/// undecided gate result a skipped test. A CI system accepts skipped tests, so only the exit code of
/// loopbench distinguishes undecided gate results from a pass.
std::string write_junit(std::span<const gate_result> results, std::string_view verdict);

/// Returns GitHub annotations: a notice with the verdict, an error for each regression and failed
/// contender, and a warning for each other gate result that is not `holds`. Annotates only the ten most
/// severe gate results.
std::string write_github(std::span<const gate_result> results, std::string_view verdict);

struct gate_result_format {
    std::string_view name;
    std::string (*write)(std::span<const gate_result> results, std::string_view verdict);
};

inline constexpr std::array gate_result_formats{
    gate_result_format{"text", write_text},         gate_result_format{"json", write_json},
    gate_result_format{"markdown", write_markdown}, gate_result_format{"junit", write_junit},
    gate_result_format{"github", write_github},
};

/// Returns the report in the chosen format. If the report comes from a comparison, the formats that can fail
/// a CI job (JUnit, GitHub) contain the gate results instead, and Markdown has the table of
/// comparison_table.hpp.
std::string write_report(const reports::format& chosen, const reports::report& content);

}  // namespace loopbench::bench
