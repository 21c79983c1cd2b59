#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "loop/designs.hpp"
#include "loop/io/drivers.hpp"
#include "running_program.hpp"

namespace loopbench::tests {

inline std::vector<std::string> design_names() {
    std::vector<std::string> names;
    for (const loop::design& each : loop::designs()) names.emplace_back(each.name);
    return names;
}

inline bool is_refused(const std::string& design) {
    return design == "loop-uring" && !loop::io_uring_refusal().empty();
}

/// Replaces all characters except letters and digits by `_`, because a test's name cannot contain other
/// characters.
inline std::string word(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
        '_');
    return text;
}

class on_every_design : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (is_refused(GetParam())) GTEST_SKIP() << loop::io_uring_refusal();
    }

    std::vector<std::string> on_this_design(std::vector<std::string> arguments = {}) const {
        arguments.insert(arguments.end(), {"--design", GetParam()});
        return arguments;
    }
    std::vector<std::string> in_virtual_time(std::vector<std::string> arguments = {}) const {
        arguments.emplace_back("--virtual-time");
        return on_this_design(std::move(arguments));
    }
};

inline std::string design_of(const testing::TestParamInfo<std::string>& test) {
    return "on_" + word(test.param);
}

}  // namespace loopbench::tests
