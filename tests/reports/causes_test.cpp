// Tests the texts, the tables and the drawings of the causes of slowdowns.
#include "reports/render/causes.hpp"

#include <gtest/gtest.h>

#include "reports/model/json.hpp"
#include "reports/render/html/causes_html.hpp"
#include "reports/render/html/html.hpp"
#include "reports/render/terminal/text_table.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

using namespace reports;

slowdown_cause cause_with(std::vector<changed_count> changed) {
    slowdown_cause found{.workload = "BM_sort", .contender = "new"};
    found.compared = {count_kind::system_call, count_kind::allocations};
    found.changed = std::move(changed);
    return found;
}

std::string text_of(std::vector<changed_count> changed) {
    return cause_text(cause_with(std::move(changed)), false);
}

TEST(causes, a_text_names_the_counts_that_grew_first) {
    EXPECT_EQ(text_of({{count_kind::allocated_bytes, "", 0, 48},
                       {count_kind::allocations, "", 0, 1},
                       {count_kind::system_call, "write", 3, 2},
                       {count_kind::system_call, "read", 1, 3.001}}),
              "2 more read(2) per operation, 1 more allocation (48 B), 1 fewer write(2)");
    EXPECT_EQ(text_of({{count_kind::context_switches, "", 0, 1.25}}),
              "1.25 more context switches per operation");
    EXPECT_EQ(text_of({{count_kind::instructions, "", 12'000, 24'345}}),
              "12,345 more instructions per operation (a factor of 2.0)");
    EXPECT_EQ(text_of({{count_kind::allocated_bytes, "", 10, 10.5}}),
              "0.50 more allocated bytes per operation");
}

TEST(causes, a_text_states_the_unit_of_a_command_and_the_limits_of_a_count) {
    auto found = cause_with({{count_kind::system_call, "openat", 1, 2}});
    found.set_up_included = true;
    found.unstable = {"futex(2)"};
    found.missing = {"instructions were not counted: no counter"};
    const auto text = cause_text(found, false);
    for (const auto* part : {"outside the loop", "compared: futex(2)", "no counter"}) EXPECT_SAYS(text, part);
    found.per = "run";
    EXPECT_TRUE(cause_text(found, false).starts_with("1 more openat(2) per run;"));
}

profile sample_profile() {
    return {"perf",
            {{"slow<int>(\"<b>\")", 20, 80, 380}, {"quick", 80, 20, 20}},
            {{"start;main;run;BM;slow<int>(\"<b>\")", 20, 400}, {"start;main;run;BM;quick", 80, 100}}};
}

TEST(causes, without_a_changed_count_the_text_names_the_remaining_causes) {
    EXPECT_SAYS(text_of({}), "no count changed; code placement or the code itself");
    EXPECT_SAYS(cause_text(cause_with({}), true), "no count changed; the code itself");
    auto profiled = cause_with({});
    profiled.profiled = sample_profile();
    EXPECT_EQ(cause_text(profiled, false), "no count changed; slow<int>(\"<b>\") takes 380 ns more");
    profiled.profiled->functions.front().more_ns = 10;
    EXPECT_SAYS(cause_text(profiled, false), "no count changed; code placement or the code itself");
    EXPECT_SAYS(cause_text({.workload = "BM_sort", .contender = "new"}, false), "unknown");
    auto incomplete = cause_with({});
    incomplete.compared = {count_kind::allocations, count_kind::context_switches};
    EXPECT_EQ(cause_text(incomplete, false), "no change in allocations, context switches")
        << "system calls can be the cause";
}

report report_with_causes() {
    auto content = sample_report();
    content.gate = gate_summary{5, "regression", "SLOWER: BM_sort by 5 %"};
    auto first = cause_with({{count_kind::system_call, "read", 1, 3}});
    first.profiled = sample_profile();
    auto second = cause_with({});
    second.workload = "BM_<script>alert(1)</script>";
    content.causes = {first, second};
    return content;
}

TEST(causes, causes_survive_a_round_trip_through_json_and_fit_the_schema) {
    const auto text = write_json(report_with_causes());
    EXPECT_TRUE(fits_the_schema(nlohmann::json::parse(text)));
    EXPECT_EQ(write_json(read_json(text, "x")), text);
    auto document = nlohmann::json::parse(text);
    for (const auto* key : {"workload", "contender", "per", "changed", "compared", "unstable", "missing"}) {
        auto other = document;
        other["causes"][0].erase(key);
        EXPECT_FALSE(fits_the_schema(other)) << key;
        EXPECT_THROW(read_json(other.dump(), "x"), format_error) << key;
    }
    document["causes"][0]["changed"][0]["kind"] = "luck";
    EXPECT_FALSE(fits_the_schema(document));
}

TEST(causes, the_sentences_and_the_functions_are_below_the_verdict) {
    const auto text = write_table(report_with_causes());
    const auto begin = text.substr(0, text.find("\n\n"));
    EXPECT_TRUE(begin.starts_with("SLOWER: BM_sort by 5 %\nBM_sort: 2 more read(2) per operation; slow<int>"))
        << begin;
    EXPECT_SAYS(begin, "+380 ns");
    EXPECT_LT(begin.find("slow<int>"), begin.find("quick"));
}

TEST(causes, the_page_escapes_names_and_shows_the_causes_without_a_script) {
    const auto page = write_html(report_with_causes(), {});
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_SAYS(page, "<li><span class=\"name\">BM_sort: 2 more read(2) per operation; slow&lt;int&gt;");
    EXPECT_SAYS(page, "slow&lt;int&gt;(&quot;&lt;b&gt;&quot;)");
    EXPECT_EQ(write_html(sample_report(), {}).find("found-causes\""), std::string::npos);
}

std::size_t occurrences_of(std::string_view part, std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST(causes, the_flame_graph_has_a_box_for_each_function_of_the_benchmark) {
    const auto section = section_of_profiles(report_with_causes());
    EXPECT_EQ(occurrences_of("<svg", section), 1U);
    EXPECT_EQ(occurrences_of("<rect", section), 4U)
        << "the benchmark, its caller and two functions: " << section;
    EXPECT_EQ(occurrences_of("class=\"grew-3\"", section), 1U) << section;
    EXPECT_SAYS(section, "slow&lt;int&gt;(&quot;&lt;b&gt;&quot;): 400 ns (80 %), before 20.0 ns");
    EXPECT_EQ(section_of_profiles(sample_report()), "");
}

}  // namespace

}  // namespace loopbench::tests
