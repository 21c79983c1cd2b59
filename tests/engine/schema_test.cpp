// report.schema.json describes what is really written, and refuses what is not a report.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/json.hpp"
#include "sample_report.hpp"
#include "schema_check.hpp"

namespace loopbench::tests {

namespace {

nlohmann::json sample_document() {
    return nlohmann::json::parse(reports::write_json(sample_report()));
}

TEST(schema, a_report_with_something_of_everything_fits) {
    EXPECT_TRUE(fits_the_schema(sample_document()));
}

TEST(schema, every_field_of_a_report_is_required) {
    const auto keys = sample_document();
    for (const auto& [key, value] : keys.items()) {
        auto document = sample_document();
        document.erase(key);
        EXPECT_FALSE(fits_the_schema(document)) << key;
    }
}

TEST(schema, every_field_of_a_result_is_required) {
    const auto keys = sample_document()["results"][0];
    for (const auto& [key, value] : keys.items()) {
        auto document = sample_document();
        document["results"][0].erase(key);
        EXPECT_FALSE(fits_the_schema(document)) << key;
    }
}

TEST(schema, an_unknown_status_or_schema_does_not_fit) {
    auto document = sample_document();
    document["results"][0]["status"] = "fine";
    EXPECT_FALSE(fits_the_schema(document));
    document = sample_document();
    document["schema"] = "loopbench/2";
    EXPECT_FALSE(fits_the_schema(document));
}

}  // namespace

}  // namespace loopbench::tests
