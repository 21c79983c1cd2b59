// One suite, a test case for each cell.
#include "reports/junit.hpp"

#include <fmt/format.h>

#include "reports/columns.hpp"

namespace loopbench::reports {

namespace {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

struct outcome {
    std::string_view element;  // empty: passed
    std::string message;
};

outcome outcome_of(const result& time) {
    if (time.status == cell_status::failed) return {"error", time.reason.value_or("failed")};
    if (time.status == cell_status::unsupported) return {"skipped", time.reason.value_or("unsupported")};
    if (!time.judged || !time.to_baseline) return {};
    if (*time.judged == verdict::slower)
        return {"failure", fmt::format("slower than {} by {:.1f} %", time.to_baseline->to,
                                       100 * (1 / time.to_baseline->median - 1))};
    if (*time.judged != verdict::inconclusive) return {};
    return {"skipped", time.detectable_pct
                           ? fmt::format("inconclusive, could have seen {:.2g} %", *time.detectable_pct)
                           : "inconclusive, too few blocks to see any difference"};
}

}  // namespace

std::string write_junit(const report& content) {
    std::string cases;
    std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    for (const auto& item : content.results) {
        if (item.metric != "time") continue;
        ++tests;
        const auto [element, message] = outcome_of(item);
        failures += element == "failure" ? 1U : 0U;
        errors += element == "error" ? 1U : 0U;
        skipped += element == "skipped" ? 1U : 0U;
        cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(item.workload),
                             escaped(item.contender));
        cases += element.empty()
                     ? "/>\n"
                     : fmt::format("><{} message=\"{}\"/></testcase>\n", element, escaped(message));
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"loopbench\" timestamp=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
        "skipped=\"{}\">\n"
        "{}  </testsuite>\n</testsuites>\n",
        escaped(content.where.date), tests, failures, errors, skipped, cases);
}

}  // namespace loopbench::reports
