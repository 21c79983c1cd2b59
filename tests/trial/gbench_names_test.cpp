// Tests the conversion between workload names and Google Benchmark's names.
#include "bench/harness/trial/gbench_names.hpp"

#include <gtest/gtest.h>
#include <regex.h>

#include <regex>

#include "bench/harness/trial/listing.hpp"

namespace loopbench::tests {

namespace {

using bench::workload_name;

bool matches(const std::string& filter, const std::string& printed) {
    regex_t compiled;
    if (::regcomp(&compiled, filter.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
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

TEST(workload_name, a_workload_of_the_catalog_keeps_its_number_of_threads) {
    for (const std::string name : {"threads/ping/threads:2", "threads/post/stay/chains:64/threads:32"}) {
        EXPECT_EQ(workload_name(name + "/iterations:1/manual_time"), name);
        EXPECT_EQ(workload_name(name + "/threads:3"), name) << "a suffix of Google Benchmark";
        EXPECT_TRUE(matches(bench::filter_with_any_suffix(name), name + "/manual_time"));
    }
    EXPECT_EQ(workload_name("threads/ping/threads:7"), "threads/ping") << "not in the catalog";
}

std::vector<std::string> workloads_in(const std::string& listing) {
    std::vector<std::string> all;
    for (const auto& each : bench::benchmarks_named(bench::lines_of(listing))) all.push_back(each.workload);
    return all;
}

TEST(listing, a_workload_of_the_catalog_has_its_name_without_suffixes) {
    EXPECT_EQ(workloads_in("yield/iterations:12\r\nsleep/serial/iterations:1/manual_time\n\n"),
              (std::vector<std::string>{"yield", "sleep/serial"}));
    EXPECT_TRUE(workloads_in("").empty());
}

// In an older version, `lookup/iterations:50` and `lookup` had the same result. Many programs register a
// benchmark twice, with different numbers of iterations or threads.
TEST(listing, a_benchmark_of_another_program_keeps_its_suffixes) {
    EXPECT_EQ(workloads_in("lookup/iterations:50\nlookup\npush/threads:2/real_time\nyield/threads:1\nyield"),
              (std::vector<std::string>{"lookup/iterations:50", "lookup", "push/threads:2/real_time",
                                        "yield/threads:1", "yield"}));
}

TEST(listing, benchmarks_with_equal_names_are_numbered) {
    EXPECT_EQ(bench::benchmarks_named({"push", "pop", "push"}),
              (std::vector<bench::listed_benchmark>{
                  {"push/#1/2", "push", 0, 2}, {"pop", "pop"}, {"push/#2/2", "push", 1, 2}}));
}

TEST(listing, equal_names_with_suffixes_are_numbered_also_if_they_are_names_of_the_catalog) {
    EXPECT_EQ(bench::benchmarks_named({"yield/real_time", "yield/real_time"}),
              (std::vector<bench::listed_benchmark>{{"yield/#1/2", "yield/real_time", 0, 2},
                                                    {"yield/#2/2", "yield/real_time", 1, 2}}));
}

TEST(listing, numbered_names_differ_from_all_printed_names) {
    EXPECT_EQ(workloads_in("x\nx\nx/#1/2\n"), (std::vector<std::string>{"x/##1/2", "x/#2/2", "x/#1/2"}));
    EXPECT_EQ(workloads_in("x\nx\nx#1\n"), (std::vector<std::string>{"x/#1/2", "x/#2/2", "x#1"}))
        << "a filter can hide other names, which must not change the numbered ones";
}

TEST(listing, the_number_of_threads_is_part_of_the_name) {
    EXPECT_EQ(bench::threads_of("push/threads:2/real_time"), 2);
    EXPECT_EQ(bench::threads_of("push/min_time:0.1/threads:16"), 16);
    for (const auto* name : {"push", "push/threads:1", "push/threads:2/size:4", "push/threads:"})
        EXPECT_EQ(bench::threads_of(name), 1) << name;
}

TEST(listing_filter, the_selected_benchmarks_and_all_their_variants_are_listed) {
    const auto lists = [](std::vector<std::string> patterns, const std::string& name) {
        const auto filter = bench::listing_filter(patterns);
        return filter.empty() || std::regex_search(name, std::regex{filter, std::regex::extended});
    };
    EXPECT_TRUE(lists({"lookup"}, "lookup/iterations:50"));
    EXPECT_TRUE(lists({"lookup/iterations:50"}, "lookup")) << "the two are variants of one benchmark";
    EXPECT_TRUE(lists({"lookup/iter*"}, "lookup/threads:2"));
    EXPECT_TRUE(lists({"lookup/*"}, "lookup"));
    EXPECT_TRUE(lists({"sort<int>(a)/#2"}, "sort<int>(a)"));
    EXPECT_TRUE(lists({"*/64"}, "anything/64"));
    EXPECT_TRUE(lists({}, "anything"));
    EXPECT_FALSE(lists({"family/case12?", "lookup"}, "family/case345"));
    EXPECT_FALSE(lists({"lookup"}, "another/lookup"));
    EXPECT_TRUE(bench::listing_filter(std::vector<std::string>(9'000, "family/case12")).empty())
        << "an argument of a process cannot be longer than 128 KiB";
}

TEST(exact_filter, the_filter_matches_only_the_given_printed_name) {
    EXPECT_TRUE(matches(bench::exact_filter("lookup"), "lookup"));
    EXPECT_FALSE(matches(bench::exact_filter("lookup"), "lookup/iterations:50"));
    EXPECT_FALSE(matches(bench::exact_filter("lookup"), "a_lookup"));
    EXPECT_FALSE(matches(bench::exact_filter("a/1"), "a/10"));
}

TEST(filter_with_any_suffix, the_filter_matches_only_the_given_workload_with_any_suffixes) {
    const auto filter = bench::filter_with_any_suffix("echo/rtt/conns:1");
    EXPECT_TRUE(matches(filter, "echo/rtt/conns:1"));
    EXPECT_TRUE(matches(filter, "echo/rtt/conns:1/min_time:0.500/process_time/real_time/threads:2"));
    EXPECT_FALSE(matches(filter, "echo/rtt/conns:10"));
    EXPECT_FALSE(matches(filter, "echo/rtt/conns:1/bytes:64"));
    EXPECT_FALSE(matches(filter, "an/echo/rtt/conns:1"));
}

TEST(exact_filter, special_characters_of_a_workload_name_are_matched_literally) {
    for (const std::string name :
         {"a.b", "a+b", "f(int)", "v<T*>[3]", "a|b", "^a$", "x{1}", "back\\slash", "q?"}) {
        EXPECT_TRUE(matches(bench::exact_filter(name), name)) << name;
        EXPECT_TRUE(matches(bench::filter_with_any_suffix(name), name + "/real_time")) << name;
    }
    EXPECT_FALSE(matches(bench::exact_filter("a.b"), "axb"));
    EXPECT_FALSE(matches(bench::exact_filter("a|b"), "a"));
}

}  // namespace

}  // namespace loopbench::tests
