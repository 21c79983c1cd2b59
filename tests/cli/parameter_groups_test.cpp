// Tests the patterns of `loopbench list`, and that each workload with sequential trials has a reason for this
// pairing.
#include "bench/harness/cli/parameter_groups.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bench/catalog/pairing_reasons.hpp"
#include "bench/catalog/workload_table.hpp"
#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

using name_list = std::vector<std::string>;

name_list patterns_of(const name_list& workloads) {
    name_list all;
    for (const auto& group : bench::grouped_by_parameters(workloads)) all.push_back(group.pattern);
    return all;
}

TEST(parameter_groups, names_with_all_combinations_of_their_values_become_one_pattern) {
    EXPECT_EQ(
        patterns_of({"e/conns:1/bytes:64", "e/conns:9/bytes:64", "e/conns:1/bytes:8", "e/conns:9/bytes:8"}),
        name_list{"e/conns:{1,9}/bytes:{64,8}"});
    EXPECT_EQ(patterns_of({"one/us:10"}), name_list{"one/us:10"});
}

TEST(parameter_groups, names_are_not_grouped_if_a_combination_of_their_values_is_missing) {
    const name_list three{"e/conns:1/bytes:64", "e/conns:9/bytes:64", "e/conns:1/bytes:8"};
    EXPECT_EQ(patterns_of(three), three);
}

TEST(parameter_groups, names_with_different_words_or_keys_are_not_grouped) {
    EXPECT_EQ(patterns_of({"s/load:25", "s/rate:9", "s/load:50", "sort/8", "sort/16", "t:/1", ":x", ""}),
              (name_list{"s/load:{25,50}", "s/rate:9", "sort/8", "sort/16", "t:/1", ":x", ""}));
}

TEST(parameter_groups, list_shows_the_nine_echoes_in_one_line) {
    loopbench_command loopbench;
    for (const auto* bytes : {"64", "1024", "16384"})
        for (const auto* conns : {"1", "100", "1000"})
            loopbench.add_contender_of(std::string{"echo/rtt/tcp/conns:"} + conns + "/bytes:" + bytes,
                                       std::string{"c"} + conns + "-" + bytes, good_row);
    loopbench.add_contender_of("yield", "loop-epoll", good_row);
    const auto text = loopbench({"list"}).output;
    EXPECT_SAYS(text, "* echo/rtt/tcp/conns:{1,100,1000}/bytes:{");
    EXPECT_FALSE(says(text, "conns:100/")) << text;
    EXPECT_SAYS(text, "The flagship on epoll: ") << "a contender's explanation";
    const auto listed = nlohmann::json::parse(loopbench({"list", "--json"}).output);
    EXPECT_EQ(listed["workloads"].size(), 10U) << "only the text is grouped";
}

TEST(pairing_reasons, exactly_the_sequential_workloads_have_a_reason_for_their_pairing) {
    for (const auto& shape : bench::workload_table())
        for (const bool of_one_program : {false, true})
            EXPECT_EQ(shape.pairing_of_trials(of_one_program) == reports::pairing::sequential,
                      !bench::why_sequential(shape, of_one_program).empty())
                << shape.name;
}

TEST(pairing_reasons, each_workload_has_its_own_reason_for_sequential_trials) {
    const auto why = [](std::string_view name) {
        return std::string{bench::why_sequential(*bench::find_shape(name), false)};
    };
    EXPECT_SAYS(why("yield"), "system calls");
    EXPECT_SAYS(why("echo/rtt/tcp/conns:1000/bytes:64"), "TCP");
    EXPECT_FALSE(says(why("echo/rtt/unix/conns:1000/bytes:64"), "TCP"));
    EXPECT_SAYS(why("post/cross_thread/cores:2"), "thread");
    EXPECT_SAYS(why("sleep/serial"), "waits");
}

}  // namespace

}  // namespace loopbench::tests
