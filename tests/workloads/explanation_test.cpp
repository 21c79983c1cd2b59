// No name may be listed without an explanation, and none explained that is not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "bench/explanations.hpp"
#include "reports/metrics.hpp"

namespace loopbench::bench {
namespace {

TEST(explanations, there_is_one_of_every_contender_that_is_built) {
    std::istringstream names{LOOPBENCH_CONTENDERS};
    std::size_t count = 0;
    for (std::string name; names >> name; ++count) EXPECT_NE(explanation_of(name), nullptr) << name;
    EXPECT_GT(count, 9u);
}

TEST(explanations, there_is_one_of_every_metric) {
    for (const auto& metric : reports::known_metrics()) EXPECT_GT(metric.how.size(), 10u) << metric.name;
}

TEST(explanations, have_a_name_once) {
    std::set<std::string_view> names;
    for (const auto& each : contender_explanations())
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
}

}  // namespace
}  // namespace loopbench::bench
