#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/history/entry.hpp"
#include "reports/model/json.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

using sample_list = std::vector<std::optional<double>>;

/// The rule for a file without a date.
inline const bench::date_rule some_day{.date = "2026-03-04T05:06:07Z"};

inline std::vector<bench::entry> entries_in(const std::string& text, const bench::date_rule& dated = {},
                                            const bench::provenance& from = {}) {
    return bench::read_entries(text, "some.file", from, dated);
}

inline bench::entry only_entry_in(const std::string& text, const bench::date_rule& dated = {},
                                  const bench::provenance& from = {}) {
    auto all = entries_in(text, dated, from);
    EXPECT_EQ(all.size(), 1U);
    return std::move(all.front());
}

/// Returns the report as the history keeps it.
inline reports::report report_in_entry(const bench::entry& kept) {
    return reports::read_json(kept.report, "kept");
}

inline std::string refusal_of(const std::string& text, const bench::date_rule& dated = {},
                              const bench::provenance& from = {}) {
    return complaint_of<reports::format_error>([&] { entries_in(text, dated, from); });
}

/// Returns the result of a benchmark of the report's only contender. Throws if there is no such result.
inline reports::result result_in(const reports::report& report, const std::string& benchmark,
                                 const std::string& metric = "time") {
    const auto* const found = reports::find_result(report, benchmark, report.contenders.at(0).name, metric);
    if (found == nullptr) throw std::runtime_error{metric + " of " + benchmark + " is missing"};
    return *found;
}

inline bool has_metric(const reports::report& report, const std::string& benchmark,
                       const std::string& metric) {
    return reports::find_result(report, benchmark, report.contenders.at(0).name, metric) != nullptr;
}

inline void expect_near(const sample_list& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i].value_or(-1), expected[i], 1e-6) << i;
}

}  // namespace loopbench::tests
