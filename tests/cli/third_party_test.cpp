// Tests `loopbench compare` on two builds of a third-party program that is linked with the real Google
// Benchmark.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "reports/base/posix_io.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

class third_party : public testing::Test {
protected:
    bench::child_outcome compare(const char* base, const char* next, std::vector<std::string> more) const {
        more.insert(more.begin(),
                    {"compare", base, next, "--min-time", "1ms", "--seed", "5", "-o", loopbench.out()});
        return loopbench(more);
    }

    std::map<std::string, nlohmann::json> times() const {
        std::map<std::string, nlohmann::json> all;
        const auto report = loopbench.report();
        for (const auto& item : report["results"])
            if (item["contender"] != report["baseline"] && item["metric"] == "time")
                all[item["workload"]] = item;
        return all;
    }

    loopbench_command loopbench;
};

TEST_F(third_party, the_slowdown_of_a_build_is_found_in_every_benchmark) {
    const auto ran =
        compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_SLOWER_THIRD_PARTY, {"--workload", "set", "--blocks", "12"});
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_TRUE(fits_the_schema(loopbench.report()));
    const auto found = times();
    const auto odd = R"(set/odd name: sort<std::pair<int, long>>(a, b)[3]{2}+*?.^$|\ "q" ü -x)";
    const auto odd_name = fmt::format("{}/manual_time", odd);
    for (const std::string& name :
         {std::string{"set/plain/manual_time"}, odd_name, std::string{"set/unit/manual_time"},
          std::string{"set/repeated/repeats:3/manual_time"},
          std::string{"set/aggregates/repeats:3/manual_time"}, std::string{"set/argv0/manual_time"},
          std::string{"set/iterations/iterations:10/manual_time"}, std::string{"set/counters/manual_time"},
          std::string{"set/complexity/64/manual_time"}, std::string{"set/complexity/128/manual_time"},
          std::string{"set/threads/manual_time/threads:1"},
          std::string{"set/threads/manual_time/threads:2"}}) {
        ASSERT_TRUE(found.contains(name)) << name << ran.output;
        const auto& time = found.at(name);
        EXPECT_EQ(time["verdict"], "slower") << time;
        EXPECT_NEAR(100 * (1 / time["ratio"]["median"].get<double>() - 1), 5, 0.7) << name;
    }
    EXPECT_EQ(found.size(), 12U) << "complexity and aggregates are not benchmarks";
    EXPECT_NEAR(found.at("set/unit/manual_time")["median"].get<double>(), 105'000, 700)
        << "in ns, although it printed other units";
    for (const auto* part : {"slower_third_party", "set/plain", "slower"}) EXPECT_SAYS(ran.output, part);
}

TEST_F(third_party, the_arguments_of_the_user_are_passed_in_each_start_of_a_program) {
    compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_THIRD_PARTY,
            {"--args=--also='my own' --also=second", "--workload", "my own", "--workload", "second",
             "--blocks", "1"});
    const auto found = times();
    ASSERT_TRUE(found.contains("my own/manual_time"));
    EXPECT_EQ(found.at("my own/manual_time")["status"], "ok");
    EXPECT_EQ(found.size(), 2U);
    const auto resumed = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_EQ(resumed.code, 4) << "one block is too few: " << resumed.error_tail;
}

TEST_F(third_party, comparing_a_build_with_itself_finds_no_regression) {
    const auto ran =
        compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_THIRD_PARTY, {"--workload", "set", "--blocks", "20"});
    EXPECT_EQ(ran.code, 0) << ran.error_tail << ran.output;
}

TEST_F(third_party, two_builds_that_keep_a_core_busy_run_concurrently_on_the_same_core) {
    compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_THIRD_PARTY, {"--workload", "real/chain", "--blocks", "6"});
    EXPECT_EQ(times().at("real/chain")["pairing"], "concurrent");
    EXPECT_EQ(loopbench.report()["plan"]["min_time_s"], 0.02) << "concurrent trials take at least 20 ms";
    std::map<std::uint64_t, std::set<std::int64_t>> cores;
    for (const auto& line : journal_lines(loopbench.path("out/journal.jsonl")))
        if (line.contains("block")) cores[line["block"]].insert(line["cpu"].get<std::int64_t>());
    EXPECT_EQ(cores.size(), 6U);
    for (const auto& [block, of_it] : cores) EXPECT_EQ(of_it.size(), 1U) << block;
}

TEST_F(third_party, two_builds_that_wait_run_sequentially_unless_the_option_pairing_is_given) {
    compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_THIRD_PARTY, {"--workload", "set/plain", "--blocks", "6"});
    EXPECT_EQ(times().at("set/plain/manual_time")["pairing"], "sequential");
    compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_THIRD_PARTY,
            {"--workload", "set/plain", "--blocks", "6", "--pairing", "concurrent"});
    EXPECT_EQ(times().at("set/plain/manual_time")["pairing"], "concurrent");
    EXPECT_EQ(compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_THIRD_PARTY, {"--pairing", "sideways"}).code, 2);
}

TEST_F(third_party, a_benchmark_name_with_shell_and_regex_characters_is_selected_exactly) {
    const auto odd = R"(set/odd name: sort<std::pair<int, long>>(a, b)[3]{2}+*?.^$|\ "q" ü -x)";
    EXPECT_EQ(
        compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_SLOWER_THIRD_PARTY, {"--workload", odd, "--blocks", "10"})
            .code,
        3);
    EXPECT_EQ(times().size(), 1U);
}

/// A program with 100 benchmarks that take a tenth of a second each. Whenever it lists the benchmarks, it
/// appends its arguments to a file.
constexpr auto many_slow_benchmarks = R"sh(case "$*" in
*--benchmark_filter=^\$) ;;
*--benchmark_list_tests*)
    echo "$*" >> "$0.listings"
    i=0
    while [ $i -lt 100 ]; do echo "family/case$i"; i=$((i + 1)); done
    ;;
*)  sleep 0.1
    for argument; do case "$argument" in --benchmark_filter=^*) name=${argument#*^} ;; esac; done
    echo '{"context": {}, "benchmarks": [{"run_type": "iteration", "real_time": 1, "cpu_time": 1,
        "time_unit": "ns", "run_name": "'"${name%%[($]*}"'"}]}'
    ;;
esac
)sh";

TEST_F(third_party, choosing_the_pairings_stops_after_a_fifth_of_the_budget) {
    const auto program = loopbench.add_program("many", many_slow_benchmarks);
    const auto ran = compare(program.c_str(), program.c_str(), {"--budget", "1s"});
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "a fifth of the budget");
}

TEST_F(third_party, only_the_chosen_benchmarks_are_listed) {
    const auto program = loopbench.add_program("many", many_slow_benchmarks);
    compare(program.c_str(), program.c_str(),
            {"--workload", "family/case7", "--blocks", "1", "--budget", "5s"});
    const auto listed = reports::read_file(program + ".listings");
    EXPECT_SAYS(listed, "--benchmark_filter=^(family/case7)");
    EXPECT_EQ(listed.find("--benchmark_list_tests=true\n"), std::string::npos)
        << "a listing of everything: " << listed;
}

TEST_F(third_party, all_benchmarks_are_listed_if_a_pattern_matches_none_of_the_chosen_ones) {
    const auto ran =
        compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_THIRD_PARTY,
                {"--workload", "set/plain", "--workload", "set/unitt/manual_time", "--blocks", "1"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "did you mean set/unit/manual_time") << "the first pattern selects set/plain";
}

TEST_F(third_party, the_error_for_a_program_that_cannot_list_its_benchmarks_has_a_suitable_remedy) {
    for (const auto& [script, remedy] : std::vector<std::pair<const char*, const char*>>{
             {"echo 'usage: bench DATASET' >&2; exit 2", "--args"},
             {"echo \"ERROR: unknown command line flag 'benchmark_list_tests'\" >&2; exit 1",
              "benchmark::Initialize()"},  // google/xls#1150
             {"sleep 600", "longer --budget"}}) {
        const auto program = loopbench.add_program("program", script);
        const bool hangs = says(script, "sleep");
        const auto ran = compare(program.c_str(), program.c_str(), {"--budget", hangs ? "1s" : "5min"});
        EXPECT_EQ(ran.code, 2) << script;
        for (const auto* each : {"--args", "benchmark::Initialize()", "longer --budget"})
            EXPECT_EQ(says(ran.error_tail, each), std::string_view{each} == remedy) << ran.error_tail;
    }
}

/// A script that runs two programs, and passes --benchmark_filter only to the first one.
constexpr auto two_programs = R"sh(case "$*" in
*--benchmark_filter=^\$) echo other/b ;;
*--benchmark_list_tests*) printf 'first/a\nother/b\n' ;;
*) echo '{"context": {}, "benchmarks": [{"name": "first/a", "real_time": 10, "cpu_time": 10}]}' ;;
esac
)sh";

TEST_F(third_party, names_that_do_not_depend_on_the_filter_are_left_out_with_a_note) {
    for (const std::string name : {"other/b", "BM_sort"}) {
        std::string script = two_programs;
        for (auto at = script.find("other/b"); at != std::string::npos; at = script.find("other/b", at + 1))
            script.replace(at, 7, name);
        const auto program = loopbench.add_program("two", script);
        const auto ran = compare(program.c_str(), program.c_str(), {"--blocks", "1"});
        EXPECT_SAYS(ran.error_tail, name);
        EXPECT_SAYS(ran.error_tail, "--benchmark_filter");
        EXPECT_EQ(times().size(), 1U);
    }
}

/// A program whose trials compute for more than a second if the minimum time is not 1 ms. It writes the
/// arguments of these trials into a file.
constexpr auto long_computing = R"sh(case "$*" in
*--benchmark_filter=^\$*) ;;
*--benchmark_list_tests*) echo long ;;
*)  case "$*" in
    *min_time=0.001*) ;;
    *) echo "$*" >> "$0.probes"; timeout 1.1 sh -c 'while :; do :; done' ;;
    esac
    echo '{"context": {}, "benchmarks": [{"name": "long", "real_time": 10, "cpu_time": 20}]}' ;;
esac
)sh";

TEST_F(third_party, a_probe_whose_length_the_minimum_time_does_not_decide_runs_once) {
    const auto program = loopbench.add_program("long", long_computing);
    compare(program.c_str(), program.c_str(), {"--blocks", "1"});
    EXPECT_EQ(times().at("long")["pairing"], "sequential");
    const auto probes = reports::read_file(program + ".probes");
    EXPECT_EQ(std::ranges::count(probes, '\n'), 1) << probes;
}

TEST_F(third_party, a_program_that_can_only_be_executed_is_measured) {
    if (::geteuid() == 0) GTEST_SKIP() << "root can read every file";
    const auto program = loopbench.path("program");
    std::filesystem::copy_file(LOOPBENCH_THIRD_PARTY, program);
    std::filesystem::permissions(program, std::filesystem::perms::owner_exec);
    const auto ran = compare(program.c_str(), program.c_str(), {"--workload", "set/plain", "--blocks", "1"});
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
}

TEST_F(third_party, a_script_that_contains_console_output_is_a_program) {
    const auto program = loopbench.add_program("quotes", std::string{two_programs} + R"sh(
: '
Benchmark           Time    CPU   Iterations
'
)sh");
    EXPECT_NE(compare(program.c_str(), program.c_str(), {"--blocks", "1"}).code, 2);
}

TEST_F(third_party, the_listings_of_both_programs_share_the_budget) {
    const auto slow = loopbench.add_program("slow", "sleep 0.5; echo a\n"),
               hanging = loopbench.add_program("hanging", "sleep 600\n");
    const auto ran = compare(slow.c_str(), hanging.c_str(), {"--budget", "2s"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "no result within");
    EXPECT_FALSE(says(ran.error_tail, "within 2 s")) << ran.error_tail;
}

/// A program with two benchmarks that keep one core busy. A short trial looks the same with one thread and
/// with two.
constexpr auto busy_with_threads = R"sh(case "$*" in
*--benchmark_filter=^\$) ;;
*--benchmark_list_tests*) printf 'count/real_time/threads:1\ncount/real_time/threads:2\n' ;;
*)  for threads in 1 2; do case "$*" in *"threads:$threads"*) break ;; esac; done
    echo '{"context": {}, "benchmarks": [{"run_type": "iteration", "real_time": 10, "cpu_time": 10,
        "time_unit": "ns", "threads": '$threads', "run_name": "count/real_time/threads:'$threads'"}]}'
    ;;
esac
)sh";

TEST_F(third_party, a_benchmark_with_two_threads_runs_sequentially_and_can_use_all_cores) {
    const auto program = loopbench.add_program("counters", busy_with_threads);
    const std::string one = "count/real_time/threads:1", two = "count/real_time/threads:2";
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--pairing", "concurrent"}}) {
        auto options = more;
        options.insert(options.end(), {"--blocks", "6"});
        const auto ran = compare(program.c_str(), program.c_str(), options);
        ASSERT_TRUE(times().contains(two)) << ran.error_tail;
        EXPECT_EQ(times().at(one)["pairing"], "concurrent") << "a short trial keeps a core busy";
        EXPECT_EQ(times().at(two)["pairing"], "sequential");
        EXPECT_SAYS(ran.error_tail, "several threads");
        std::set<bool> pinned;
        for (const auto& line : journal_lines(loopbench.path("out/journal.jsonl")))
            if (line.contains("block") && line["workload"] == two) pinned.insert(!line["cpu"].is_null());
        EXPECT_EQ(pinned, std::set{false}) << "on one core, two threads would take turns";
    }
}

TEST_F(third_party, a_failing_benchmark_is_reported_with_its_error_message) {
    const auto ran = compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_THIRD_PARTY,
                             {"--workload", "broken", "--workload", "set/plain", "--blocks", "6"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.output, "no such device");
    EXPECT_EQ(times().at("set/plain/manual_time")["samples"].size(), 6U)
        << "the other benchmarks were measured";
}

TEST_F(third_party, resuming_a_killed_comparison_gives_the_exit_code_of_an_uninterrupted_comparison) {
    const auto ran = compare(LOOPBENCH_THIRD_PARTY, LOOPBENCH_SLOWER_THIRD_PARTY,
                             {"--workload", "set/plain", "--blocks", "10"});
    ASSERT_EQ(ran.code, 3);
    const auto journal = loopbench.path("out/journal.jsonl");
    const auto results = loopbench.report()["results"];
    auto text = content_of(journal);
    for (int i = 0; i < 9; ++i) text.erase(text.rfind('\n', text.size() - 2) + 1);
    reports::write_file_atomically(journal, text + R"({"block": 9, "att)");
    const auto resumed = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_EQ(resumed.code, 3) << resumed.error_tail;
    for (const auto* part : {"slower_third_party", "set/plain", "slower"})
        EXPECT_SAYS(resumed.error_tail, part);
    EXPECT_EQ(first_trials_in(journal), 30);
    EXPECT_EQ(loopbench.report()["results"][0]["samples"].size(), results[0]["samples"].size());
}

}  // namespace

}  // namespace loopbench::tests
