// Tests the patterns that select names, and the suggestions for mistyped names.
#include "bench/harness/experiment/selection.hpp"

#include <gtest/gtest.h>

#include "bench/catalog/explanations.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using names = std::vector<std::string>;

const names workloads{"echo/rtt/tcp/conns:1", "echo/rtt/unix/conns:1", "yield", "gather/yield/children:10"};

std::string selection_complaint(const names& patterns) {
    return complaint_of<bench::usage_error>([&] { bench::select(workloads, patterns, "workload"); });
}

TEST(selection, a_pattern_matches_a_whole_name_or_its_first_parts) {
    EXPECT_TRUE(bench::matches("echo", "echo/rtt/tcp"));
    EXPECT_TRUE(bench::matches("echo/rtt", "echo/rtt/tcp"));
    EXPECT_TRUE(bench::matches("echo/*/tcp", "echo/rtt/x/tcp"));
    EXPECT_TRUE(bench::matches("*tcp", "echo/rtt/tcp"));
    EXPECT_TRUE(bench::matches("loop-[ae]*", "loop-epoll"));
    EXPECT_TRUE(bench::matches("sort<int[3]>", "sort<int[3]>"));
    EXPECT_TRUE(bench::matches("echo/", "echo/rtt/tcp")) << "a slash at the end is ignored";
    EXPECT_TRUE(bench::matches("echo/rtt/tcp/", "echo/rtt/tcp"));
    EXPECT_FALSE(bench::matches("/", "echo/rtt/tcp"));
    EXPECT_FALSE(bench::matches("ech", "echo/rtt/tcp"));
    EXPECT_FALSE(bench::matches("rtt", "echo/rtt/tcp"));
    EXPECT_FALSE(bench::matches("yield", "gather/yield"));
}

TEST(selection, selected_names_keep_the_order_of_the_list_and_occur_only_once) {
    EXPECT_EQ(bench::select(workloads, names{"yield", "echo", "*conns:1"}, "workload"),
              (names{workloads[0], workloads[1], workloads[2]}));
    EXPECT_EQ(bench::select(workloads, {}, "workload"), workloads);
}

TEST(selection, a_pattern_without_a_match_causes_an_error_with_the_nearest_names) {
    const auto text = selection_complaint({"yield", "ecoh"});
    EXPECT_SAYS(text, "no workload matches \"ecoh\"; did you mean echo or ");
    EXPECT_SAYS(selection_complaint({"gather/yeild"}), "did you mean gather/yield or");
}

TEST(selection, the_quick_option_measures_the_tutorial_designs_the_flagships_asio_and_the_floors) {
    for (const auto* name : {"loop-round-robin", "loop-tick", "loop-layered", "loop-scheduler",
                             "loop-asyncio", "loop-epoll", "loop-uring", "asio-epoll", "asio-tuned",
                             "floor-blocking", "floor-epoll", "floor-uring", "floor-sleep", "third-party"})
        EXPECT_TRUE(bench::is_headline_contender(name)) << name;
    for (const auto* name :
         {"loop-poll", "loop-precise", "asio-uring", "asio-select", "asio-nothreads", "asio-on-epoll",
          "asio-on-uring", "libuv", "libevent", "asyncio", "asyncio-uvloop"})
        EXPECT_FALSE(bench::is_headline_contender(name)) << name;
}

TEST(selection, a_suggested_name_can_be_longer_than_the_typed_word) {
    EXPECT_EQ(bench::nearest("asoi", names{"crash", "gb", "asio-epoll", "loop-epoll"}, 1),
              names{"asio-epoll"});
    EXPECT_EQ(bench::nearest("--blcoks", names{"--budget", "--blocks", "--baseline"}, 1), names{"--blocks"});
    EXPECT_EQ(bench::nearest("xy", names{"xa", "xb"}, 5).size(), 2U);
}

TEST(selection, names_unlike_the_typed_word_are_not_suggested) {
    for (const auto* word : {"", "x", "zzz", "qqqqqqqqqq"})
        EXPECT_TRUE(bench::nearest(word, names{"yield", "echo", "--blocks"}).empty()) << word;
    const auto text = selection_complaint({"zzzz"});
    EXPECT_EQ(text.find("did you mean"), std::string::npos) << text;
    EXPECT_SAYS(text, "`loopbench list`");
}

TEST(selection, a_message_contains_the_first_names_and_the_number_of_the_others) {
    names known{"parse"};
    EXPECT_EQ(bench::first_names(known), "parse");
    known.insert(known.end(), {"sort", "search"});
    EXPECT_EQ(bench::first_names(known), "parse, sort, search");
    known.insert(known.end(), 1000, "other");
    EXPECT_EQ(bench::first_names(known), "parse, sort, search and 1000 more");
}

}  // namespace

}  // namespace loopbench::tests
