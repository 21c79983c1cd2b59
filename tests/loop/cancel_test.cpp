// Cancelling: a task wherever it is suspended, and timers from inside callbacks.
#include <memory>
#include <random>

#include "loop/event.hpp"
#include "loop/future.hpp"
#include "tests/loop/full_listener.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

template <class R>
task<void> sleep_long(R& runtime) {
    co_await runtime.sleep_for(200ms);
}

/// Hundreds of timers, of which callbacks cancel others, and arm new ones, at random.
template <class R>
struct churn {
    R& runtime;
    std::mt19937 random;
    struct entry {
        call_handle<event_loop<typename design_of<R>::type>> handle;
        bool cancelled = false;
        int calls = 0;
    };
    std::vector<std::unique_ptr<entry>> entries = {};

    void arm() {
        auto* const armed = entries.emplace_back(std::make_unique<entry>()).get();
        const nanoseconds delay{static_cast<std::int64_t>(random() % 1'000'000)};
        armed->handle = runtime.call_later(delay, [this, armed] {
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

template <class R>
class cancelling : public on_design<R> {};
TYPED_TEST_SUITE(cancelling, manual_designs, design_names);

TYPED_TEST(cancelling, a_task_before_it_starts_ends_it_at_its_first_await) {
    TypeParam runtime;
    bool started = false;
    bool went_on = false;
    auto work = [&]() -> task<void> {
        started = true;
        co_await runtime.sleep_until(never);
        went_on = true;
    };
    const auto handle = create_task(runtime, work());
    handle.cancel();
    runtime.run_until_idle();
    EXPECT_EQ(ending_of(handle.outcome()), "cancelled");
    EXPECT_TRUE(started);
    EXPECT_FALSE(went_on);
}

TYPED_TEST(cancelling, ends_a_connect_that_gets_no_answer_and_is_pending_until_then) {
    TypeParam runtime;
    const full_listener silent;
    auto connects = [&]() -> task<void> { co_await runtime.connect(silent.address); };
    const auto handle = create_task(runtime, connects());
    turn_often(runtime);
    EXPECT_EQ(ending_of(handle.outcome()), "still running");
    EXPECT_EQ(runtime.driver().in_flight(), 1u);
    handle.cancel();
    turn_often(runtime);
    EXPECT_EQ(ending_of(handle.outcome()), "cancelled");
    EXPECT_EQ(runtime.driver().in_flight(), 0u);
}

TYPED_TEST(cancelling, ends_a_task_at_every_kind_of_await) {
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    auto listener = runtime.listen();
    event silent(runtime);
    promise<int> unkept(runtime);
    const std::vector<std::byte> more_than_the_kernel_takes(std::size_t{16} << 20);
    auto sleeps = [&]() -> task<void> { co_await runtime.sleep_until(never); };
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    auto writes = [&]() -> task<void> {
        co_await pair.one.write_all(more_than_the_kernel_takes);
        co_await runtime.yield();  // the write has moved bytes, so it says how many; the next await throws
    };
    auto accepts = [&]() -> task<void> { co_await listener.accept(); };
    auto waits = [&]() -> task<void> { co_await silent.wait(); };
    auto wants = [&]() -> task<void> { co_await unkept.get_future(); };
    auto gathers = [&]() -> task<void> {
        std::array children{sleeps(), waits()};
        co_await runtime.gather(std::span(children));
    };
    auto races = [&]() -> task<void> {
        std::array children{sleeps(), waits()};
        co_await runtime.race(std::span(children));
    };
    std::vector<task_handle<void>> all;
    all.push_back(create_task(runtime, sleeps()));
    all.push_back(create_task(runtime, reads()));
    all.push_back(create_task(runtime, writes()));
    all.push_back(create_task(runtime, accepts()));
    all.push_back(create_task(runtime, waits()));
    all.push_back(create_task(runtime, wants()));
    all.push_back(create_task(runtime, gathers()));
    all.push_back(create_task(runtime, races()));
    runtime.run(yield_times(runtime, 5));
    for (const auto& each : all) {
        each.cancel();
        each.cancel();  // asking twice is asking once
    }
    runtime.run(until_done(all));
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(ending_of(all[i].outcome()), "cancelled") << "task " << i;
    EXPECT_EQ(runtime.driver().in_flight(), 0u);
}

TYPED_TEST(cancelling, a_task_that_is_done_does_nothing) {
    TypeParam runtime;
    const auto handle = create_task(runtime, yield_times(runtime, 1));
    runtime.run_until_idle();
    handle.cancel();
    runtime.run_until_idle();
    EXPECT_EQ(ending_of(handle.outcome()), "value");
}

TYPED_TEST(cancelling, itself_ends_a_task_at_its_next_await) {
    TypeParam runtime;
    std::vector<task_handle<void>> self;
    bool went_on = false;
    auto work = [&]() -> task<void> {
        co_await runtime.yield();
        self[0].cancel();
        co_await runtime.sleep_until(never);
        went_on = true;
    };
    self.push_back(create_task(runtime, work()));
    runtime.run_until_idle();
    EXPECT_EQ(ending_of(self[0].outcome()), "cancelled");
    EXPECT_FALSE(went_on);
}

TYPED_TEST(cancelling, is_an_exception_that_a_task_may_take_and_go_on) {
    TypeParam runtime;
    int turns = 0;
    auto stubborn = [&]() -> task<void> {
        bool was_cancelled = false;
        try {
            co_await runtime.sleep_for(1h);
        } catch (const task_cancelled&) {
            was_cancelled = true;
        }
        EXPECT_TRUE(was_cancelled);
        for (; turns < 3; ++turns) co_await runtime.sleep_for(1ms);
    };
    const auto handle = create_task(runtime, stubborn());
    runtime.call_later(1ms, [&] { handle.cancel(); });
    runtime.run_until_idle();
    EXPECT_EQ(ending_of(handle.outcome()), "value");
    EXPECT_EQ(turns, 3);
}

TYPED_TEST(cancelling, a_sleep_and_a_read_in_one_callback_ends_both_and_nothing_comes_after) {
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    auto sleeps = [&]() -> task<void> { co_await runtime.sleep_for(1h); };
    const auto sleeping = create_task(runtime, sleeps());
    const auto reading = create_task(runtime, reads());
    runtime.call_later(1ms, [&] {
        sleeping.cancel();
        reading.cancel();
    });
    runtime.run_until_idle();
    EXPECT_EQ(ending_of(sleeping.outcome()), "cancelled");
    EXPECT_EQ(ending_of(reading.outcome()), "cancelled");
    EXPECT_LT(runtime.now() - manual_time::start, 1h) << "the sleep was not waited for";
}

// Both are in the ready queue already when they are cancelled.
TYPED_TEST(cancelling, what_is_due_already_keeps_what_it_has_got) {
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    std::string received;
    std::vector<task_handle<void>> tasks;
    auto reads = [&]() -> task<void> { received = co_await read_text(pair.one); };
    auto sleeps = [&]() -> task<void> { co_await runtime.sleep_for(1h); };
    tasks.push_back(create_task(runtime, sleeps()));
    tasks.push_back(create_task(runtime, reads()));
    runtime.run(yield_times(runtime, 2));
    manual_time::pass(1h);
    put(pair.other.native_handle(), "kept");
    // What the wait of a turn finds, before the turn runs it.
    runtime.driver().wait(do_not_wait);
    runtime.timers().expire(runtime.now(), runtime.ready());
    for (const auto& each : tasks) each.cancel();
    runtime.run_until_idle();
    EXPECT_EQ(received, "kept");
    EXPECT_EQ(ending_of(tasks[0].outcome()), "cancelled");
}

// It is queued by the cancellation, and its time has come: it must not be queued twice.
TYPED_TEST(cancelling, a_sleep_that_is_due_and_not_yet_found_to_be_ends_it_once) {
    TypeParam runtime;
    int endings = 0;
    auto sleeps = [&]() -> task<void> {
        try {
            co_await runtime.sleep_for(1h);
        } catch (const task_cancelled&) {
            ++endings;
        }
        co_await yield_times(runtime, 3);
        ++endings;
    };
    const auto sleeping = create_task(runtime, sleeps());
    runtime.run(yield_times(runtime, 2));
    runtime.post([&] {
        manual_time::pass(2h);
        sleeping.cancel();
    });
    runtime.run_until_idle();
    EXPECT_EQ(endings, 2);
    EXPECT_EQ(ending_of(sleeping.outcome()), "value");
}

TYPED_TEST(cancelling, a_read_loses_no_byte) {
    TypeParam runtime;
    auto pair = make_unix_pair(runtime);
    auto reads = [&]() -> task<void> { co_await read_text(pair.one); };
    const auto reading = create_task(runtime, reads());
    auto main = [&]() -> task<void> {
        co_await yield_times(runtime, 3);
        reading.cancel();
        co_await yield_times(runtime, 3);
        put(pair.other.native_handle(), "for the next one");
        EXPECT_EQ(co_await read_text(pair.one), "for the next one");
    };
    runtime.run(main());
    EXPECT_EQ(ending_of(reading.outcome()), "cancelled");
}

TYPED_TEST(cancelling, a_call_from_inside_another_that_is_due_at_the_same_time_prevents_it) {
    TypeParam runtime;
    std::vector<int> calls;
    call_handle<event_loop<typename TestFixture::design>> handles[3];
    const time_point when = runtime.now() + 1ms;
    for (int i = 0; i < 3; ++i) {
        handles[i] = runtime.call_at(when, [&, i] {
            calls.push_back(i);
            for (auto& each : handles) each.cancel();  // itself, too
        });
    }
    runtime.run_until_idle();
    EXPECT_EQ(calls.size(), 1u);
}

TYPED_TEST(cancelling, a_sleeping_task_from_inside_a_timer_prevents_its_timer) {
    TypeParam runtime;
    std::vector<task_handle<void>> sleepers;
    for (int i = 0; i < 100; ++i) sleepers.push_back(create_task(runtime, sleep_long(runtime)));
    runtime.call_later(1ms, [&] {
        for (std::size_t i = 0; i < sleepers.size(); i += 2) sleepers[i].cancel();
    });
    runtime.run_until_idle();
    for (std::size_t i = 0; i < sleepers.size(); ++i)
        EXPECT_EQ(ending_of(sleepers[i].outcome()), i % 2 == 0 ? "cancelled" : "value") << i;
}

TYPED_TEST(cancelling, and_arming_in_callbacks_leaves_the_timers_whole) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        TypeParam runtime;
        churn<TypeParam> timers{runtime, std::mt19937(seed)};
        for (int i = 0; i < 300; ++i) timers.arm();
        runtime.run_until_idle();
        for (const auto& entry : timers.entries) {
            ASSERT_EQ(entry->calls, entry->cancelled ? 0 : 1) << "seed " << seed;
            ASSERT_FALSE(entry->handle.pending());
        }
    }
}

}  // namespace loopbench::loop::test
