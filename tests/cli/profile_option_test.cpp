// Tests `loopbench compare --profile`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/command_support.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

/// A replacement of perf. A record of a base has 50 samples in f() and 10 in g(). A record of a slower build
/// has 10 samples in f() and 90 in g().
constexpr auto fake_perf = R"sh(case "$1" in
record)
    while [ "$1" != -- ]; do [ "$1" = -o ] && record=$2; shift; done
    shift
    "$@"; code=$?
    case "$1" in *slower*) echo "10 90" ;; *) echo "50 10" ;; esac > "$record"
    exit $code ;;
script)
    while [ $# -gt 0 ]; do [ "$1" = -i ] && record=$2; shift; done
    read -r f g < "$record"
    i=0; while [ $i -lt $f ]; do printf '\t1 f() (/a)\n\t2 main (/a)\n\n'; i=$((i + 1)); done
    i=0; while [ $i -lt $g ]; do printf '\t1 g() (/a)\n\t2 main (/a)\n\n'; i=$((i + 1)); done ;;
*) exit 1 ;;
esac
)sh";

class profile_option : public testing::Test {
protected:
    /// Runs `compare --profile` with programs in the test's folder `tools` before all others.
    bench::child_outcome compare(const std::string& more = "") const {
        return loopbench.in_shell(fmt::format(
            "PATH=$folder/tools:$PATH exec $loopbench compare {} {} --profile --min-time 1ms --blocks 12 "
            "--workload calls_a_function -o $out {}",
            LOOPBENCH_PLANTED_BASE, LOOPBENCH_PLANTED_SLOWER, more));
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
    const auto ran = compare();
    const auto found = cause();
    ASSERT_TRUE(found.contains("profile")) << found << ran.error_tail;
    EXPECT_EQ(found["profile"]["profiler"], "perf");
    const auto& functions = found["profile"]["functions"];
    ASSERT_EQ(functions.size(), 2U) << found;
    EXPECT_EQ(functions[0]["name"], "g()");
    EXPECT_NEAR(functions[0]["after_pct"].get<double>(), 90, 0.01);
    EXPECT_GT(functions[0]["more_ns"].get<double>(), 0);
    EXPECT_SAYS(ran.output, "g()");
    EXPECT_SAYS(content_of(loopbench.path("out/report.html")), "<svg viewBox");
}

TEST_F(profile_option, the_planted_function_is_among_the_first_three_of_callgrind) {
    if (!is_installed("valgrind")) GTEST_SKIP() << "valgrind is not installed";
    add_tool("perf", "exit 1");
    const auto ran = compare("--instructions");
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
    const auto ran = compare();
    const auto found = cause();
    if (!found.contains("profile")) GTEST_SKIP() << "perf cannot sample here: " << found["missing"];
    EXPECT_EQ(found["profile"]["profiler"], "perf");
    EXPECT_TRUE(contains_planted_function(first_functions(found))) << found["profile"]["functions"];
}

TEST_F(profile_option, a_profiler_that_does_not_work_is_named_with_the_remedy) {
    add_tool("perf", "echo 'no permission to sample' >&2; exit 1");
    add_tool("valgrind", "exit 1");
    const auto ran = compare();
    const auto found = cause();
    EXPECT_FALSE(found.contains("profile"));
    for (const auto* part : {"no permission to sample", "perf_event_paranoid"})
        EXPECT_SAYS(found["missing"].dump(), part);
    EXPECT_EQ(ran.output.find("<svg"), std::string::npos);
}

}  // namespace

}  // namespace loopbench::tests
