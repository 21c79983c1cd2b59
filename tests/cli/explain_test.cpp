// Tests `loopbench explain` and the counting pass of `loopbench run` from the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/cli/glossary.hpp"
#include "tests/support/command_support.hpp"

namespace loopbench::tests {
namespace {

TEST(explain_command, the_explanation_of_a_workload_states_the_work_the_timed_part_and_the_primary_metrics) {
    const loopbench_command loopbench;
    const auto result = loopbench({"explain", "timer/churn/timers:1000"});
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(result.output.starts_with("timer/churn (workload)\n")) << result.output;
    for (const char* part : {"What it does: ", "Timed part: ", "Dominated by: ", "Primary metrics: "})
        EXPECT_SAYS(result.output, part);
}

TEST(explain_command, the_explanation_of_a_workload_states_the_pairing_for_each_parameter_value) {
    const loopbench_command loopbench;
    const auto text = loopbench({"explain", "timer/churn"}).output;
    EXPECT_SAYS(text, "with timers:1000: interleaved, ");
    EXPECT_SAYS(text, "; with timers:100000: sequential, ");
    EXPECT_SAYS(loopbench({"explain", "timer/ladder"}).output, "How it is measured: sequential, ")
        << "all parameters alike";
    EXPECT_SAYS(text, "the timers do not fit into the caches");
}

TEST(explain_command, metrics_and_contenders_are_explained) {
    const loopbench_command loopbench;
    for (const char* part : {"late_p99 (metric, ns; smaller is better)", "timer's deadline"})
        EXPECT_SAYS(loopbench({"explain", "late_p99"}).output, part);
    EXPECT_SAYS(loopbench({"explain", "loop-tick"}).output, "loop-tick (contender)\n");
}

TEST(explain_command, explaining_a_workload_family_explains_every_workload_of_the_family) {
    const loopbench_command loopbench;
    const auto text = loopbench({"explain", "gather"}).output;
    for (const char* name : {"gather/ready", "gather/yield", "gather/sleep", "gather/echo", "gather/tree"})
        EXPECT_SAYS(text, std::string{name} + " (workload)");
}

TEST(explain_command, the_explanation_of_a_parameter_lists_the_workloads_that_have_the_parameter) {
    const loopbench_command loopbench;
    const auto all = loopbench({"explain", "conns"}).output,
               one = loopbench({"explain", "conns:1000"}).output;
    for (const char* part : {"conns (parameter)", "echo/rtt/tcp/conns:100/bytes:64"}) EXPECT_SAYS(all, part);
    EXPECT_SAYS(one, "echo/rtt/tcp/conns:1000/bytes:64");
    EXPECT_FALSE(says(one, "conns:100/")) << one;
    EXPECT_SAYS(loopbench({"explain", "conns:7"}).output, "No workload") << "no workload is invented";
    EXPECT_EQ(loopbench({"explain", "qqqq:7"}).code, 2);
}

TEST(explain_command, a_unique_part_of_a_name_is_enough_to_explain_the_name) {
    const loopbench_command loopbench;
    EXPECT_TRUE(loopbench({"explain", "ladder"}).output.starts_with("timer/ladder (workload)\n"));
    EXPECT_TRUE(loopbench({"explain", "NOTHREADS"}).output.starts_with("asio-nothreads (contender)\n"));
}

TEST(explain_command, if_several_names_match_they_are_listed_with_their_descriptions) {
    const loopbench_command loopbench;
    const auto ran = loopbench({"explain", "churn"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_SAYS(ran.output, "  timer/churn   workload   one operation arms a timer");
    EXPECT_SAYS(ran.output, "  accept/churn  workload   ");
    EXPECT_FALSE(says(ran.output, "Timed part")) << ran.output;
}

TEST(explain_command, all_things_that_have_the_same_name_are_explained) {
    const loopbench_command loopbench;
    for (const char* part : {"timers (metric, ", "timers (parameter)\n"})
        EXPECT_SAYS(loopbench({"explain", "timers"}).output, part);
    for (const char* part : {"idle/timer (workload)\n", "idle (parameter)\n"})
        EXPECT_SAYS(loopbench({"explain", "idle"}).output, part);
}

TEST(explain_command, every_term_of_the_glossary_is_explained) {
    const loopbench_command loopbench;
    const auto terms = bench::glossary_terms_in(content_of(LOOPBENCH_SOURCE "/docs/glossary.md"));
    EXPECT_GT(terms.size(), 45U);
    for (const auto& term : terms) {
        const auto text = loopbench({"explain", term.name}).output;
        EXPECT_SAYS(text, term.name + " (term)\n");
        EXPECT_SAYS(text, term.meaning.substr(1));
        for (const auto& spelling : term.spellings) EXPECT_SAYS(text, spelling);
    }
}

TEST(explain_command, a_term_is_found_by_a_part_of_its_name_by_its_plural_or_by_its_option) {
    const loopbench_command loopbench;
    for (const auto& [word, term] : {std::pair{"A/A", "A/A copy"},
                                     {"a/a", "A/A copy"},
                                     {"Floor", "floor"},
                                     {"blocks", "block"},
                                     {"contenders", "contender"},
                                     {"against", "baseline file"},
                                     {"sequential", "sequential"},
                                     {"interleaved", "interleaved"},
                                     {"concurrent", "concurrent"},
                                     {"unreliable", "unreliable"}})
        EXPECT_TRUE(loopbench({"explain", word}).output.starts_with(std::string{term} + " (term)\n")) << word;
    EXPECT_TRUE(loopbench({"explain", "baseline", "file"}).output.starts_with("baseline file (term)\n"));
    EXPECT_SAYS(loopbench({"explain", "inconclusive"}).output, "  undecided  term") << "only in its meaning";
}

TEST(glossary, markdown_is_removed_from_the_rows_of_a_glossary) {
    const auto terms = bench::glossary_terms_in(
        "# Glossary\n\n| term | meaning |\n|---|---|\n"
        "| A/A copy (`aa_copy`, `--aa`) | see [`loop`](../loop/README.md) or `x` |\n| turn | a pass |\n");
    ASSERT_EQ(terms.size(), 2U);
    EXPECT_EQ(terms[0].name, "A/A copy");
    EXPECT_EQ(terms[0].spellings, (std::vector<std::string>{"aa_copy", "--aa"}));
    EXPECT_EQ(terms[0].meaning, "see loop or x");
    EXPECT_EQ(terms[1].name, "turn");
    EXPECT_TRUE(terms[1].spellings.empty());
}

TEST(explain_command, the_nearest_names_are_suggested_for_an_unknown_name) {
    const loopbench_command loopbench;
    const auto result = loopbench({"explain", "timer/chrun"});
    EXPECT_EQ(result.code, 2);
    EXPECT_SAYS(result.error_tail, "timer/churn");
    EXPECT_SAYS(loopbench({"explain", "verdikt"}).error_tail, "verdict");
}

TEST(counting_run, the_report_contains_the_counts_and_the_name_of_each_missing_count) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", R"(row "\"real_time\": 5, \"time_unit\": \"ns\", )"
                                          R"(\"operations\": ${LOOPBENCH_OPERATIONS:-10}")");
    const auto result =
        loopbench({"run", "--workload", "yield", "--blocks", "1", "--counts", "-o", loopbench.out()});
    EXPECT_EQ(result.code, 0) << result.error_tail;
    const auto report = loopbench.report();
    bool counted = false;
    for (const auto& item : report["results"])
        if (item["metric"] == "context_switches")
            counted = item["deterministic"] == true && !item["median"].is_null();
    EXPECT_TRUE(counted) << report.dump(1);
    // The test's folder does not contain the malloc counter, so the run must warn that counts are missing.
    bool warned = false;
    for (const auto& each : report["warnings"])
        warned = warned || (each["code"] == "counts_missing" &&
                            says(each["message"].get<std::string>(), "malloc_counter"));
    EXPECT_TRUE(warned) << report["warnings"].dump(1);
    const auto counts = nlohmann::json::parse(content_of(loopbench.path("out/counts.json")));
    EXPECT_EQ(counts["schema"], reports::counts_format.schema);
    EXPECT_EQ(counts["cells"][0]["workload"], "yield");
}

TEST(counting_run, counts_of_several_threads_are_reported_but_a_gate_never_compares_them) {
    loopbench_command loopbench;
    const std::string workload = "threads/ping/threads:2";
    loopbench.add_contender_of(workload, "asio-shared",
                               R"(row "\"real_time\": 5, \"time_unit\": \"ns\", )"
                               R"(\"operations\": ${LOOPBENCH_OPERATIONS:-10}")");
    const auto ran = loopbench({"run", "--contender", "asio-shared", "--workload", workload, "--blocks", "1",
                                "--counts", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto report = loopbench.report();
    for (const auto& item : report["results"])
        if (item["metric"] == "context_switches") {
            EXPECT_EQ(item["deterministic"], false);
            EXPECT_EQ(item["samples"].size(), 3U);
        }
    EXPECT_SAYS(content_of(loopbench.path("out/report.csv")), "context_switches");
    const std::string file = loopbench.path("baseline.json");
    for (const std::string given : {"", "report"}) {
        std::vector<std::string> words{"check", "--update", "--tier", "counts", "--against", file};
        if (given.empty())
            words.insert(words.end(),
                         {"--contender", "asio-shared", "--workload", workload, "-o", loopbench.out()});
        else
            words.push_back(loopbench.path("out/report.json"));
        const auto checked = loopbench(words);
        EXPECT_EQ(checked.code, 4) << checked.output << checked.error_tail;
        EXPECT_FALSE(std::filesystem::exists(file)) << given;
    }
}

TEST(counting_run, a_result_is_marked_as_failed_if_counting_or_checking_fails_after_the_trials) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", R"sh([ -z "$LOOPBENCH_OPERATIONS" ] || {
  row '"error_occurred": true, "error_message": "echoed 3 of 4 bytes"'; exit; }
row '"real_time": 5, "items_per_second": 7, "operations": 10')sh");
    for (const auto* pass : {"--counts", "--checks"}) {
        const auto ran =
            loopbench({"run", "--workload", "yield", "--blocks", "1", pass, "-o", loopbench.out()});
        EXPECT_EQ(ran.code, 1) << pass << ran.error_tail;
        EXPECT_EQ(loopbench.report()["results"][0]["reason"], "after its trials: echoed 3 of 4 bytes");
        EXPECT_EQ(loopbench.report()["results"][0]["status"], "failed");
        const auto again = loopbench({"report", loopbench.out() + "/journal.jsonl", "--format", "json"});
        EXPECT_EQ(nlohmann::json::parse(again.output), loopbench.report());
    }
}

}  // namespace
}  // namespace loopbench::tests
