// Tests the real command on contenders that were built with different settings.
#include <gtest/gtest.h>

#include "tests/support/command_support.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

std::string sheet_of(const std::string& build_type, const std::string& no_delay) {
    return R"(, "build_type": ")" + build_type +
           R"(", "socket_options": "client TCP_NODELAY=1; server TCP_NODELAY=)" + no_delay + "\"";
}

class build_comparison_command : public testing::Test {
protected:
    build_comparison_command() { loopbench.add_contender("asio-epoll", good_row, sheet_of("Release", "1")); }

    bool was_measured(const std::string& name) const {
        return std::filesystem::exists(loopbench.path("bin/contenders/" + name + ".trials"));
    }

    loopbench_command loopbench;
};

TEST_F(build_comparison_command, a_debug_build_among_release_builds_is_refused_before_the_measurement) {
    loopbench.add_contender("mine", good_row, sheet_of("Debug", "1"));
    const auto ran = loopbench({"run", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "Release (asio-epoll); Debug (mine)");
    for (const auto* remedy : {"-DCMAKE_BUILD_TYPE=Release", "--contender"})
        EXPECT_SAYS(ran.error_tail, remedy);
    EXPECT_FALSE(was_measured("asio-epoll"));
    EXPECT_FALSE(was_measured("mine"));
    EXPECT_FALSE(std::filesystem::exists(loopbench.out()));
}

TEST_F(build_comparison_command, an_unselected_debug_build_is_ignored) {
    loopbench.add_contender("mine", good_row, sheet_of("Debug", "1"));
    const auto ran = loopbench({"run", "--contender", "asio-epoll", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
}

TEST_F(build_comparison_command, contenders_with_different_socket_options_cause_a_warning) {
    loopbench.add_contender("mine", good_row, sheet_of("Release", "0"));
    const auto ran = loopbench({"run", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto report = loopbench.report();
    EXPECT_TRUE(fits_the_schema(report));
    std::string message;
    for (const auto& warning : report["warnings"])
        if (warning["code"] == "different_socket_options") message = warning["message"];
    EXPECT_EQ(message,
              "the contenders differ in their TCP_NODELAY: client 1, server 1 (asio-epoll); client 1, server "
              "0 (mine)");
    EXPECT_EQ(report["contenders"][1]["socket_options"], "client TCP_NODELAY=1; server TCP_NODELAY=0");
    EXPECT_SAYS(ran.error_tail, "TCP_NODELAY");
}

TEST_F(build_comparison_command,
       the_build_type_of_a_program_that_cannot_describe_itself_comes_from_a_short_run) {
    write_script(loopbench.path("bin/contenders/theirs"), R"sh(
[ "$1" = --benchmark_list_tests=true ] && { echo yield/real_time; exit; }
echo "$LOOPBENCH_SIZE $3" >> "$0.trials"
echo '{"context": {"build_type": "Debug"}, "benchmarks": [{"run_name": "yield", "real_time": 1}]}'
)sh");
    const auto ran = loopbench({"run", "--workload", "yield", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "Debug (theirs)");
    EXPECT_EQ(content_of(loopbench.path("bin/contenders/theirs.trials")),
              "small --benchmark_min_time=0.001\n");
}

// With a short budget, a contender has little time to describe itself.
TEST_F(build_comparison_command, a_debug_build_without_a_description_is_refused_after_its_first_trial) {
    write_script(loopbench.path("bin/contenders/mine"), R"sh(
[ -z "$LOOPBENCH_DESCRIBE" ] || exec sleep 600
case "$*" in
*--benchmark_list_tests*) echo yield/real_time ;;
*--benchmark_min_time=0.001*) exec sleep 600 ;;
*) echo '{"context": {"build_type": "Debug"}, "benchmarks": [{"run_name": "yield", "real_time": 10}]}' ;;
esac
)sh");
    const auto ran =
        loopbench({"run", "--workload", "yield", "--blocks", "6", "--budget", "10s", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 2) << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "Debug (mine)");
}

TEST_F(build_comparison_command, different_builds_of_google_benchmark_cause_a_warning) {
    loopbench.add_contender("asio-epoll", good_row, R"(, "library_build_type": "release")");
    loopbench.add_contender("mine", good_row, R"(, "library_build_type": "debug")");
    const auto ran = loopbench({"run", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto report = loopbench.report();
    std::string message;
    for (const auto& warning : report["warnings"])
        if (warning["code"] == "different_library_build_type") message = warning["message"];
    EXPECT_SAYS(message, "release (asio-epoll); debug (mine)");
}

TEST_F(build_comparison_command,
       the_list_command_shows_the_build_description_of_each_contender_without_measuring) {
    const auto listed = nlohmann::json::parse(loopbench({"list", "--json"}).output);
    EXPECT_EQ(listed["contenders"][0]["context"]["build_type"], "Release");
    EXPECT_FALSE(was_measured("asio-epoll"));
}

}  // namespace

}  // namespace loopbench::tests
