// JUnit XML, which CI systems show as test results.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

/// One test, as CI systems show it.
struct junit_case {
    std::string group, name;   // CI systems show them as class and test
    std::string_view element;  // "failure", "error" or "skipped"; empty: passed
    std::string message;       // belongs to the element; for a passed test, its output
};

/// Returns a document with one suite. Texts may come from outside; `date` is ISO 8601, or empty if unknown.
std::string junit_suite(std::string_view date, std::span<const junit_case> cases);

/// Writes a test for every result: failed if it is slower than the baseline, in error if it failed, skipped
/// if it is unsupported, not run, unreliable or undecided.
std::string write_junit(const report& content);

}  // namespace loopbench::reports
