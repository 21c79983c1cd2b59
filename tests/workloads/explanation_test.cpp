// Tests that every contender, metric and workload parameter has an explanation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "bench/catalog/explanations.hpp"
#include "bench/catalog/workload_table.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {
namespace {

TEST(explanations, every_built_contender_has_an_explanation) {
    std::istringstream names{LOOPBENCH_CONTENDERS};
    std::size_t count = 0;
    for (std::string name; names >> name; ++count) EXPECT_NE(explanation_of(name), nullptr) << name;
    EXPECT_GT(count, 9u);
}

TEST(explanations, every_metric_has_an_explanation) {
    for (const auto& metric : reports::known_metrics()) EXPECT_GT(metric.how.size(), 10u) << metric.name;
}

TEST(explanations, each_workload_parameter_has_an_explanation_and_each_explanation_has_a_parameter) {
    std::set<std::string, std::less<>> keys;
    for (const workload_shape& shape : workload_table())
        for (std::size_t colon = shape.name.find(':'); colon != std::string_view::npos;
             colon = shape.name.find(':', colon + 1)) {
            const auto front = shape.name.substr(0, colon);
            keys.emplace(front.substr(front.rfind('/') + 1));
        }
    std::set<std::string, std::less<>> explained;
    for (const auto& each : parameter_explanations()) explained.emplace(each.name);
    EXPECT_EQ(explained, keys);
}

TEST(explanations, the_primary_metrics_of_every_workload_exist) {
    for (const auto& info : workload_catalog()) {
        EXPECT_FALSE(info.primary_metrics.empty()) << info.name;
        for (const auto metric : info.primary_metrics)
            EXPECT_NE(reports::find_metric(metric), nullptr) << metric << " of " << info.name;
    }
}

TEST(explanations, every_contender_is_explained_once) {
    std::set<std::string_view> names;
    for (const auto& each : contender_explanations())
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
}

}  // namespace
}  // namespace loopbench::bench
