// Tests the gate with programs and files that are modelled on public reports. Each row of a table begins with
// its report; the tables are the list of the reports that were tried. "our own" marks a row without a report.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "reports/base/atomic_file.hpp"
#include "reports/model/json.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;

std::string reported(const std::string& variables) {
    return fmt::format("{} exec {} \"$@\"\n", variables, LOOPBENCH_REPORTED_PROGRAM);
}

/// Compares the builds $folder/old and $folder/new without the tools that look for the causes of a slowdown.
bench::child_outcome verdict_on_builds(const loopbench_command& loopbench) {
    return loopbench.in_shell(
        "PATH=/nowhere; exec $loopbench compare $folder/old $folder/new --blocks 10 --min-time 1ms --seed 5 "
        "--pairing sequential -o $out");
}

bench::child_outcome compare(const loopbench_command& loopbench, std::vector<std::string> more) {
    more.insert(more.begin(), {"compare", loopbench.path("old").native(), loopbench.path("new").native(),
                               "--min-time", "1ms", "--seed", "5", "-o", loopbench.out()});
    return loopbench(more);
}

// One changed benchmark decides nothing else

struct changed_benchmarks {
    const char* report;
    const char* old_names;  // next to the benchmark "kept", which both builds have
    const char* new_names;
    int changed;  // the number of benchmarks that only one build has
};

void PrintTo(const changed_benchmarks& row, std::ostream* out) {
    *out << row.report;
}

constexpr changed_benchmarks changes[] = {
    {"bheisler/criterion.rs#530: a test that the branch adds", "", "added", 1},
    {"ohdearquant/lattice#1204: a benchmark that the head removes", "removed", "", 1},
    {"egraphs-good/egglog#527: a renamed group", "examples/a;examples/b", "ci/a;ci/b", 4},
    {"cryspen/hacl-packages#325: an added algorithm", "sha2/16", "sha2/16;blake2/16;blake2/64", 2},
    {"hyrise/hyrise#1479: renamed queries", "TPCH 01;TPCH 02", "tpch/q1;tpch/q2", 4},
    {"mozilla/neqo#3345: a name that became longer", "transfer/pacing", "transfer/pacing/transfer/pacing", 2},
    {"JeffRMoore/async-benchmark-runner#11: added and removed ones", "removed;both", "both;added", 2},
    {"pandas-dev/pandas#29292: a moved suite", "timestamp.Make/1;timestamp.Make/2",
     "tslibs.timestamp.Make/1;tslibs.timestamp.Make/2", 4},
    {"google/benchmark#256: an added argument", "BM_copy/8;BM_copy/64", "BM_copy/8/1;BM_copy/64/1", 4},
    {"phpbench/phpbench#1145: a new case without a baseline", "cases/a", "cases/a;cases/b", 1},
    {"our own: a renamed template parameter", "sort<long>;sort<int>", "sort<std::int64_t>;sort<int>", 2},
    {"our own: one of three benchmarks of one name", "same;same;same", "same;same", 5},
};

class changed_benchmark : public testing::TestWithParam<changed_benchmarks> {};

TEST_P(changed_benchmark, a_benchmark_of_one_build_is_listed_and_decides_nothing) {
    const auto& [report, old_names, new_names, changed] = GetParam();
    const loopbench_command loopbench;
    const auto result_with = [&](const char* slower) {
        const auto write = [&](const char* file, const char* names, const char* slow) {
            write_script(loopbench.path(file),
                         reported(fmt::format("BENCHMARKS='{};kept' SLOWER='{}'", names, slow)));
        };
        write("old", old_names, "");
        write("new", new_names, slower);
        return verdict_on_builds(loopbench);
    };
    for (const auto& [slower, code] : {std::pair{"", 0}, {"kept", 3}}) {
        const auto ran = result_with(slower);
        EXPECT_EQ(ran.code, code) << report << ran.output << ran.error_tail;
        const auto found = loopbench.report();
        EXPECT_EQ(time_of(found, "new", "kept/manual_time")["verdict"], code == 3 ? "slower" : "equivalent");
        const auto plan = journal_lines(loopbench.path("out/journal.jsonl")).front()["plan"];
        ASSERT_TRUE(plan.contains("unmatched")) << report << plan;
        EXPECT_EQ(plan["unmatched"].size(), changed) << report << plan;
        for (const auto& each : plan["unmatched"]) {
            const auto name = each["workload"].get<std::string>();
            EXPECT_SAYS(ran.output, name) << report;
            EXPECT_TRUE(time_of(found, "new", name).is_null()) << "it is not measured: " << name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(public_reports, changed_benchmark, testing::ValuesIn(changes));

struct skipped_benchmark {
    const char* report;
    const char* skipped_in;
    int code;  // if nothing is slower
};

void PrintTo(const skipped_benchmark& row, std::ostream* out) {
    *out << row.report;
}

/// A benchmark that only the new build skips is missing evidence (docs/gate.md, rule 5).
constexpr skipped_benchmark skips[] = {
    {"softdevteam/warmup_stats#91: only the old build skips it", "old", 0},
    {"google/benchmark#2290: both builds skip it", "both", 0},
    {"google/benchmark#963: only the new build skips it", "new", 4},
};

class skipped : public testing::TestWithParam<skipped_benchmark> {};

TEST_P(skipped, a_skipped_benchmark_hides_no_slowdown_of_another_one) {
    const auto& [report, skipped_in, code] = GetParam();
    const loopbench_command loopbench;
    for (const auto* slower : {"", "kept"}) {
        for (const std::string build : {"old", "new"})
            write_script(loopbench.path(build),
                         reported(fmt::format(
                             "BENCHMARKS='kept;other' SLOWER='{}' SKIPPED='{}'", build == "new" ? slower : "",
                             skipped_in == build || skipped_in == std::string_view{"both"} ? "other" : "")));
        const auto ran = verdict_on_builds(loopbench);
        EXPECT_EQ(ran.code, *slower != '\0' ? 3 : code) << report << ran.output << ran.error_tail;
    }
}

INSTANTIATE_TEST_SUITE_P(public_reports, skipped, testing::ValuesIn(skips));

TEST(public_reports, builds_without_a_common_benchmark_are_undecided) {  // rjmurillo/moq.analyzers#1266
    const loopbench_command loopbench;
    write_script(loopbench.path("old"), reported("BENCHMARKS='a;b'"));
    write_script(loopbench.path("new"), reported("BENCHMARKS='c'"));
    const auto ran = verdict_on_builds(loopbench);
    EXPECT_EQ(ran.code, 4) << ran.output << ran.error_tail;
    EXPECT_FALSE(ran.output.starts_with("PASS")) << ran.output;
}

// The budget holds before the first block

struct slow_program {
    const char* report;
    std::string script;
    std::vector<std::string> options;
    int code;
    const char* says;  // a part of the output or of the messages
    int starts_max;    // of the program; without the bound, it starts more often or takes much longer
};

void PrintTo(const slow_program& row, std::ostream* out) {
    *out << row.report;
}

/// A Google Benchmark program as a shell script. `on_listing` prints the names; `on_trial` runs before the
/// result.
std::string scripted(std::string_view on_start, std::string_view on_listing, std::string_view on_trial) {
    return fmt::format(R"sh(echo start >> "$0.starts"
{}
case "$*" in
*--benchmark_filter=^\$) ;;
*--benchmark_list_tests*) {} ;;
*)  for argument; do case "$argument" in --benchmark_filter=^*) name=${{argument#*^}} ;; esac; done
    {}
    echo '{{"context": {{}}, "benchmarks": [{{"run_type": "iteration", "real_time": 1, "cpu_time": 1,
        "time_unit": "ns", "run_name": "'"${{name%%[($]*}}"'"}}]}}'
    ;;
esac
)sh",
                       on_start, on_listing, on_trial);
}

const slow_program slow_programs[] = {
    {"gfx-rs/wgpu#6818: a suite of several hundred benchmarks",
     scripted("", "seq -f family/case%.0f 300", "sleep 1"),
     {"--budget", "6s"},
     4,
     "--budget",
     60},
    {"llvm/llvm-project#173032: slow benchmarks, one of them chosen",
     scripted("", "seq -f map/case%.0f 5000", "sleep 1"),
     {"--budget", "6s", "--workload", "map/case4999"},
     4,
     "time budget",
     30},
    {"matepek/vscode-catch2-test-adapter#67: a listing that takes half a minute",
     scripted("", "sleep 90; echo a", ""),
     {"--budget", "1s"},
     2,
     "longer --budget",
     4},
    {"csoltenborn/GoogleTestAdapter#84: a program that ignores the request to list and never ends",
     "trap '' TERM INT; while :; do sleep 90; done\n",
     {"--budget", "1s"},
     2,
     "no result within",
     4},
    {"csoltenborn/GoogleTestAdapter#90: a listing that prints without end",
     "exec yes case\n",
     {"--budget", "1s"},
     2,
     "printed more than",
     4},
    {"matepek/vscode-catch2-test-adapter#225: 150,000 parameter combinations",
     scripted("", "seq -f range/%.0f 150000", ""),
     {"--budget", "20s"},
     2,
     "--workload",
     30},
    {"google/benchmark#1112: set-up code in main that takes longer than the budget",
     scripted("sleep 90", "echo a", ""),
     {"--budget", "1s"},
     2,
     "longer --budget",
     2},
    {"google/benchmark#952: a set-up that every trial repeats",
     scripted("", "echo a", "sleep 90"),
     {"--budget", "6s"},
     4,
     "time budget",
     10},
    {"google/benchmark#1158: a benchmark without a maximum time",
     scripted("", "seq 5", "exec sleep 90"),
     {"--budget", "6s"},
     4,
     "time budget",
     20},
    {"sharkdp/hyperfine#106: a program that survives SIGTERM",
     scripted("trap '' TERM INT", "echo a", "while :; do sleep 90; done"),
     {"--budget", "6s"},
     4,
     "time budget",
     10},
    {"apache/arrow#11865: a filter that matches none of many benchmarks",
     scripted("", "seq -f suite/case%.0f 20000", "sleep 90"),
     {"--budget", "20s", "--workload", "suites/*"},
     2,
     "suites",
     6},
};

class slow : public testing::TestWithParam<slow_program> {};

TEST_P(slow, everything_before_the_first_block_counts_toward_the_budget) {
    const auto& [report, script, options, code, part, starts_max] = GetParam();
    const loopbench_command loopbench;
    for (const auto* build : {"old", "new"}) write_script(loopbench.path(build), script);
    const auto ran = compare(loopbench, options);
    EXPECT_EQ(ran.code, code) << report << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.output + ran.error_tail, part) << report;
    EXPECT_LT(ran.wall, 60s) << report;
    for (const std::string build : {"old", "new"}) {
        const auto log = loopbench.path(build + ".starts");
        if (!std::filesystem::exists(log)) continue;
        const auto starts = content_of(log);
        EXPECT_LE(std::ranges::count(starts, '\n'), starts_max) << report;
    }
}

INSTANTIATE_TEST_SUITE_P(public_reports, slow, testing::ValuesIn(slow_programs));

TEST(public_reports, one_of_thousands_of_benchmarks_is_compared) {  // google/benchmark#279
    const loopbench_command loopbench;
    for (const auto* build : {"old", "new"}) write_script(loopbench.path(build), reported("PRODUCT=large"));
    const auto ran = compare(loopbench, {"--workload", "product/49/48", "--blocks", "8", "--budget", "1min",
                                         "--pairing", "sequential"});
    EXPECT_EQ(ran.code, 0) << ran.output << ran.error_tail;
    EXPECT_EQ(time_of(loopbench.report(), "new", "product/49/48/manual_time")["status"], "ok");
}

TEST(public_reports, a_command_that_runs_longer_than_the_budget_ends) {  // sharkdp/hyperfine#576
    const loopbench_command loopbench;
    std::filesystem::create_symlink(LOOPBENCH_COMMAND_RUNNER, loopbench.path("bin/loopbench-command"));
    const auto ran =
        loopbench({"compare", "-o", loopbench.out(), "--budget", "1s", "--", "sleep 90", "sleep 91"});
    EXPECT_EQ(ran.code, 4) << ran.output << ran.error_tail;
    EXPECT_LT(ran.wall, 60s);
}

/// Two contenders of `check` do not end their listings (man-group/ArcticDB#3394: a set-up that takes too
/// long). Without the bound, each has 20 s.
TEST(public_reports, listings_of_check_count_toward_the_budget) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", good_row);
    for (const auto* name : {"mine", "mine2", "mine3"})
        write_script(loopbench.path("bin/contenders") / name, "sleep 90\n");
    const auto file = loopbench.path("gate.json").native();
    const auto ran = loopbench({"check", "--update", "--against", file, "--tier", "times", "--contender",
                                "mine*", "--workload", "yield", "--budget", "1s", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 1) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "longer --budget");
    EXPECT_LT(ran.wall, 50s) << "each listing alone could take 20 s";
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(public_reports, a_contender_that_cannot_be_listed_is_not_left_out_of_a_baseline_file) {  // our own
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", good_row);
    loopbench.add_contender("mine", good_row);
    write_script(loopbench.path("bin/contenders/broken"), "exit 1\n");
    const auto file = loopbench.path("gate.json").native();
    const auto ran =
        loopbench({"check", "--update", "--against", file, "--tier", "times", "--contender", "mine",
                   "--contender", "broken", "--workload", "yield", "--blocks", "8", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 1) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "broken");
    EXPECT_SAYS(ran.error_tail, "--contender");
    EXPECT_FALSE(std::filesystem::exists(file));
}

// Updates of a baseline file

struct wrong_baseline {
    const char* report;
    const char* prepare;  // shell code; $folder/gate.json is the baseline file
    const char* options;  // further words of the command
    int code;
    std::vector<const char*> says;  // the problem and its remedy
};

void PrintTo(const wrong_baseline& row, std::ostream* out) {
    *out << row.report;
}

const wrong_baseline wrong_baselines[] = {
    {"our own: a program without the workloads of the default baseline",
     ":",
     "--update --tier times --contender mine",
     2,
     {"gate.json", "asio-epoll has none of the workloads", "--baseline"}},
    {"ohdearquant/lattice#1532: a baseline that does not exist",
     ":",
     "--update --tier times --contender mine --baseline compare-base",
     2,
     {"gate.json", "compare-base does not exist", "--baseline"}},
    {"our own: no contender of the default baseline",
     "rm $folder/bin/contenders/asio-epoll",
     "--update --tier times --contender mine",
     2,
     {"gate.json", "asio-epoll does not exist", "--baseline"}},
    {"bheisler/criterion.rs#155: a baseline and nothing to compare with it",
     ":",
     "--update --tier times --contender mine --baseline mine",
     2,
     {"gate.json", "no other contender is chosen", "--contender", "loopbench compare"}},
    {"our own: a chosen workload that the baseline lacks",
     ":",
     "--update --tier times --contender mine --contender other --baseline other --workload search",
     2,
     {"gate.json", "none of the chosen workloads", "--baseline"}},
    {"stbenjam/skillsaw#390: no baseline file",
     ":",
     "",
     2,
     {"gate.json", "there is no baseline file", "--update"}},
    {"Bodigrim/tasty-bench#55: a folder that does not exist",
     ":",
     "--update --tier times --contender mine --baseline other --against $folder/no/gate.json",
     2,
     {"gate.json", "folder does not exist", "create the folder"}},
    {"prisma-idb/idb-client-generator#189: an empty file of a failed redirection",
     ": > $folder/gate.json",
     "--update --tier times --contender mine --baseline other",
     2,
     {"gate.json", "is empty", "move it away"}},
    {"Karanjot786/TermUI#430: a half-written file",
     "printf '{\"schema\": \"loopb' > $folder/gate.json",
     "--update --tier times --contender mine --baseline other",
     2,
     {"gate.json", "JSON", "move it away"}},
    {"benchmark-action/github-action-benchmark#162: a file of another tool",
     "echo '{\"context\": {}, \"benchmarks\": [{\"name\": \"a\", \"real_time\": 1}]}' > $folder/gate.json",
     "--update --tier times --contender mine --baseline other",
     2,
     {"gate.json", "the output of a Google Benchmark program, not a baseline file",
      "loopbench compare OLD.json"}},
    {"BurntSushi/critcmp#11: a folder instead of a file",
     "mkdir $folder/gate.json",
     "--update --tier times --contender mine --baseline other",
     2,
     {"gate.json", "is a folder", "--against"}},
    {"tui-cs/Terminal.Gui#5335: a stale file with renamed benchmarks",
     "update && sed -i 's/parse/parse_text/' $folder/bin/contenders/mine",
     "--update",
     2,
     {"gate.json", "none of its workloads any longer (parse)", "--workload"}},
    {"trickle-labs/pg-trickle#414: a file with ratios to another baseline",
     "update",
     "--update --baseline mine",
     2,
     {"gate.json", "relative to other", "--baseline"}},
    {"nubo-db/dynoxide#192: the contender of the file is gone",
     "update && rm $folder/bin/contenders/mine",
     "--update",
     2,
     {"gate.json", "contains the contender mine", "--contender-dir"}},
    {"ordo-one/benchmark#334: a contender that fails in the update",
     "update && sed -i 's/exit 0/exit 7/' $folder/bin/contenders/mine",
     "--update",
     1,
     {"gate.json", "mine on parse failed", "repair it"}},
    {"utilForever/baba-is-auto#217: a Debug build against a Release build",
     "update && sed -i 's/Release/Debug/' $folder/bin/contenders/mine",
     "--update",
     2,
     {"Debug (mine)", "Release (other)"}},
};

class baseline_update : public testing::TestWithParam<wrong_baseline> {};

/// Returns a contender as a shell script. Its trials take 10 ns, and it describes itself as a Release build.
std::string contender_with(std::string_view workloads) {
    return fmt::format(R"sh([ -z "$LOOPBENCH_DESCRIBE" ] || {{
    echo '{{"context": {{"build_type": "Release"}}, "benchmarks": []}}'; exit
}}
case "$*" in
*--benchmark_filter=^\$) ;;
*--benchmark_list_tests*) printf '%s\n' {} ;;
*)  for argument; do case "$argument" in --benchmark_filter=^*) name=${{argument#*^}} ;; esac; done
    echo '{{"context": {{}}, "benchmarks": [{{"run_type": "iteration", "real_time": 10, "cpu_time": 10,
        "time_unit": "ns", "run_name": "'"${{name%%[($]*}}"'"}}]}}'
    exit 0 ;;
esac
)sh",
                       workloads);
}

TEST_P(baseline_update, a_wrong_baseline_is_reported_at_once_and_the_file_stays_as_it_was) {
    const auto& [report, prepare, options, code, parts] = GetParam();
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", good_row);
    write_script(loopbench.path("bin/contenders/mine"), contender_with("parse search"));
    write_script(loopbench.path("bin/contenders/other"), contender_with("parse"));
    const std::string update =
        "$loopbench check --against $folder/gate.json -o $folder/before --update --tier times --contender "
        "mine --baseline other --workload parse --blocks 8";
    const auto prepared = loopbench.in_shell(fmt::format("update() {{ {}; }}\n{}", update, prepare));
    ASSERT_EQ(prepared.code, 0) << report << prepared.output << prepared.error_tail;
    const auto file = loopbench.path("gate.json");
    const auto content = [&] {
        return std::filesystem::is_regular_file(file) ? content_of(file) : std::string{"none"};
    };
    const auto before = content();
    const std::string chosen = says(options, "--against") ? "" : "--against $folder/gate.json";
    const auto ran =
        loopbench.in_shell(fmt::format("exec $loopbench check {} {} -o $out --blocks 8", chosen, options));
    EXPECT_EQ(ran.code, code) << report << ran.output << ran.error_tail;
    EXPECT_EQ(ran.output, "") << report;
    for (const auto* part : parts) EXPECT_SAYS(ran.error_tail, part) << report;
    EXPECT_EQ(content(), before) << report;
    EXPECT_EQ(std::filesystem::exists(loopbench.path("out/first/report.json")), code == 1)
        << "the error is reported before the measurement: " << report;
}

INSTANTIATE_TEST_SUITE_P(public_reports, baseline_update, testing::ValuesIn(wrong_baselines));

/// The contenders mine and other, and the words of an update that writes one ratio into a baseline file.
struct two_contenders {
    two_contenders() {
        write_script(loopbench.path("bin/contenders/mine"), contender_with("parse search"));
        write_script(loopbench.path("bin/contenders/other"), contender_with("parse"));
    }

    loopbench_command loopbench;
    std::filesystem::path file = loopbench.path("gate.json");
    std::vector<std::string> update{"check",      "--update", "--against",   file.native(),
                                    "--tier",     "times",    "--contender", "mine",
                                    "--baseline", "other",    "--workload",  "parse",
                                    "--blocks",   "8",        "-o",          loopbench.out()};
};

TEST(public_reports, an_update_without_another_contender_says_that_it_measures_only_counts) {
    const two_contenders those;
    const auto ran = those.loopbench({"check", "--update", "--against", those.file.native(), "--contender",
                                      "mine", "--baseline", "mine", "--workload", "parse", "--blocks", "8",
                                      "-o", those.loopbench.out()});
    for (const auto* part : {"only counts are measured", "no other contender is chosen", "--contender"})
        EXPECT_SAYS(ran.error_tail, part);
    EXPECT_FALSE(std::filesystem::exists(those.loopbench.path("out/first")));
    EXPECT_EQ(std::filesystem::exists(those.file), ran.code == 0) << ran.error_tail;
    if (ran.code == 0) {  // this machine can count
        EXPECT_SAYS(content_of(those.file), "\"times\": null");
    }
}

TEST(public_reports, a_message_does_not_list_thousands_of_workloads) {
    const two_contenders those;
    ASSERT_EQ(those.loopbench(those.update).code, 0);
    auto content = nlohmann::ordered_json::parse(content_of(those.file));
    auto& ratios = content["times"]["ratios"];
    for (int i = 0; i < 2000; ++i) {
        ratios.push_back(ratios[0]);
        ratios.back()["workload"] = fmt::format("gone/{}", i);
    }
    ratios.erase(ratios.begin());
    reports::write_file_atomically(those.file, content.dump());
    const auto ran = those.loopbench({"check", "--update", "--against", those.file.native()});
    EXPECT_EQ(ran.code, 2) << ran.output;
    EXPECT_SAYS(ran.error_tail, "gone/0");
    EXPECT_SAYS(ran.error_tail, "and 1997 more");
    EXPECT_FALSE(says(ran.error_tail, "gone/1999"));
}

TEST(public_reports, a_read_only_baseline_file_is_refused_before_the_measurement) {
    if (::geteuid() == 0) GTEST_SKIP() << "root can write every file";
    const two_contenders those;
    ASSERT_EQ(those.loopbench(those.update).code, 0);
    std::filesystem::remove_all(those.loopbench.out());
    std::filesystem::permissions(those.file, std::filesystem::perms::owner_read);
    const auto ran = those.loopbench(those.update);
    EXPECT_EQ(ran.code, 1) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "writable");
    EXPECT_FALSE(std::filesystem::exists(those.loopbench.out()));
}

// Threads

struct threaded_program {
    const char* report;
    const char* how;
    std::vector<const char*> sequential;  // benchmarks with several threads
    std::vector<const char*> other = {};
};

void PrintTo(const threaded_program& row, std::ostream* out) {
    *out << row.report;
}

const threaded_program threaded_programs[] = {
    {"google/benchmark#769: Threads(2)", "two", {"computes/threads:2"}},
    {"google/benchmark#429: ThreadRange(1, 4)",
     "range",
     {"computes/threads:2", "computes/threads:4"},
     {"computes/threads:1"}},
    {"google/benchmark#185: ThreadPerCpu()", "per cpu", {}},
    {"google/benchmark#1835: more threads than CPUs", "crowd", {}},
    {"KeithJH/kinematics-demo#1: counters of two threads, in real time",
     "real time",
     {"computes/real_time/threads:2"}},
    {"google/benchmark#970: MeasureProcessCPUTime() and UseRealTime()",
     "process time",
     {"computes/process_time/real_time/threads:3"}},
    {"google/benchmark#330: Threads(1)", "one", {}, {"computes/threads:1"}},
    {"google/benchmark#1604: only aggregates", "repeated", {"computes/repeats:3/threads:2"}},
    {"google/benchmark#1752: repetitions of some iterations",
     "iterations",
     {"computes/iterations:5/repeats:2/threads:2"}},
    {"google/benchmark#674: an argument with the name threads", "argument", {"computes/threads:8/real_time"}},
    {"google/benchmark#1003: a fixture that threads share", "fixture", {"fixture/shared/threads:2"}},
    {"our own: a benchmark with the name threads:2", "own name", {}, {"threads:2"}},
    {"our own: threads:4 within a name", "name in front", {}, {"threads:4/bytes:64"}},
};

class threads : public testing::TestWithParam<threaded_program> {};

TEST_P(threads, a_benchmark_with_several_threads_runs_sequentially_on_all_cores) {
    const auto& [report, how, sequential, other] = GetParam();
    const loopbench_command loopbench;
    for (const auto* build : {"old", "new"})
        write_script(loopbench.path(build), reported(fmt::format("THREADS='{}'", how)));
    const auto ran = compare(loopbench, {"--blocks", "1", "--pairing", "concurrent"});
    ASSERT_EQ(ran.code, 4) << report << ran.output << ran.error_tail;
    const auto found = loopbench.report();
    std::set<std::string> measured;
    for (const auto& item : found["results"]) measured.insert(item["workload"].get<std::string>());
    ASSERT_FALSE(measured.empty()) << report;
    std::set<std::string> expected(sequential.begin(), sequential.end());
    if (sequential.empty() && other.empty())  // the number of threads depends on the machine
        std::ranges::copy_if(measured, std::inserter(expected, expected.end()),
                             [](const auto& name) { return !name.ends_with("/threads:1"); });
    for (const auto& name : measured) {
        const bool has_threads = expected.contains(name);
        EXPECT_EQ(time_of(found, "new", name)["status"], "ok") << report << name;
        EXPECT_EQ(time_of(found, "new", name)["pairing"], has_threads ? "sequential" : "concurrent")
            << report << name;
        for (const auto& line : journal_lines(loopbench.path("out/journal.jsonl"))) {
            if (!line.contains("block") || line["workload"] != name) continue;
            EXPECT_EQ(line["cpu"].is_null(), has_threads) << report << name;
        }
    }
    for (const auto* name : sequential) EXPECT_TRUE(measured.contains(name)) << report << name;
    for (const auto* name : other) EXPECT_TRUE(measured.contains(name)) << report << name;
    EXPECT_EQ(says(ran.error_tail, "several threads"), !expected.empty()) << ran.error_tail;
}

INSTANTIATE_TEST_SUITE_P(public_reports, threads, testing::ValuesIn(threaded_programs));

struct unnamed_threads {
    const char* report;
    const char* how;
    const char* name;
};

void PrintTo(const unnamed_threads& row, std::ostream* out) {
    *out << row.report;
}

constexpr unnamed_threads programs_with_threads[] = {
    {"google/benchmark#553: a library that starts threads", "unnamed", "starts_threads"},
    {"google/benchmark#170: its own threads, in real time", "unnamed, real time", "starts_threads/real_time"},
    {"google/benchmark#763: OpenMP, and the time of the process", "unnamed, process time",
     "starts_threads/N:1000000/num_threads:2/process_time"},
};

class own_threads : public testing::TestWithParam<unnamed_threads> {};

/// Runs the comparison on one CPU. The threads then take turns, as on a machine whose other cores are busy,
/// and compute no longer than one thread.
TEST_P(own_threads, a_program_that_starts_its_own_threads_runs_sequentially_even_if_it_gets_one_core) {
    const auto& [report, how, name] = GetParam();
    const loopbench_command loopbench;
    for (const auto* build : {"old", "new"})
        write_script(loopbench.path(build), reported(fmt::format("THREADS='{}'", how)));
    cpu_set_t allowed;
    ASSERT_EQ(::sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    std::size_t cpu = 0;
    while (!CPU_ISSET(cpu, &allowed)) ++cpu;
    const auto ran = loopbench.in_shell(
        fmt::format("taskset -c {} $loopbench compare $folder/old $folder/new -o $out --blocks 1", cpu));
    ASSERT_EQ(ran.code, 4) << report << ran.output << ran.error_tail;
    EXPECT_EQ(time_of(loopbench.report(), "new", name)["pairing"], "sequential") << report << ran.error_tail;
}

INSTANTIATE_TEST_SUITE_P(public_reports, own_threads, testing::ValuesIn(programs_with_threads));

}  // namespace

}  // namespace loopbench::tests
