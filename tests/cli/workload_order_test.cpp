// The order of workloads in lists and reports.
#include <gtest/gtest.h>

#include "bench/harness/cli/session/contenders.hpp"

namespace loopbench::bench {
namespace {

contender contender_with(std::vector<std::string> workloads) {
    contender made;
    made.name = "any";
    made.workloads = std::move(workloads);
    return made;
}

TEST(workload_order, the_workloads_of_the_suite_come_first_in_the_order_of_its_table) {
    const std::vector<contender> contenders{contender_with({"threads/ping/threads:2", "own/b", "yield"}),
                                            contender_with({"own/a", "sleep/serial", "yield"})};
    const std::vector<std::string> expected{"sleep/serial", "yield", "threads/ping/threads:2", "own/b",
                                            "own/a"};
    EXPECT_EQ(workloads_of(contenders), expected);
}

}  // namespace
}  // namespace loopbench::bench
