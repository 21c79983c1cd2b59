// Tests the texts, the tables and the drawings of the causes of slowdowns.
#include "reports/render/causes.hpp"

#include <gtest/gtest.h>

#include "reports/model/json.hpp"
#include "reports/render/formats/markdown.hpp"
#include "reports/render/html/causes_html.hpp"
#include "reports/render/html/html.hpp"
#include "reports/render/terminal/text_table.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

using namespace reports;

std::size_t occurrences_of(std::string_view part, std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

/// Returns the cause of a computing benchmark that takes 400 ns longer.
slowdown_cause cause_with(std::vector<changed_count> changed) {
    slowdown_cause found{.workload = "BM_sort", .contender = "new"};
    found.compared = {count_kind::system_call, count_kind::allocations};
    found.changed = std::move(changed);
    found.time_before = operation_time{100, 100, 0};
    found.time_after = operation_time{500, 500, 0};
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
    EXPECT_EQ(text_of({{count_kind::instructions, "", 1000, 950}, {count_kind::system_call, "read", 0, 1}}),
              "1 more read(2) per operation, 50 fewer instructions (5.0 %)");
    EXPECT_SAYS(text_of({{count_kind::instructions, "", 250'000, 1000}}), "(a factor of 250)");
    EXPECT_SAYS(text_of({{count_kind::allocated_bytes, "", 0, 96}, {count_kind::allocations, "", 0, 2}}),
                "2 more allocations per operation (96 B in all)");
    EXPECT_EQ(text_of({{count_kind::allocated_bytes, "", 10, 10.5}}),
              "0.50 more allocated bytes per operation");
}

TEST(causes, a_rare_event_is_stated_for_many_operations) {
    EXPECT_EQ(text_of({{count_kind::system_call, "fsync", 0, 0.001}}),
              "1 more fsync(2) per 1,000 operations");
    EXPECT_EQ(text_of({{count_kind::system_call, "fsync", 0.00002, 0}}),
              "no count grew; 20 fewer fsync(2) per 1,000,000 operations");
    EXPECT_EQ(
        text_of({{count_kind::system_call, "fsync", 0, 0.002},
                 {count_kind::allocations, "", 0, 2},
                 {count_kind::context_switches, "", 0, 1}}),
        "2 more fsync(2) per 1,000 operations, 2 more allocations per operation, 1 more context switch");
    EXPECT_EQ(text_of({{count_kind::allocations, "", 0, 0.001}, {count_kind::allocated_bytes, "", 0, 0.064}}),
              "1 more allocation per 1,000 operations (64 B)");
}

TEST(causes, a_decrease_alone_is_not_reported_as_a_cause) {
    EXPECT_EQ(text_of({{count_kind::system_call, "write", 3, 2}}),
              "no count grew; 1 fewer write(2) per operation");
}

TEST(causes, a_text_states_the_unit_of_a_command_and_the_limits_of_a_count) {
    auto found = cause_with({{count_kind::system_call, "openat", 1, 2}});
    found.set_up_included = true;
    found.unstable = {"futex(2)"};
    found.missing = {"instructions were not counted: no counter"};
    const auto text = cause_text(found, false);
    for (const auto* part : {"outside the loop", "compared: futex(2)", "no counter"}) EXPECT_SAYS(text, part);
    found.per = "run";
    found.set_up_included = false;
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

slowdown_cause cause_with_times(operation_time before, operation_time after) {
    auto found = cause_with({});
    found.time_before = before;
    found.time_after = after;
    return found;
}

TEST(causes, additional_waiting_is_not_reported_as_slower_code) {
    const operation_time quick{100, 40, 10};
    EXPECT_EQ(cause_text(cause_with_times(quick, {300, 50, 10}), false),
              "no count changed; it waits 190 ns longer");
    EXPECT_SAYS(cause_text(cause_with_times(quick, {300, 200, 10}), false), "code placement");
    EXPECT_SAYS(cause_text(cause_with_times({100, 100, 0}, {104, 101, 0}), false), "code placement")
        << "a few per cent of waiting are noise";
    EXPECT_FALSE(says(cause_text(cause_with_times({100, 90, 0}, {100, 40, 0}), false), "waits"))
        << "it does not take longer";
    auto changed = cause_with({{count_kind::system_call, "fsync", 0, 1}});
    changed.time_before = quick;
    changed.time_after = operation_time{1000, 60, 20};
    EXPECT_EQ(cause_text(changed, false), "1 more fsync(2) per operation; it waits 870 ns longer");
}

TEST(causes, there_is_no_conclusion_about_the_code_if_the_times_are_unknown) {
    auto found = cause_with({});
    found.time_before.reset();
    found.time_after.reset();
    found.profiled = sample_profile();
    EXPECT_EQ(cause_text(found, false), "no count changed");
}

TEST(causes, there_is_no_conclusion_if_a_count_varies) {
    auto found = cause_with({});
    found.unstable = {"futex(2)"};
    EXPECT_EQ(cause_text(found, false),
              "no count changed; some counts vary too much to be compared: futex(2)");
}

TEST(causes, only_a_function_with_certain_additional_cpu_time_is_named) {
    auto found = cause_with({});
    found.profiled = profile{"perf", {{"f", 10, 60, 500, 100}}, {{"f", 100, 600}}};
    EXPECT_SAYS(cause_text(found, false), "f takes 500 ns more");
    found.profiled->functions[0].error_ns = 200;
    EXPECT_FALSE(says(cause_text(found, false), "takes"));
    EXPECT_TRUE(functions_to_show(found).empty());
    for (const auto* const other : {"[others]", "[waiting]", "[kernel]"}) {
        found.profiled = profile{"perf", {{other, 10, 60, 500}}, {{other, 100, 600}}};
        EXPECT_FALSE(says(cause_text(found, false), "takes")) << other;
    }
    found.profiled = profile{"perf", {{"[waiting]", 0, 50, 250}, {"f", 0, 50, 240}, {"g", 9, 1, -90}}, {}};
    EXPECT_SAYS(cause_text(found, false), "f takes 240 ns more") << "also without stacks";
    EXPECT_EQ(functions_to_show(found).size(), 2U);
    found.profiled->functions[1].more_ns = 4;
    EXPECT_EQ(functions_to_show(found).size(), 1U) << "less than 1 % of the time";
    found.profiled = profile{"perf", {{"f", 0, 50, 300}}, {{"f", 100, 400}, {"g", 900, 500}}};
    found.time_before = operation_time{1000, 1000, 0};
    found.time_after = operation_time{900, 900, 0};
    EXPECT_FALSE(says(cause_text(found, false), "takes")) << "the CPU time did not grow";
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

TEST(causes, many_causes_are_shortened_and_a_common_reason_is_stated_once) {
    auto content = report_with_causes();
    content.causes->clear();
    for (int i = 0; i < 300; ++i) {
        auto each = cause_with({{count_kind::allocations, "", 0, 1}});
        each.missing = {"system calls were not counted: install strace"};
        if (i == 0) each.missing.emplace_back("only here");
        content.causes->push_back(each);
    }
    const auto sentences = cause_sentences(content);
    EXPECT_EQ(sentences.size(), 12U);
    const auto text = write_causes(content);
    EXPECT_EQ(occurrences_of("install strace", text), 1U);
    EXPECT_EQ(occurrences_of("only here", text), 1U);
    EXPECT_SAYS(text, "In all benchmarks, system calls were not counted");
    EXPECT_SAYS(text, "290 more (report.json)");
    EXPECT_SAYS(*cause_of(content, "BM_sort", "new"), "install strace");
}

TEST(causes, code_placement_is_not_a_cause_if_the_builds_have_several_layouts) {
    auto content = report_with_causes();
    content.causes = {cause_with({})};
    EXPECT_SAYS(cause_sentences(content).at(0), "code placement");
    content.plan = planned{};
    content.plan->layouts = 6;
    EXPECT_FALSE(says(cause_sentences(content).at(0), "code placement"));
}

TEST(causes, the_sentences_and_the_functions_are_below_the_verdict) {
    const auto text = write_table(report_with_causes());
    const auto begin = text.substr(0, text.find("\n\n"));
    EXPECT_TRUE(begin.starts_with("SLOWER: BM_sort by 5 %\nBM_sort: 2 more read(2) per operation; slow<int>"))
        << begin;
    EXPECT_SAYS(begin, "+380 ns");
    EXPECT_LT(begin.find("slow<int>"), begin.find("quick"));
}

TEST(causes, a_profile_without_certain_functions_has_a_sentence_instead_of_a_table) {
    auto content = report_with_causes();
    for (auto& each : content.causes->front().profiled->functions) each.error_ns = 1000;
    for (const auto& text : {write_markdown(content), write_causes(content)}) {
        EXPECT_SAYS(text, "no function takes significantly longer");
        EXPECT_FALSE(says(text, "more time |")) << text;
    }
}

TEST(causes, the_page_escapes_names_and_shows_the_causes_without_a_script) {
    const auto page = write_html(report_with_causes(), {});
    EXPECT_EQ(page.find("<script>alert"), std::string::npos);
    EXPECT_SAYS(page, "<li><span class=\"name\">BM_sort: 2 more read(2) per operation; slow&lt;int&gt;");
    EXPECT_SAYS(page, "slow&lt;int&gt;(&quot;&lt;b&gt;&quot;)");
    EXPECT_EQ(write_html(sample_report(), {}).find("found-causes\""), std::string::npos);
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

TEST(causes, a_very_deep_stack_does_not_exhaust_the_memory_of_the_page_writer) {
    auto content = report_with_causes();
    std::string deep = "main";
    for (int i = 0; i < 300'000; ++i) deep += ";f";
    content.causes->front().profiled->stacks = {{deep, 10, 20}};
    EXPECT_LT(section_of_profiles(content).size(), 1'000'000U);
}

}  // namespace

}  // namespace loopbench::tests
