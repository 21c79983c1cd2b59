#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace loopbench::tests {

inline testing::AssertionResult says(std::string_view text, std::string_view part) {
    if (text.find(part) != std::string_view::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "\"" << part << "\" is missing in:\n" << text;
}

template <class error_type, class function>
std::string complaint_of(function act) {
    try {
        act();
    } catch (const error_type& error) {
        return error.what();
    }
    return "";
}

}  // namespace loopbench::tests

#define EXPECT_SAYS(text, part) EXPECT_TRUE(loopbench::tests::says(text, part))
#define ASSERT_SAYS(text, part) ASSERT_TRUE(loopbench::tests::says(text, part))
