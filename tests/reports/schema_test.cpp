// Tests that the reports that loopbench writes fit report.schema.json, and that other JSON texts do not.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/model/json.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

nlohmann::json sample_report_json() {
    return nlohmann::json::parse(reports::write_json(sample_report()));
}

TEST(schema, a_report_with_every_feature_fits_the_schema) {
    EXPECT_TRUE(fits_the_schema(sample_report_json()));
}

TEST(schema, the_schema_requires_every_field_of_a_report) {
    const auto keys = sample_report_json();
    for (const auto& [key, value] : keys.items()) {
        auto document = sample_report_json();
        document.erase(key);
        EXPECT_FALSE(fits_the_schema(document)) << key;
    }
}

TEST(schema, the_schema_requires_every_field_of_a_result) {
    const auto keys = sample_report_json()["results"][0];
    for (const auto& [key, value] : keys.items()) {
        auto document = sample_report_json();
        document["results"][0].erase(key);
        EXPECT_FALSE(fits_the_schema(document)) << key;
    }
}

TEST(schema, the_schema_requires_every_field_of_a_multiple_of_the_floor) {
    for (const auto* key : {"floor", "median", "low", "high"}) {
        auto document = sample_report_json();
        document["results"][2]["times_floor"].erase(key);
        EXPECT_FALSE(fits_the_schema(document)) << key;
    }
}

TEST(schema, a_report_with_an_unknown_status_or_format_does_not_fit_the_schema) {
    auto document = sample_report_json();
    document["results"][0]["status"] = "fine";
    EXPECT_FALSE(fits_the_schema(document));
    document = sample_report_json();
    document["schema"] = "loopbench-report/3";
    EXPECT_FALSE(fits_the_schema(document));
}

}  // namespace

}  // namespace loopbench::tests
