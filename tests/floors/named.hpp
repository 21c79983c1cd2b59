// Support for tests that run once for each of several named functions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <system_error>

#include "bench/suite/contenders/lacking.hpp"

namespace loopbench::bench::floors {

/// A function and its name, which a failing test prints.
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

/// A test of an object. The test's parameter is the function that creates the object. The test is skipped if
/// the kernel refuses io_uring.
template <class Given>
struct of_kernel : testing::TestWithParam<named<std::unique_ptr<Given>()>> {
    void SetUp() override {
        unless_refused([this] { kernel = this->GetParam().function(); });
    }
    std::unique_ptr<Given> kernel;
};

}  // namespace loopbench::bench::floors
