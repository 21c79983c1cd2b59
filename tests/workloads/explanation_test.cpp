// No name may be listed without an explanation, and none explained that is not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "bench/catalog.hpp"
#include "bench/explanations.hpp"
#include "bench/workloads/table.hpp"
#include "reports/metrics.hpp"

namespace loopbench::bench {
namespace {

TEST(explanations, there_is_one_of_every_contender_that_is_built) {
    std::istringstream names{LOOPBENCH_CONTENDERS};
    std::size_t count = 0;
    for (std::string name; names >> name; ++count)
        EXPECT_GT(explanation_of(contender_explanations(), name).size(), 10u) << name;
    EXPECT_GT(count, 9u);
}

TEST(explanations, there_is_one_of_every_metric_and_of_no_other) {
    for (const auto& metric : reports::known_metrics())
        EXPECT_GT(explanation_of(metric_explanations(), metric.name).size(), 10u) << metric.name;
    for (const auto& each : metric_explanations())
        EXPECT_NE(reports::find_metric(each.name), nullptr) << each.name;
}

TEST(explanations, there_is_one_of_every_parameter_and_of_no_other) {
    std::set<std::string, std::less<>> keys;
    for (const workload_shape& shape : workload_table())
        for (std::size_t colon = shape.name.find(':'); colon != std::string_view::npos;
             colon = shape.name.find(':', colon + 1)) {
            const auto front = shape.name.substr(0, colon);
            keys.emplace(front.substr(front.rfind('/') + 1));
        }
    for (const auto& key : keys) EXPECT_GT(explanation_of(parameter_explanations(), key).size(), 10u) << key;
    for (const auto& each : parameter_explanations()) EXPECT_TRUE(keys.contains(each.name)) << each.name;
}

TEST(explanations, every_workload_is_about_metrics_that_there_are) {
    for (const auto& info : workload_catalog()) {
        EXPECT_FALSE(info.headline_metrics.empty()) << info.name;
        for (const auto metric : info.headline_metrics)
            EXPECT_NE(reports::find_metric(metric), nullptr) << metric << " of " << info.name;
    }
}

TEST(explanations, have_a_name_once) {
    for (const auto all : {contender_explanations(), metric_explanations()}) {
        std::set<std::string_view> names;
        for (const auto& each : all) EXPECT_TRUE(names.insert(each.name).second) << each.name;
    }
}

}  // namespace
}  // namespace loopbench::bench
