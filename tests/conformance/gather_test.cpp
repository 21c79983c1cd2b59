// Tests gather().
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

using namespace std::chrono_literals;

template <class R>
class gather : public conformance_test<R> {};

CONFORMANCE_TEST(gather, children_start_in_order_and_the_gather_completes_after_the_last_child_has_ended) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> started;
    std::vector<int> ended;
    auto child = [&](int value) -> task_of<R> {
        started.push_back(value);
        for (int i = 0; i < 4 - value; ++i) co_await runtime.yield();
        ended.push_back(value);
    };
    auto main = [&]() -> task_of<R> {
        std::vector<task_of<R>> children;
        for (int i = 1; i <= 3; ++i) children.push_back(child(i));
        co_await gather_all(runtime, children);
        EXPECT_EQ(ended, (std::vector{3, 2, 1}));
    };
    runtime.run(main());
    EXPECT_EQ(started, (std::vector{1, 2, 3}));
}

CONFORMANCE_TEST(gather, a_gather_without_children_completes) {
    R& runtime = this->keep(this->make_runtime());
    auto main = [&]() -> task_of<R, int> {
        std::vector<task_of<R>> none;
        co_await gather_all(runtime, none);
        co_return 1;
    };
    EXPECT_EQ(runtime.run(main()), 1);
}

CONFORMANCE_TEST(gather, a_gather_of_children_that_never_suspend_completes) {
    R& runtime = this->keep(this->make_runtime());
    int ended = 0;
    auto child = [&]() -> task_of<R> {
        ++ended;
        co_return;
    };
    auto main = [&]() -> task_of<R> {
        std::vector<task_of<R>> children;
        for (int i = 0; i < 10'000; ++i) children.push_back(child());
        co_await gather_all(runtime, children);
        EXPECT_EQ(ended, 10'000);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(gather, a_gather_throws_the_first_exception_after_all_children_have_ended) {
    R& runtime = this->keep(this->make_runtime());
    int ended = 0;
    auto child = [&](int yields, const char* error) -> task_of<R> {
        for (int i = 0; i < yields; ++i) co_await runtime.yield();
        ++ended;
        if (error != nullptr) throw std::runtime_error(error);
    };
    auto main = [&]() -> task_of<R, std::string> {
        std::vector<task_of<R>> children;
        children.push_back(child(6, "second"));
        children.push_back(child(2, "first"));
        children.push_back(child(10, nullptr));
        std::string caught;
        try {
            co_await gather_all(runtime, children);
        } catch (const std::runtime_error& error) {
            caught = error.what();
            EXPECT_EQ(ended, 3);
        }
        co_return caught;
    };
    EXPECT_EQ(runtime.run(main()), "first");
}

CONFORMANCE_TEST(gather, gathers_can_be_nested) {
    R& runtime = this->keep(this->make_runtime());
    int leaves = 0;
    auto tree = [&](auto& self, int depth) -> task_of<R> {
        if (depth == 0) {
            co_await runtime.yield();
            ++leaves;
            co_return;
        }
        std::vector<task_of<R>> children;
        for (int i = 0; i < 3; ++i) children.push_back(self(self, depth - 1));
        co_await gather_all(runtime, children);
    };
    runtime.run(tree(tree, 6));
    EXPECT_EQ(leaves, 729);
}

CONFORMANCE_TEST(gather, a_gather_waits_for_sleeping_children) {
    R& runtime = this->keep(this->make_runtime());
    int ended = 0;
    auto child = [&](std::chrono::microseconds delay) -> task_of<R> {
        co_await runtime.sleep_until(runtime.now() + delay);
        ++ended;
    };
    auto main = [&]() -> task_of<R> {
        std::vector<task_of<R>> children;
        for (int i = 0; i < 100; ++i) children.push_back(child(std::chrono::microseconds(i * 31)));
        co_await gather_all(runtime, children);
        EXPECT_EQ(ended, 100);
    };
    runtime.run(main());
}

CONFORMANCE_TEST(gather, posted_functions_run_while_a_gather_waits_for_its_children) {
    R& runtime = this->keep(this->make_runtime());
    std::vector<int> seen;
    auto child = [&]() -> task_of<R> {
        for (int i = 0; i < 3; ++i) co_await runtime.yield();
        seen.push_back(2);
    };
    auto main = [&]() -> task_of<R> {
        runtime.post([&] { seen.push_back(1); });
        std::vector<task_of<R>> children;
        children.push_back(child());
        co_await gather_all(runtime, children);
        seen.push_back(3);
    };
    runtime.run(main());
    EXPECT_EQ(seen, (std::vector{1, 2, 3}));
}

}  // namespace loopbench::conformance
