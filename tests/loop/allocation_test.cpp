// In its steady state a loop allocates nothing: frames, callbacks and timers are recycled.
#include <optional>
#include <thread>

#include "tests/loop/allocations.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {
using namespace std::chrono_literals;
}

template <class R>
class steady_state : public on_design<R> {
protected:
    void SetUp() override {
        if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
        on_design<R>::SetUp();
    }

    /// Runs `round(runtime)` until everything is warm, and then 500 times: how often memory was allocated.
    template <class Round>
    static std::size_t allocations_of(Round round) {
        R runtime;
        auto main = [&]() -> task<std::size_t> {
            for (int i = 0; i < 300; ++i) co_await round(runtime);
            const std::size_t before = count_allocations().made;
            for (int i = 0; i < 500; ++i) co_await round(runtime);
            co_return count_allocations().made - before;
        };
        return runtime.run(main());
    }
};
TYPED_TEST_SUITE(steady_state, real_designs, design_names);

TYPED_TEST(steady_state, of_yields_allocates_nothing) {
    const auto round = [](TypeParam& runtime) -> task<void> { co_await runtime.yield(); };
    EXPECT_EQ(this->allocations_of(round), 0u);
}

TYPED_TEST(steady_state, of_posts_and_spawned_tasks_allocates_nothing) {
    const auto round = [](TypeParam& runtime) -> task<void> {
        int done = 0;
        runtime.post([&] { ++done; });
        runtime.spawn([](int& count) -> task<void> {
            ++count;
            co_return;
        }(done));
        while (done < 2) co_await runtime.yield();
    };
    EXPECT_EQ(this->allocations_of(round), 0u);
}

TYPED_TEST(steady_state, of_gathers_allocates_nothing) {
    if (this->is("loop-round-robin"))
        GTEST_SKIP() << TypeParam::name
                     << " keeps a list of the children of each gather, as its document does";
    const auto round = [](TypeParam& runtime) -> task<void> {
        std::array children{yield_times(runtime, 1), yield_times(runtime, 2), yield_times(runtime, 3)};
        co_await runtime.gather(std::span(children));
    };
    EXPECT_EQ(this->allocations_of(round), 0u);
}

TYPED_TEST(steady_state, of_timers_that_fire_or_are_cancelled_allocates_nothing) {
    const auto round = [](TypeParam& runtime) -> task<void> {
        for (int i = 0; i < 10; ++i) {
            auto handle = runtime.call_later(1h, [] {});
            handle.cancel();
        }
        co_await runtime.sleep_for(10us);
        co_await runtime.sleep_for(0ns);
    };
    EXPECT_EQ(this->allocations_of(round), 0u);
}

TYPED_TEST(steady_state, of_an_echo_allocates_nothing) {
    std::optional<stream_pair<TypeParam>> pair;
    auto echoes = [&]() -> task<void> {
        std::array<std::byte, 64> buffer;
        for (;;) {
            const io_result received = co_await pair->other.read_some(buffer);
            if (received.bytes == 0) co_return;
            co_await pair->other.write_all(std::span(buffer).first(received.bytes));
        }
    };
    const auto round = [&](TypeParam& runtime) -> task<void> {
        if (!pair) {
            pair = co_await make_tcp_pair(runtime);
            runtime.spawn(echoes());
        }
        std::array<std::byte, 64> buffer{};
        co_await pair->one.write_all(buffer);
        std::size_t received = 0;
        while (received < buffer.size()) {
            const io_result part = co_await pair->one.read_some(buffer);
            received += part.bytes;
        }
    };
    TypeParam runtime;
    auto main = [&]() -> task<std::size_t> {
        for (int i = 0; i < 300; ++i) co_await round(runtime);
        const std::size_t before = count_allocations().made;
        for (int i = 0; i < 500; ++i) co_await round(runtime);
        const std::size_t allocated = count_allocations().made - before;
        pair.reset();
        co_return allocated;
    };
    EXPECT_EQ(runtime.run(main()), 0u);
}

// Made in one thread and run in another, they would pile up in the free lists of the one that runs them.
TEST(posts_from_other_threads, leave_no_memory_behind) {
    if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
    constexpr int posts = 10'000;
    epoll_runtime runtime;
    int calls = 0;
    const allocation_counts before = count_allocations();
    std::jthread([&] {
        for (int i = 0; i < posts; ++i) runtime.post_from_any_thread([&] { ++calls; });
    }).join();
    runtime.run_until_idle();
    const allocation_counts after = count_allocations();
    EXPECT_EQ(calls, posts);
    const auto left = (after.made - before.made) - (after.freed - before.freed);
    EXPECT_LT(left, 100u);
}

}  // namespace loopbench::loop::test
