// Tests the conversion between workload names and Google Benchmark's names.
#include "bench/harness/trial/gbench_names.hpp"

#include <gtest/gtest.h>
#include <regex.h>

namespace loopbench::tests {

namespace {

using bench::workload_name;

/// Returns true if the filter for `workload` matches the name `printed`. The filter is a POSIX extended
/// regular expression, as in Google Benchmark.
bool filter_takes(const std::string& workload, const std::string& printed) {
    regex_t compiled;
    if (::regcomp(&compiled, bench::exact_filter(workload).c_str(), REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    const bool taken = ::regexec(&compiled, printed.c_str(), 0, nullptr, 0) == 0;
    ::regfree(&compiled);
    return taken;
}

TEST(workload_name, a_workload_name_is_the_printed_name_without_the_suffixes) {
    for (const auto* suffix : {"", "/real_time", "/manual_time", "/process_time", "/process_time/real_time",
                               "/iterations:12", "/repeats:3", "/min_time:0.500", "/min_warmup_time:1.0",
                               "/threads:8", "/min_time:0.1/iterations:5/repeats:2/real_time/threads:4"})
        EXPECT_EQ(workload_name(std::string{"echo/rtt/conns:100"} + suffix), "echo/rtt/conns:100") << suffix;
}

TEST(workload_name, parts_of_a_name_that_only_look_like_a_suffix_are_kept) {
    for (const auto* name : {"timers:100", "yield", "a/real_time/b", "a/threads", "a/threads:",
                             "a/threads:2/conns:1", "a/unreal_time", "a/real_times", "", "/real_time"})
        EXPECT_EQ(workload_name(name), name);
    EXPECT_EQ(workload_name("/real_time/threads:2"), "/real_time") << "the rest must be a name";
}

TEST(listing, each_workload_is_listed_once_in_order) {
    EXPECT_EQ(bench::workloads_from_listing("yield/real_time\r\necho/rtt\n\nyield/real_time"),
              (std::vector<std::string>{"yield/real_time", "echo/rtt"}));
    EXPECT_EQ(bench::workloads_from_listing("b/real_time\na"), (std::vector<std::string>{"b", "a"}));
    EXPECT_TRUE(bench::workloads_from_listing("").empty());
}

TEST(listing, a_suffix_that_distinguishes_two_workloads_is_kept) {
    EXPECT_EQ(bench::workloads_from_listing("post/threads:1\npost/threads:2\nyield/threads:1\n"),
              (std::vector<std::string>{"post/threads:1", "post/threads:2", "yield"}));
}

TEST(exact_filter, the_filter_matches_only_its_own_workload_with_any_suffixes) {
    EXPECT_TRUE(filter_takes("echo/rtt/conns:1", "echo/rtt/conns:1"));
    EXPECT_TRUE(
        filter_takes("echo/rtt/conns:1", "echo/rtt/conns:1/min_time:0.500/process_time/real_time/threads:2"));
    EXPECT_FALSE(filter_takes("echo/rtt/conns:1", "echo/rtt/conns:10"));
    EXPECT_FALSE(filter_takes("echo/rtt/conns:1", "echo/rtt/conns:1/bytes:64"));
    EXPECT_FALSE(filter_takes("echo/rtt/conns:1", "an/echo/rtt/conns:1"));
    EXPECT_TRUE(filter_takes("post/threads:1", "post/threads:1/real_time"));
    EXPECT_FALSE(filter_takes("post/threads:1", "post/threads:2"));
}

TEST(exact_filter, special_characters_of_a_workload_name_match_literally) {
    for (const std::string name :
         {"a.b", "a+b", "f(int)", "v<T*>[3]", "a|b", "^a$", "x{1}", "back\\slash", "q?"}) {
        EXPECT_TRUE(filter_takes(name, name)) << name;
        EXPECT_TRUE(filter_takes(name, name + "/real_time")) << name;
    }
    EXPECT_FALSE(filter_takes("a.b", "axb"));
    EXPECT_FALSE(filter_takes("a|b", "a"));
}

}  // namespace

}  // namespace loopbench::tests
