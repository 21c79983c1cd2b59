// JUnit XML, which CI systems show as tests.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/results.hpp"

namespace loopbench::reports {

/// A test as CI systems know it.
struct junit_case {
    std::string group, name;   // a CI system shows them as class and test
    std::string_view element;  // "failure", "error" or "skipped"; empty: passed
    std::string message;       // with the element; of a test that passed, its output
};

/// A document with one suite. Texts may come from outside; `date` is ISO 8601, or empty when it is not known.
std::string junit_suite(std::string_view date, std::span<const junit_case> cases);

/// A test for every cell: failed when it is slower than the baseline, in error when it failed, skipped when
/// it is unsupported or nothing could be told.
std::string write_junit(const report& content);

}  // namespace loopbench::reports
