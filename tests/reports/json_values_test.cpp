// A report of more values than memory is meant for. Not built with a sanitizer, where it takes a minute.
#include <gtest/gtest.h>

#include <string>

#include "reports/json/json.hpp"
#include "reports/json/json_node.hpp"

namespace loopbench::tests {

TEST(json_read, what_would_fill_the_memory_is_refused) {
    std::string values{"{\"x\": ["};
    for (std::size_t i = 0; i < reports::json_values_max; ++i) values += "0,";
    try {
        reports::read_json(values + "0]}", "report.json");
        FAIL() << "it was read";
    } catch (const reports::format_error& error) {
        EXPECT_NE(std::string{error.what()}.find("more than 10000000 values"), std::string::npos)
            << error.what();
    }
}

}  // namespace loopbench::tests
