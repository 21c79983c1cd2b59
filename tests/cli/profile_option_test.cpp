// Tests `loopbench compare --profile`.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/support/command_support.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

/// A replacement of perf. In a record of a base, each 40 operations have a sample in f(), and each 200
/// operations one in g(). In a record of a slower build, g() has nine times as many samples as f(). All
/// records have 300 samples in start().
constexpr auto fake_perf = R"sh(case "$1" in
record)
    while [ "$1" != -- ]; do [ "$1" = -o ] && record=$2; shift; done
    shift
    "$@" 2>"$record.log"; code=$?
    cat "$record.log" >&2
    operations=$(awk '/LOG\(2\): Running/ { sum += $NF } END { print sum + 0 }' "$record.log")
    rm "$record.log"
    case "$1" in *slower*) echo "$((operations / 40)) $((operations * 9 / 40))" ;;
    *) echo "$((operations / 40)) $((operations / 200))" ;; esac > "$record"
    exit $code ;;
script)
    while [ $# -gt 0 ]; do [ "$1" = -i ] && record=$2; shift; done
    awk '{ for (i = 0; i < 300; ++i) print "\t1 start() (/a)\n"
           for (i = 0; i < $1; ++i) print "\t1 f() (/a)\n\t2 main (/a)\n"
           for (i = 0; i < $2; ++i) print "\t1 g() (/a)\n\t2 main (/a)\n" }' "$record" ;;
*) exit 1 ;;
esac
)sh";

/// A program that prints what a Google Benchmark program prints for an operation that takes $time_us on each
/// of two threads, but computes nothing. (The causes of a benchmark with one thread would contain the time
/// that its processes took.)
constexpr auto idle_program = R"sh(name=calls_a_function/threads:2
case "$*" in *--benchmark_list_tests*) echo $name; exit ;; esac
for each; do case "$each" in --benchmark_min_time=*) min_time=${each#*=} ;; --v=2) log=yes ;; esac; done
[ -z "$log" ] || awk -v name=$name -v iterations=$min_time -v time_us=$time_us 'BEGIN {
    print "-->LOG(2): Running " name " for 1"
    iterations = int(iterations * 1e6 / time_us)
    if (iterations > 1) print "-->LOG(2): Running " name " for " iterations }' >&2
echo '{"context": {}, "benchmarks": [{"run_name": "'$name'", "run_type": "iteration", "iterations": 100,
    "real_time": '$time_us', "cpu_time": '$time_us', "time_unit": "us"}]}'
)sh";

class profile_option : public testing::Test {
protected:
    /// Runs `compare --profile` with programs in the test's folder `tools` before all others.
    bench::child_outcome compare(const std::string& base, const std::string& next,
                                 const std::string& more = "") const {
        return loopbench.decided([&] {
            return loopbench.in_shell(fmt::format(
                "PATH=$folder/tools:$PATH exec $loopbench compare {} {} --profile --min-time 1ms --blocks 12 "
                "--workload calls_a_function -o $out {}",
                base, next, more));
        });
    }

    bench::child_outcome compare_planted(const std::string& more = "") const {
        return compare(LOOPBENCH_PLANTED_BASE, LOOPBENCH_PLANTED_SLOWER, more);
    }

    bench::child_outcome compare_idle() {
        const auto with_time = [](const char* us) { return fmt::format("time_us={}\n{}", us, idle_program); };
        return compare(loopbench.add_program("base", with_time("20")),
                       loopbench.add_program("slower", with_time("40")));
    }

    void add_tool(const std::string& name, std::string_view script) {
        fs::create_directories(loopbench.path("tools"));
        loopbench.add_program("tools/" + name, script);
    }

    nlohmann::json cause() const {
        const auto report = loopbench.report();
        EXPECT_TRUE(fits_the_schema(report));
        return report.contains("causes") ? report["causes"][0] : nlohmann::json{};
    }

    loopbench_command loopbench;
};

std::vector<std::string> first_functions(const nlohmann::json& cause) {
    std::vector<std::string> names;
    for (const auto& each : cause.at("profile").at("functions"))
        if (names.size() < 3) names.push_back(each["name"]);
    return names;
}

bool contains_planted_function(const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [](const auto& name) { return says(name, "planted_function"); });
}

TEST_F(profile_option, the_functions_of_both_builds_are_compared) {
    add_tool("perf", fake_perf);
    const auto ran = compare_idle();
    const auto found = cause();
    ASSERT_TRUE(found.contains("profile")) << found << ran.error_tail;
    EXPECT_EQ(found["profile"]["profiler"], "perf");
    const auto& functions = found["profile"]["functions"];
    EXPECT_EQ(functions[0]["name"], "g()");
    double f_pct = 0;
    for (const auto& each : functions)
        if (each["name"] == "f()") f_pct = each["after_pct"];
    EXPECT_NEAR(functions[0]["after_pct"].get<double>() / f_pct, 9, 0.5) << functions;
    for (const auto& each : functions) {
        const double limit_pct = each["name"] == "start()" ? 1 : 100;
        EXPECT_LE(each["after_pct"].get<double>(), limit_pct) << "start-up is subtracted: " << functions;
    }
    EXPECT_EQ(found["profile"]["set_up_included"], false);
    EXPECT_GT(functions[0]["more_ns"].get<double>(), 0);
    EXPECT_SAYS(ran.output, "g()");
    EXPECT_SAYS(content_of(loopbench.path("out/report.html")), "<svg viewBox");
}

TEST_F(profile_option, the_planted_function_is_among_the_first_three_of_callgrind) {
    if (!is_installed("valgrind")) GTEST_SKIP() << "valgrind is not installed";
    add_tool("perf", "exit 1");
    const auto ran = compare_planted("--instructions");
    const auto found = cause();
    ASSERT_TRUE(found.contains("profile")) << found << ran.error_tail;
    EXPECT_EQ(found["profile"]["profiler"], "callgrind");
    EXPECT_TRUE(contains_planted_function(first_functions(found))) << found["profile"]["functions"];
    ASSERT_FALSE(found["changed"].empty()) << found;
    EXPECT_EQ(found["changed"][0]["kind"], "instructions");
}

TEST_F(profile_option, the_planted_function_is_among_the_first_three_of_perf) {
    if (!is_installed("perf")) GTEST_SKIP() << "perf is not installed";
    add_tool("valgrind", "exit 1");
    const auto ran = compare_planted();
    const auto found = cause();
    const auto reasons = found.value("missing", nlohmann::json::array()).dump();
    for (const auto* const part : {"ermission", "paranoid", "not permitted", "not supported"})
        if (!found.contains("profile") && says(reasons.substr(0, reasons.find("; allow profiling")), part))
            GTEST_SKIP() << "perf cannot sample here: " << reasons;
    ASSERT_TRUE(found.contains("profile")) << found << ran.error_tail;
    EXPECT_EQ(found["profile"]["profiler"], "perf");
    EXPECT_TRUE(contains_planted_function(first_functions(found))) << found["profile"]["functions"];
}

TEST_F(profile_option, a_profiler_that_does_not_work_is_named_with_the_remedy) {
    add_tool("perf", "echo 'no permission to sample' >&2; exit 1");
    add_tool("valgrind", "exit 1");
    const auto ran = compare_idle();
    const auto found = cause();
    EXPECT_FALSE(found.contains("profile"));
    for (const auto* part : {"no permission to sample", "perf_event_paranoid"})
        EXPECT_SAYS(found["missing"].dump(), part);
    EXPECT_EQ(ran.output.find("<svg"), std::string::npos);
}

TEST_F(profile_option, perf_downloads_no_debug_information) {
    std::string careful = fake_perf;
    const std::string script = "script)\n";
    careful.replace(careful.find(script), script.size(), "script)\n[ -z \"$DEBUGINFOD_URLS\" ] || exit 1\n");
    add_tool("perf", careful);
    add_tool("valgrind", "exit 1");
    ::setenv("DEBUGINFOD_URLS", "http://127.0.0.1:9", 1);
    compare_idle();
    ::unsetenv("DEBUGINFOD_URLS");
    const auto found = cause();
    EXPECT_TRUE(found.contains("profile")) << found;
}

TEST_F(profile_option, a_failure_of_perf_script_is_reported) {
    std::string broken = fake_perf;
    broken.replace(broken.find("awk '{ for"), 3, "echo 'cannot read it' >&2; exit 3; awk");
    add_tool("perf", broken);
    add_tool("valgrind", "exit 1");
    compare_idle();
    const auto found = cause();
    EXPECT_FALSE(found.contains("profile"));
    for (const auto* part : {"perf script", "cannot read it"}) EXPECT_SAYS(found["missing"].dump(), part);
}

TEST_F(profile_option, too_few_samples_are_not_shown_as_functions) {
    std::string idle = fake_perf;
    const std::string sum = "print sum + 0";
    idle.replace(idle.find(sum), sum.size(), "print 0");
    add_tool("perf", idle);
    add_tool("valgrind", "exit 1");
    compare_idle();
    const auto found = cause();
    EXPECT_FALSE(found.contains("profile")) << found;
    EXPECT_SAYS(found["missing"].dump(), "too few samples");
}

}  // namespace

}  // namespace loopbench::tests
