#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <system_error>

#include "bench/suite/contenders/lacking.hpp"

namespace loopbench::bench::floors {

template <class Function>
struct named {
    const char* name;
    Function* function;

    friend void PrintTo(const named& each, std::ostream* out) { *out << each.name; }
};

inline constexpr auto name_of = [](const auto& test) { return test.param.name; };

/// Calls `act()`. Skips the test if `act()` throws an error because the kernel refuses io_uring.
template <class Function>
void unless_refused(Function act) {
    try {
        act();
    } catch (const std::system_error& error) {
        if (!kernel_refuses(error.code())) throw;
        GTEST_SKIP() << error.what();
    }
}

template <class Given>
struct of_kernel : testing::TestWithParam<named<std::unique_ptr<Given>()>> {
    void SetUp() override {
        unless_refused([this] { kernel = this->GetParam().function(); });
    }
    std::unique_ptr<Given> kernel;
};

}  // namespace loopbench::bench::floors
