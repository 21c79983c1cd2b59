// Tests cancellation.
#include <memory>
#include <random>

#include "loop/coro/event.hpp"
#include "loop/coro/future.hpp"
#include "tests/loop/net/full_listener.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

task<void> sleep_long(event_loop& loop) {
    co_await loop.sleep_for(200ms);
}

struct churn {
    event_loop& loop;
    std::mt19937 random;
    struct entry {
        call_handle handle;
        bool cancelled = false;
        int calls = 0;
    };
    std::vector<std::unique_ptr<entry>> entries = {};

    void arm() {
        auto* const armed = entries.emplace_back(std::make_unique<entry>()).get();
        const nanoseconds delay{static_cast<std::int64_t>(random() % 1'000'000)};
        armed->handle = loop.call_later(delay, [this, armed] {
            ++armed->calls;
            for (int i = 0; i < 3; ++i) cancel_one();
            if (entries.size() < 1000) arm();
            if (entries.size() < 1000) arm();
        });
    }

    void cancel_one() {
        entry& chosen = *entries[random() % entries.size()];
        if (chosen.handle.pending()) chosen.cancelled = true;
        chosen.handle.cancel();
    }
};

}  // namespace

class cancelling : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, cancelling, all_designs(), design_name);

// If a timer remained, it could refer to a frame that is destroyed before the sleep's deadline.
TEST_P(cancelling, cancelling_a_sleep_that_has_not_begun_leaves_no_timer) {
    event_loop& loop = keep(make_loop());
    std::vector<const char*> endings;
    auto work = [&]() -> task<void> {
        auto kept = loop.sleep_for(200ms);
        try {
            co_await kept;
        } catch (const task_cancelled&) {
            endings.push_back("cancelled");
        }
        co_await loop.sleep_for(400ms);
        endings.push_back("still there");
        co_await kept;
        endings.push_back("slept");
    };
    const auto handle = create_task(loop, work());
    handle.cancel();
    loop.run_until_idle();
    EXPECT_EQ(endings, (std::vector<const char*>{"cancelled", "still there", "slept"}));
}

TEST_P(cancelling, a_task_that_is_cancelled_before_it_starts_ends_at_its_first_await) {
    event_loop& loop = keep(make_loop());
    bool started = false;
    bool went_on = false;
    auto work = [&]() -> task<void> {
        started = true;
        co_await loop.sleep_until(never);
        went_on = true;
    };
    const auto handle = create_task(loop, work());
    handle.cancel();
    loop.run_until_idle();
    EXPECT_EQ(ending_of(handle.outcome()), "cancelled");
    EXPECT_TRUE(started);
    EXPECT_FALSE(went_on);
}

TEST_P(cancelling, cancelling_ends_a_pending_connect_that_the_peer_does_not_answer) {
    event_loop& loop = keep(make_loop());
    const full_listener silent;
    auto connects = [&]() -> task<void> { co_await loop.connect(silent.address); };
    const auto handle = create_task(loop, connects());
    turn_often(loop);
    EXPECT_EQ(ending_of(handle.outcome()), "still running");
    EXPECT_EQ(loop.io().pending(), 1u);
    handle.cancel();
    turn_often(loop);
    EXPECT_EQ(ending_of(handle.outcome()), "cancelled");
    EXPECT_EQ(loop.io().pending(), 0u);
}

TEST_P(cancelling, a_cancellation_ends_a_task_at_every_kind_of_await) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    auto listener = loop.listen();
    event silent(loop);
    promise<int> unkept(loop);
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{16} << 20);
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_until(never); };
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    auto writes = [&]() -> task<void> {
        co_await pair.one.write_all(more_than_the_kernel_takes);
        co_await loop.yield();
    };
    auto accepts = [&]() -> task<void> { co_await listener.accept(); };
    auto waits = [&]() -> task<void> { co_await silent.wait(); };
    auto wants = [&]() -> task<void> { co_await unkept.get_future(); };
    auto gathers = [&]() -> task<void> {
        std::array children{sleeps(), waits()};
        co_await loop.gather(std::span(children));
    };
    auto races = [&]() -> task<void> {
        std::array children{sleeps(), waits()};
        co_await loop.race(std::span(children));
    };
    const std::vector<task_handle<void>> all{create_task(loop, sleeps()),  create_task(loop, reads()),
                                             create_task(loop, writes()),  create_task(loop, accepts()),
                                             create_task(loop, waits()),   create_task(loop, wants()),
                                             create_task(loop, gathers()), create_task(loop, races())};
    loop.run(yield_times(loop, 5));
    for (const auto& each : all) {
        each.cancel();
        each.cancel();
    }
    loop.run(until_done(all));
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(ending_of(all[i].outcome()), "cancelled") << "task " << i;
    EXPECT_EQ(loop.io().pending(), 0u);
}

TEST_P(cancelling, cancelling_a_task_that_is_done_does_nothing) {
    event_loop& loop = keep(make_loop());
    const auto handle = create_task(loop, yield_times(loop, 1));
    loop.run_until_idle();
    handle.cancel();
    loop.run_until_idle();
    EXPECT_EQ(ending_of(handle.outcome()), "value");
}

TEST_P(cancelling, a_task_that_cancels_itself_ends_at_its_next_await) {
    event_loop& loop = keep(make_loop());
    std::vector<task_handle<void>> self;
    bool went_on = false;
    auto work = [&]() -> task<void> {
        co_await loop.yield();
        self[0].cancel();
        co_await loop.sleep_until(never);
        went_on = true;
    };
    self.push_back(create_task(loop, work()));
    loop.run_until_idle();
    EXPECT_EQ(ending_of(self[0].outcome()), "cancelled");
    EXPECT_FALSE(went_on);
}

TEST_P(cancelling, a_task_can_catch_its_cancellation_and_continue) {
    event_loop& loop = keep(make_loop());
    int turns = 0;
    auto stubborn = [&]() -> task<void> {
        bool was_cancelled = false;
        try {
            co_await loop.sleep_for(1h);
        } catch (const task_cancelled&) {
            was_cancelled = true;
        }
        EXPECT_TRUE(was_cancelled);
        for (; turns < 3; ++turns) co_await loop.sleep_for(1ms);
    };
    const auto handle = create_task(loop, stubborn());
    loop.call_later(1ms, [&] { handle.cancel(); });
    loop.run_until_idle();
    EXPECT_EQ(ending_of(handle.outcome()), "value");
    EXPECT_EQ(turns, 3);
}

TEST_P(cancelling, a_callback_can_cancel_a_sleeping_task_and_a_reading_task) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_for(1h); };
    const auto sleeping = create_task(loop, sleeps());
    const auto reading = create_task(loop, reads());
    loop.call_later(1ms, [&] {
        sleeping.cancel();
        reading.cancel();
    });
    loop.run_until_idle();
    EXPECT_EQ(ending_of(sleeping.outcome()), "cancelled");
    EXPECT_EQ(ending_of(reading.outcome()), "cancelled");
    EXPECT_LT(loop.now() - manual_time::start, 1h) << "gather must not wait for the sleep";
}

// If the read has received the bytes before its cancellation, it returns them. Otherwise, the bytes stay in
// the stream.
TEST_P(cancelling, cancelling_a_ready_read_and_a_due_sleep_loses_no_bytes) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    std::string received;
    std::vector<task_handle<void>> tasks;
    auto reads = [&]() -> task<void> { received = co_await read_text(pair.one); };
    const time_point due = loop.now() + 1h;
    auto sleeps = [&]() -> task<void> { co_await loop.sleep_until(due); };
    auto cancels = [&] {
        put(pair.other.native_handle(), "kept");
        loop.io().wait(do_not_wait);
        for (const auto& each : tasks) each.cancel();
    };
    // The loop runs `cancels` just before it ends the sleep, in the same turn. A loop that polls its tasks
    // has no timer for the sleep; for such a loop, the test posts `cancels` below instead.
    if (!loop.ready().tasks_poll) loop.call_at(due - 1ns, cancels);
    tasks.push_back(create_task(loop, sleeps()));
    tasks.push_back(create_task(loop, reads()));
    loop.run(yield_times(loop, 2));
    if (loop.ready().tasks_poll) {
        loop.post([&] {
            manual_time::pass(1h);
            cancels();
        });
    } else {
        manual_time::pass(1h);
    }
    loop.run_until_idle();
    if (received.empty()) loop.run([&]() -> task<void> { received = co_await read_text(pair.one); }());
    EXPECT_EQ(received, "kept");
    EXPECT_EQ(ending_of(tasks[0].outcome()), "cancelled");
}

// The cancellation queues the sleep. The sleep's deadline has also passed, but the loop must not queue the
// sleep a second time.
TEST_P(cancelling, cancelling_a_sleep_that_is_due_but_not_yet_queued_ends_the_sleep_once) {
    event_loop& loop = keep(make_loop());
    int endings = 0;
    auto sleeps = [&]() -> task<void> {
        try {
            co_await loop.sleep_for(1h);
        } catch (const task_cancelled&) {
            ++endings;
        }
        co_await yield_times(loop, 3);
        ++endings;
    };
    const auto sleeping = create_task(loop, sleeps());
    loop.run(yield_times(loop, 2));
    loop.post([&] {
        manual_time::pass(2h);
        sleeping.cancel();
    });
    loop.run_until_idle();
    EXPECT_EQ(endings, 2);
    EXPECT_EQ(ending_of(sleeping.outcome()), "value");
}

TEST_P(cancelling, cancelling_a_pending_read_leaves_later_bytes_to_the_next_read) {
    event_loop& loop = keep(make_loop());
    auto pair = make_unix_pair(loop);
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    const auto reading = create_task(loop, reads());
    auto main = [&]() -> task<void> {
        co_await yield_times(loop, 3);
        reading.cancel();
        co_await yield_times(loop, 3);
        put(pair.other.native_handle(), "for the next one");
        EXPECT_EQ(co_await read_text(pair.one), "for the next one");
    };
    loop.run(main());
    EXPECT_EQ(ending_of(reading.outcome()), "cancelled");
}

TEST_P(cancelling, a_scheduled_call_can_cancel_another_call_that_is_due_at_the_same_time) {
    event_loop& loop = keep(make_loop());
    std::vector<int> calls;
    call_handle handles[3];
    const time_point when = loop.now() + 1ms;
    for (int i = 0; i < 3; ++i) {
        handles[i] = loop.call_at(when, [&, i] {
            calls.push_back(i);
            for (auto& each : handles) each.cancel();
        });
    }
    loop.run_until_idle();
    EXPECT_EQ(calls.size(), 1u);
}

TEST_P(cancelling, a_timer_callback_can_cancel_sleeping_tasks_and_the_other_tasks_finish_their_sleeps) {
    event_loop& loop = keep(make_loop());
    std::vector<task_handle<void>> sleepers;
    for (int i = 0; i < 100; ++i) sleepers.push_back(create_task(loop, sleep_long(loop)));
    loop.call_later(1ms, [&] {
        for (std::size_t i = 0; i < sleepers.size(); i += 2) sleepers[i].cancel();
    });
    loop.run_until_idle();
    for (std::size_t i = 0; i < sleepers.size(); ++i)
        EXPECT_EQ(ending_of(sleepers[i].outcome()), i % 2 == 0 ? "cancelled" : "value") << i;
}

TEST_P(cancelling, cancelling_and_arming_timers_in_callbacks_loses_no_timer) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        const auto owner = make_loop();
        event_loop& loop = *owner;
        churn timers{loop, std::mt19937(seed)};
        for (int i = 0; i < 300; ++i) timers.arm();
        loop.run_until_idle();
        for (const auto& entry : timers.entries) {
            ASSERT_EQ(entry->calls, entry->cancelled ? 0 : 1) << "seed " << seed;
            ASSERT_FALSE(entry->handle.pending());
        }
    }
}

}  // namespace loopbench::loop::test
