// Tests that an idle flagship loop makes one wait and one context switch until the next timer is due.
//
// `cmake -D LOOPBENCH_IDLE_MS=10000` changes the idle time, by default 1000 ms. A longer idle time makes it
// more likely that the test detects a rare wake-up.
#include <sys/resource.h>

#include <thread>

#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds idle{LOOPBENCH_IDLE_MS};

long voluntary_switches() {
    rusage usage{};
    checked(::getrusage(RUSAGE_THREAD, &usage), "getrusage");
    return usage.ru_nvcsw;
}

/// Checks that the loop makes only one wait and one context switch during a sleep. All other tasks on the
/// loop must wait for events that do not happen.
task<void> expect_silence(event_loop& loop, const counting_clock& clock) {
    co_await loop.sleep_for(10ms);
    const std::size_t waits_before = clock.waits();
    const long switches_before = voluntary_switches();
    co_await loop.sleep_for(idle);
    EXPECT_EQ(voluntary_switches() - switches_before, 1);
    EXPECT_EQ(clock.waits() - waits_before, 1u);
}

}  // namespace

class idle_flagship : public on_real_time {
protected:
    /// Calls `prepare` and expect_silence() in a new thread. About 10 ms after a ring is closed, the kernel
    /// cleans up in the thread that used the ring, which would disturb a later test in this thread.
    template <class Prepare>
    void expect_silence_after(Prepare prepare) {
        std::jthread([&] {
            const auto owner = make_loop();
            event_loop& loop = *owner;
            prepare(loop);
            loop.run(expect_silence(loop, clock));
        }).join();
    }
};
INSTANTIATE_TEST_SUITE_P(, idle_flagship, flagships(), design_name);

TEST_P(idle_flagship, a_loop_with_a_far_timer_does_not_wake_up) {
    expect_silence_after([](event_loop& loop) {
        loop.call_later(24h, [] { ADD_FAILURE() << "this test must not take a day"; });
    });
}

TEST_P(idle_flagship, a_loop_with_a_thousand_sleepers_does_not_wake_up) {
    expect_silence_after([](event_loop& loop) {
        const auto sleeps = [](event_loop& of, nanoseconds length) -> task<void> {
            co_await of.sleep_for(length);
        };
        for (int i = 0; i < 1000; ++i) loop.spawn(sleeps(loop, 1min + i * 997us));
    });
}

TEST_P(idle_flagship, a_loop_with_a_thousand_silent_sockets_does_not_wake_up) {
    constexpr rlim_t descriptors = 2'100;
    rlimit limit{};
    checked(::getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
    if (limit.rlim_cur < descriptors) {
        if (limit.rlim_max < descriptors)
            GTEST_SKIP() << "needs " << descriptors << " descriptors; the hard limit is " << limit.rlim_max;
        limit.rlim_cur = descriptors;
        checked(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
    }
    expect_silence_after([](event_loop& loop) {
        const auto reads = [](stream_pair pair) -> task<void> { co_await read_text(pair.one); };
        for (int i = 0; i < 1000; ++i) loop.spawn(reads(make_unix_pair(loop)));
    });
}

namespace {

/// A manual clock that writes input to a socket when the loop waits without a deadline. After `waits_max`
/// waits, it writes the input in any case, so that the test always ends.
class input_when_idle final : public counting_clock {
public:
    static constexpr std::size_t waits_max = 1'000;

    explicit input_when_idle(const stream& writes_to) noexcept : writer_(writes_to) {}

    time_point now() noexcept override { return manual_time::now; }
    void wait(event_loop&, driver& io, time_point deadline) override {
        ++waits_;
        if (writer_.is_open() && (deadline == never || waits_ > waits_max)) put(writer_.native_handle(), "x");
        io.wait(deadline == never ? never : do_not_wait);
        if (deadline != never && deadline != do_not_wait) manual_time::pass_to(deadline);
    }

private:
    const stream& writer_;
};

}  // namespace

class idle_flagship_on_manual_time : public on_manual_time {};
INSTANTIATE_TEST_SUITE_P(, idle_flagship_on_manual_time, flagships(), design_name);

// If a slot of the wheel has many timers, cancelling one of them does not update the slot's earliest
// deadline. When all of the slot's timers are cancelled, the loop must forget this outdated deadline.
TEST_P(idle_flagship_on_manual_time, a_loop_does_not_wake_up_at_the_deadlines_of_cancelled_timers) {
    stream_pair pair;
    input_when_idle clock_of_input(pair.other);
    const auto owner = loop::make_loop(GetParam(), &clock_of_input);
    event_loop& loop = *owner;
    std::vector<call_handle> calls;
    const time_point first = loop.now() + 10s;
    for (int i = 0; i < 200; ++i) calls.push_back(loop.call_at(first + i * 1ns, [] { ADD_FAILURE(); }));
    std::size_t waits = 0;
    auto main = [&]() -> task<void> {
        calls.front().cancel();
        co_await loop.sleep_for(1s);
        for (call_handle& each : calls) each.cancel();
        manual_time::pass(1h);
        pair = make_unix_pair(loop);
        const std::size_t before = clock_of_input.waits();
        EXPECT_EQ(co_await read_text(pair.one), "x");
        waits = clock_of_input.waits() - before;
        pair = {};
    };
    loop.run(main());
    EXPECT_LE(waits, 2u);
}

}  // namespace loopbench::loop::test
