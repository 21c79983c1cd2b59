// Writes JUnit XML, which CI systems show as test results.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

struct junit_case {
    std::string group, name;   // CI systems show them as the class and the test
    std::string_view element;  // "failure", "error" or "skipped"; empty if the test passed
    std::string message;       // the message of the element, or the output of a passed test
};

/// Returns a document with one suite. Texts can contain any characters. `date` is ISO 8601, or empty if the
/// date is unknown.
std::string junit_suite(std::string_view date, std::span<const junit_case> cases);

/// Writes a test for every result. A result that is slower than the baseline is a failed test. A failed
/// result is a test with an error. Unsupported, not run, unreliable and undecided results are skipped tests.
std::string write_junit(const report& content);

}  // namespace loopbench::reports
