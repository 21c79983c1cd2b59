#include <gtest/gtest.h>

#include "bench/harness/cli/session/contenders.hpp"

namespace loopbench::bench {
namespace {

contender listing(std::vector<std::string> workloads) {
    contender made;
    made.workloads = std::move(workloads);
    return made;
}

TEST(workload_order, the_workloads_of_the_suite_come_first_in_the_order_of_its_table) {
    const std::vector<contender> contenders{listing({"threads/ping/threads:2", "own/b", "yield"}),
                                            listing({"own/a", "sleep/serial", "yield"})};
    const std::vector<std::string> expected{"sleep/serial", "yield", "threads/ping/threads:2", "own/b",
                                            "own/a"};
    EXPECT_EQ(workloads_of(contenders), expected);
}

}  // namespace
}  // namespace loopbench::bench
