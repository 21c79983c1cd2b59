// The runtimes that must fulfil the contract of bench/suite/runtime.hpp, and the base of its tests.
//
// Every test is written once and runs on all runtimes. Asio is the oracle: a failure there is an error in the
// test or in the contract. No test looks at how long something took.
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

// The program's list of runtimes: for_each_contestant(use) calls use(contestant) with each. CMake names the
// list. Each list has its own program, since two backends of a library cannot be in one.
#include LOOPBENCH_RUNTIME_LIST

namespace loopbench::conformance {

using bench::task_of;

/// A test on one runtime. It is skipped, with the reason, if this kernel refuses the runtime.
template <bench::Runtime R>
class conformance_test : public testing::Test {
public:
    void take(contestant<R> who) { who_ = std::move(who); }

protected:
    /// True if the adapter has the concept of this suite; otherwise no test body is compiled.
    static constexpr bool has_word = true;

    void SetUp() override {
        if (!name().ends_with("-uring")) return;
        if (const std::string refusal = loop::io_uring_refusal(); !refusal.empty())
            GTEST_SKIP() << name() << " is not possible here: " << refusal;
    }

    std::string_view name() const { return who_.name; }
    std::unique_ptr<R> make_runtime() const { return who_.make(); }
    /// Keeps the test's own runtime, which ends after the test's body unless end_runtime() ends it earlier.
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

/// Registers a test on one runtime. Separate from register_test(): this is compiled once for each runtime,
/// and register_test() for each test.
template <bench::Runtime R>
void register_on(const contestant<R>& who, std::string suite, const char* sentence, const char* file,
                 int line, conformance_test<R>* (*make_test)()) {
    suite += '/';
    suite += who.name;
    std::ranges::replace(suite, '-', '_');  // a minus sign in a test filter means "but not"
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

/// A test of the suite (a template that is derived from conformance_test) on every runtime of the list. Its
/// body, which names the runtime type R, is compiled once for each such type; all designs have the same one.
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

/// Gathers all tasks of a vector.
template <bench::Runtime R>
task_of<R> gather_all(R& runtime, std::vector<task_of<R>>& tasks) {
    co_await runtime.gather(std::span<task_of<R>>(tasks));
}

}  // namespace loopbench::conformance
