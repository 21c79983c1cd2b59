#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/results.hpp"

namespace loopbench::reports {

struct junit_case {
    std::string group, name;   // CI systems show `group` as the class and `name` as the test
    std::string_view element;  // "failure", "error" or "skipped"; empty if the test passed
    std::string message;       // the message of the element, or the output of a passed test
};

/// Returns a document with one suite. `date` is ISO 8601, or empty if it is unknown.
std::string junit_suite(std::string_view date, std::span<const junit_case> cases,
                        std::string_view output = {});

/// Writes a test for every result. Only a failed result is an error; a slow contender is not a failure,
/// because only gates set limits. Results that are unsupported or were not run are skipped tests.
std::string write_junit(const report& content);

}  // namespace loopbench::reports
