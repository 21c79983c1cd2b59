// Registers each conformance test on every runtime of a list. Asio is the reference: if a test fails on Asio,
// the test or the contract (bench/suite/runtime.hpp) is wrong. No test checks a duration.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "loop/io/drivers.hpp"
#include "tests/conformance/contestant.hpp"
#include "tests/freed_counter.hpp"

// CMake chooses this header. It defines for_each_contestant(use). Each list of runtimes has its own program,
// because one program cannot contain two backends of the same library.
#include LOOPBENCH_RUNTIME_LIST

namespace loopbench::conformance {

using bench::task_of;

template <bench::Runtime R>
class conformance_test : public testing::Test {
public:
    void take(contestant<R> who) { who_ = std::move(who); }

protected:
    /// A flag that suites for an optional concept set to false for runtimes without the concept. The tests of
    /// the suite are then not compiled for these runtimes.
    static constexpr bool has_word = true;

    void SetUp() override {
        if (!name().ends_with("-uring")) return;
        if (const std::string refusal = loop::io_uring_refusal(); !refusal.empty())
            GTEST_SKIP() << name() << " cannot run here: " << refusal;
    }

    std::string_view name() const { return who_.name; }
    std::unique_ptr<R> make_runtime() const { return who_.make(); }
    /// Keeps the runtime until the end of the test's body, unless end_runtime() destroys it earlier.
    R& keep(std::unique_ptr<R> runtime) {
        kept_ = std::move(runtime);
        return *kept_;
    }
    void end_runtime() { kept_.reset(); }
    void TearDown() override { end_runtime(); }

private:
    contestant<R> who_;
    std::unique_ptr<R> kept_;
};

/// Registers a test on one runtime. This function is separate from register_test(), because a single function
/// would be compiled for each pair of test and runtime type.
template <bench::Runtime R>
void register_on(const contestant<R>& who, std::string suite, const char* sentence, const char* file,
                 int line, conformance_test<R>* (*make_test)()) {
    suite += '/';
    suite += who.name;
    std::ranges::replace(suite, '-', '_');  // a minus sign in a test filter excludes tests
    testing::RegisterTest(suite.c_str(), sentence, nullptr, nullptr, file, line, [who, make_test] {
        conformance_test<R>* const test = make_test();
        test->take(who);
        return test;
    });
}

template <template <bench::Runtime> class Test>
bool register_test(const char* suite, const char* sentence, const char* file, int line) {
    for_each_contestant([&]<bench::Runtime R>(const contestant<R>& who) {
        register_on<R>(who, suite, sentence, file, line,
                       []() -> conformance_test<R>* { return new Test<R>; });
    });
    return true;
}

/// Registers a test on every runtime of the list. `suite` is a class template derived from conformance_test.
/// The body can use the runtime type R.
#define CONFORMANCE_TEST(suite, sentence)                                         \
    template <bench::Runtime R>                                                   \
    class suite##_##sentence : public suite<R> {                                  \
        void TestBody() override {                                                \
            if constexpr (suite<R>::has_word) body();                             \
        }                                                                         \
        void body();                                                              \
    };                                                                            \
    [[maybe_unused]] const bool suite##_##sentence##_is_registered =              \
        register_test<suite##_##sentence>(#suite, #sentence, __FILE__, __LINE__); \
    template <bench::Runtime R>                                                   \
    void suite##_##sentence<R>::body()

template <bench::Runtime R>
task_of<R> gather_all(R& runtime, std::vector<task_of<R>>& tasks) {
    co_await runtime.gather(std::span<task_of<R>>(tasks));
}

}  // namespace loopbench::conformance
