// Tests the names that `loopbench compare` gives the two compared programs. Older versions always named them
// `base` and `next`.
#include "bench/harness/cli/session/program_names.hpp"

#include <gtest/gtest.h>

namespace loopbench::tests {

namespace {

using named = std::pair<std::string, std::string>;

TEST(program_names, programs_with_different_file_names_are_called_by_these_names) {
    EXPECT_EQ(bench::program_names("./old", "build/new"), named("old", "new"));
}

TEST(program_names, programs_with_equal_file_names_are_called_by_the_shortest_path_ends_that_differ) {
    EXPECT_EQ(bench::program_names("build-a/bench", "build-b/bench"),
              named("build-a/bench", "build-b/bench"));
    EXPECT_EQ(bench::program_names("/x/a/bin/bench", "/x/b/bin/../bin/bench"),
              named("a/bin/bench", "b/bin/bench"));
    EXPECT_EQ(bench::program_names("/bench", "/build/bench"), named("bench", "build/bench"));
    EXPECT_EQ(bench::program_names("/a/layouts/", "/b/layouts"), named("a/layouts", "b/layouts"));
}

TEST(program_names, a_program_that_is_compared_with_itself_is_called_new_the_second_time) {
    EXPECT_EQ(bench::program_names("./bench", "bench"), named("bench", "bench (new)"));
}

TEST(program_names, the_middle_of_a_long_name_is_left_out) {
    EXPECT_EQ(bench::program_names("/work/base/build/release/bin/layouts/loop-epoll",
                                   "/work/head/build/release/bin/layouts/loop-epoll"),
              named("base/.../loop-epoll", "head/.../loop-epoll"));
    const auto [one, other] =
        bench::program_names("/x/a-long-folder/another-long-folder/and-a-third/bench",
                             "/x/x/a-long-folder/another-long-folder/and-a-third/bench");
    EXPECT_NE(one, other);
}

TEST(program_names, program_names_are_valid_utf8) {
    EXPECT_EQ(bench::program_names("\xff", "\xfe"), named("\uFFFD", "\uFFFD (new)"));
}

}  // namespace

}  // namespace loopbench::tests
