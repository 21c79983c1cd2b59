// Tests that a loop in its steady state recycles memory.
#include <functional>
#include <optional>

#include "tests/loop/allocations.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {
using namespace std::chrono_literals;
}

class steady_state : public on_real_time {
protected:
    void SetUp() override {
        if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
        on_real_time::SetUp();
    }

    /// Calls `round` 300 times as a warm-up, and then 500 times. Returns the number of allocations during the
    /// 500 calls.
    template <class Round>
    std::size_t allocations_of(
        Round round, const std::function<void()>& at_the_end = [] {}) {
        const auto owner = make_loop();
        event_loop& loop = *owner;
        auto main = [&]() -> task<std::size_t> {
            for (int i = 0; i < 300; ++i) co_await round(loop);
            const std::size_t before = count_allocations().made;
            for (int i = 0; i < 500; ++i) co_await round(loop);
            const std::size_t allocated = count_allocations().made - before;
            at_the_end();
            co_return allocated;
        };
        return loop.run(main());
    }
};
INSTANTIATE_TEST_SUITE_P(, steady_state, all_designs(), design_name);

TEST_P(steady_state, yields_allocate_nothing) {
    const auto round = [](event_loop& loop) -> task<void> { co_await loop.yield(); };
    EXPECT_EQ(allocations_of(round), 0u);
}

TEST_P(steady_state, posts_and_spawned_tasks_allocate_nothing) {
    const auto round = [](event_loop& loop) -> task<void> {
        int done = 0;
        loop.post([&] { ++done; });
        loop.spawn([](int& count) -> task<void> {
            ++count;
            co_return;
        }(done));
        while (done < 2) co_await loop.yield();
    };
    EXPECT_EQ(allocations_of(round), 0u);
}

TEST_P(steady_state, gathers_allocate_nothing) {
    const auto round = [](event_loop& loop) -> task<void> {
        std::array children{yield_times(loop, 1), yield_times(loop, 2), yield_times(loop, 3)};
        co_await loop.gather(std::span(children));
    };
    EXPECT_EQ(allocations_of(round), 0u);
}

TEST_P(steady_state, timers_that_fire_or_are_cancelled_allocate_nothing) {
    const auto round = [](event_loop& loop) -> task<void> {
        for (int i = 0; i < 10; ++i) {
            auto handle = loop.call_later(1h, [] {});
            handle.cancel();
        }
        co_await loop.sleep_for(10us);
        co_await loop.sleep_for(0ns);
    };
    EXPECT_EQ(allocations_of(round), 0u);
}

TEST_P(steady_state, echoing_a_message_allocates_nothing) {
    std::optional<stream_pair> pair;
    auto echoes = [&]() -> task<void> {
        std::array<std::byte, 64> buffer;
        for (;;) {
            const io_result received = co_await pair->other.read_some(buffer);
            if (received.bytes == 0) co_return;
            co_await pair->other.write_all(std::span(buffer).first(received.bytes));
        }
    };
    const auto round = [&](event_loop& loop) -> task<void> {
        if (!pair) {
            pair = co_await make_tcp_pair(loop);
            loop.spawn(echoes());
        }
        std::array<std::byte, 64> buffer{};
        co_await pair->one.write_all(buffer);
        std::size_t received = 0;
        while (received < buffer.size()) {
            const io_result part = co_await pair->one.read_some(buffer);
            received += part.bytes;
        }
    };
    EXPECT_EQ(allocations_of(round, [&] { pair.reset(); }), 0u);
}

}  // namespace loopbench::loop::test
