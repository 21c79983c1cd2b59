// Tests the limit of values in a JSON text. Sanitizer builds leave this test out, because it would take a
// minute.
#include <gtest/gtest.h>

#include <string>

#include "reports/base/json_node.hpp"
#include "reports/model/json.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

TEST(json_read, a_text_with_too_many_values_is_refused) {
    std::string values{"{\"x\": ["};
    for (std::size_t i = 0; i < reports::json_values_max; ++i) values += "0,";
    EXPECT_SAYS(
        complaint_of<reports::format_error>([&] { reports::read_json(values + "0]}", "report.json"); }),
        "more than 10000000 values");
}

}  // namespace loopbench::tests
