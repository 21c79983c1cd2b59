// What a check found, for a terminal, for programs and for CI systems. Each is one function from findings to
// text.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "bench/gate/check.hpp"

namespace loopbench::bench {

/// A line for each finding that does not hold, then how many do.
std::string write_check_text(std::span<const check_finding> findings);

/// {"schema": "loopbench-check/1", "outcome": ..., "findings": [...]}; numbers that are not there are null.
std::string write_check_json(std::span<const check_finding> findings);

std::string write_check_markdown(std::span<const check_finding> findings);

/// A test for each finding: a regression is a failure, what failed an error, and what is not known is
/// skipped; the exit code tells that from a pass.
std::string write_check_junit(std::span<const check_finding> findings);

/// Annotations: errors for what fails the build, warnings for all else that needs somebody.
std::string write_check_github(std::span<const check_finding> findings);

struct check_format {
    std::string_view name;
    std::string (*write)(std::span<const check_finding> findings);
};

inline constexpr std::array check_formats{
    check_format{"text", write_check_text},         check_format{"json", write_check_json},
    check_format{"markdown", write_check_markdown}, check_format{"junit", write_check_junit},
    check_format{"github", write_check_github},
};

}  // namespace loopbench::bench
