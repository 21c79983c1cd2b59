// Registers each conformance test of bench/suite/threads_runtime.hpp on every runtime of a list, with several
// numbers of threads, most of which exceed the number of cores.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bench/suite/threads_runtime.hpp"
#include "loop/io/drivers.hpp"

namespace loopbench::conformance {

template <bench::ThreadedRuntime R>
struct threads_contestant {
    std::string_view name;
    std::function<std::unique_ptr<R>(const bench::thread_plan&)> make;
    bool deals_in_turn = false;  // serve() deals the connections to all threads in turn

    std::unique_ptr<R> of(std::size_t threads) const { return make({.threads = threads}); }
};

}  // namespace loopbench::conformance

// CMake chooses this header. It defines for_each_threads_contestant(use).
#include LOOPBENCH_THREADS_LIST

namespace loopbench::conformance {

class threads_test : public testing::Test {
public:
    threads_test(std::string_view name, std::function<void()> body) : name_(name), body_(std::move(body)) {}

private:
    void SetUp() override {
        if (name_.find("uring") == std::string_view::npos) return;
        if (const std::string refusal = loop::io_uring_refusal(); !refusal.empty())
            GTEST_SKIP() << name_ << " cannot run here: " << refusal;
    }
    void TestBody() override { body_(); }

    std::string_view name_;
    std::function<void()> body_;
};

template <class Test>
bool register_threads_test(const char* sentence, const char* file, int line) {
    for_each_threads_contestant([&]<bench::ThreadedRuntime R>(const threads_contestant<R>& who) {
        for (const std::size_t threads : {1U, 2U, 4U, 8U, 32U}) {
            if constexpr (!Test::template fits<R>()) return;
            std::string suite = "threads/" + std::string(who.name) + "_" + std::to_string(threads);
            std::ranges::replace(suite, '-', '_');  // a minus sign in a test filter excludes tests
            testing::RegisterTest(
                suite.c_str(), sentence, nullptr, nullptr, file, line, [who, threads]() -> threads_test* {
                    return new threads_test(who.name, [who, threads] { Test::body(who, threads); });
                });
        }
    });
    return true;
}

/// Registers a test on every runtime of the list that models `needed`. The body can use the runtime type R,
/// `who`, which makes runtimes, and the number of `threads`.
#define THREADS_TEST(needed, sentence)                                              \
    struct sentence {                                                               \
        template <class R>                                                          \
        static constexpr bool fits() {                                              \
            return bench::needed<R>;                                                \
        }                                                                           \
        template <class R>                                                          \
        static void body(const threads_contestant<R>& who, std::size_t threads) {   \
            if constexpr (bench::needed<R>) body_of<R>(who, threads);               \
        }                                                                           \
        template <bench::needed R>                                                  \
        static void body_of(const threads_contestant<R>& who, std::size_t threads); \
    };                                                                              \
    [[maybe_unused]] const bool sentence##_is_registered =                          \
        register_threads_test<sentence>(#sentence, __FILE__, __LINE__);             \
    template <bench::needed R>                                                      \
    void sentence::body_of(const threads_contestant<R>& who, std::size_t threads)

}  // namespace loopbench::conformance
