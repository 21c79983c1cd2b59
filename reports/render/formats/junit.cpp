#include "reports/render/formats/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::reports {

namespace {

std::string as_xml(std::string_view text) {
    return escaped(text, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}});
}

junit_case case_of(const result& time, std::span<const result* const> judged) {
    junit_case found{time.workload, time.contender, {}, {}};
    if (time.status != result_status::ok) {
        found.element = time.status == result_status::failed ? "error" : "skipped";
        found.message = time.reason.value_or(std::string{name_of(time.status)});
        return found;
    }
    for (const auto* const item : judged)
        if (const auto text = comparison_text(*item); !text.empty())
            found.message += (found.message.empty() ? "" : "; ") + text;
    return found;
}

/// Writes the reason of a skipped test as text, and other messages as an attribute, because JUnit's schema
/// requires these forms.
std::string text_of(const junit_case& item) {
    const auto front =
        fmt::format("    <testcase classname=\"{}\" name=\"{}\"", as_xml(item.group), as_xml(item.name));
    const auto message = as_xml(item.message);
    if (item.element.empty() && message.empty()) return front + "/>\n";
    if (item.element == "failure" || item.element == "error")
        return fmt::format("{}><{} message=\"{}\"/></testcase>\n", front, item.element, message);
    const auto element = item.element.empty() ? "system-out" : item.element;
    return fmt::format("{}><{}>{}</{}></testcase>\n", front, element, message, element);
}

}  // namespace

std::string junit_suite(std::string_view date, std::span<const junit_case> cases, std::string_view output) {
    const auto count_of = [&](std::string_view element) {
        return std::ranges::count(cases, element, &junit_case::element);
    };
    std::string text;
    for (const auto& item : cases) text += text_of(item);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"loopbench\"{} tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n"
        "{}{}  </testsuite>\n</testsuites>\n",
        date.empty() ? "" : fmt::format(" timestamp=\"{}\"", as_xml(date)), cases.size(), count_of("failure"),
        count_of("error"), count_of("skipped"), text,
        output.empty() ? "" : fmt::format("    <system-out>{}</system-out>\n", as_xml(output)));
}

std::string write_junit(const report& content) {
    std::vector<junit_case> cases;
    const report_index index{content};
    const auto unreliable = why_unreliable(content);
    for (const auto& item : content.results) {
        if (item.metric != "time") continue;
        auto& added = cases.emplace_back(case_of(item, index.judged(item.workload, item.contender)));
        if (!unreliable || !added.element.empty()) continue;
        added.element = "skipped";
        added.message = "the session is unreliable, because " + *unreliable;
    }
    return junit_suite(content.where.date, cases);
}

}  // namespace loopbench::reports
