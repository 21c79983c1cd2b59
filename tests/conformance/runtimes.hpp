// Which runtimes are held to the words of bench/runtime.hpp, and what the tests share.
//
// Every test is written once and runs on all of them. Asio is the oracle: what fails there is an error in the
// test or in the words. No test looks at how long something took.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "bench/runtime.hpp"
#include "loop/designs.hpp"
#include "tests/freed_counter.hpp"

// The program's list of runtimes: `using runtimes = testing::Types<...>`. CMake names it, a program per list,
// since two backends of a library cannot be in one.
#include LOOPBENCH_RUNTIME_LIST

namespace loopbench::conformance {

using bench::task_of;

struct runtime_names {
    template <bench::Runtime R>
    static std::string GetName(int) {
        std::string name(R::name);
        std::ranges::replace(name, '-', '_');  // a minus sign in a test filter means "but not"
        return name;
    }
};

/// A runtime that this kernel refuses is skipped, with the reason.
template <bench::Runtime R>
class conformance_test : public testing::Test {
protected:
    void SetUp() override {
        if (!R::name.ends_with("-uring")) return;
        if (const std::string refusal = loop::io_uring_refusal(); !refusal.empty())
            GTEST_SKIP() << R::name << " is not possible here: " << refusal;
    }
};

/// A gather of all tasks in a vector.
template <bench::Runtime R>
task_of<R> gather_all(R& runtime, std::vector<task_of<R>>& tasks) {
    co_await runtime.gather(std::span<task_of<R>>(tasks));
}

}  // namespace loopbench::conformance
