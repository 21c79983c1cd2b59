// Tests signals that a task awaits, and signals that interrupt a wait.
#include <pthread.h>

#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "loop/net/signals.hpp"
#include "tests/loop/descriptor_limit.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

using namespace std::chrono_literals;

// The number of handled signals. It is a lock-free atomic, because a signal handler and another thread access
// it.
std::atomic<int> interrupts = 0;
static_assert(std::atomic<int>::is_always_lock_free);

/// A signal handler without SA_RESTART, so that each signal makes a wait in the kernel end with EINTR.
class interrupting_handler {
public:
    interrupting_handler() {
        interrupts = 0;
        struct sigaction counting {};
        counting.sa_handler = [](int) { ++interrupts; };
        checked(::sigaction(SIGALRM, &counting, &before_), "sigaction");
    }
    interrupting_handler(const interrupting_handler&) = delete;
    interrupting_handler& operator=(const interrupting_handler&) = delete;
    ~interrupting_handler() { ::sigaction(SIGALRM, &before_, nullptr); }

private:
    struct sigaction before_ {};
};

class bombardment {
public:
    explicit bombardment(pthread_t target)
        : thread_([target](std::stop_token stop) {
              while (!stop.stop_requested()) {
                  ::pthread_kill(target, SIGALRM);
                  std::this_thread::sleep_for(1ms);
              }
          }) {}

private:
    std::jthread thread_;
};

bool is_blocked(int signal) {
    sigset_t now;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return ::sigismember(&now, signal) == 1;
}

}  // namespace

class interruptions : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, interruptions, all_designs(), design_name);

// If the loop repeated each interrupted wait with its full time, the sleep would never end.
TEST_P(interruptions, signals_that_interrupt_a_sleep_neither_prolong_nor_shorten_the_sleep) {
    const interrupting_handler handler;
    const auto owner = make_loop();
    event_loop& loop = *owner;
    std::vector<std::pair<time_point, time_point>> sleeps;
    auto sleeper = [&]() -> task<void> {
        for (int i = 0; i < 5; ++i) {
            const time_point deadline = loop.now() + 20ms;
            co_await loop.sleep_until(deadline);
            sleeps.emplace_back(deadline, loop.now());
        }
    };
    {
        const bombardment signals(::pthread_self());
        loop.run(sleeper());
    }
    EXPECT_EQ(sleeps.size(), 5u);
    for (const auto& [deadline, woken] : sleeps) EXPECT_GE(woken, deadline);
    EXPECT_GE(interrupts, 1);
}

TEST_P(interruptions, an_interrupted_wait_for_input_continues) {
    const interrupting_handler handler;
    const auto owner = make_loop();
    event_loop& loop = *owner;
    auto pair = make_unix_pair(loop);
    std::string received;
    auto reads = [&]() -> task<void> { received = co_await read_text(pair.one); };
    {
        const bombardment signals(::pthread_self());
        std::jthread writer([&] {
            while (interrupts < 5) std::this_thread::yield();
            put(pair.other.native_handle(), "after the signals");
        });
        loop.run(reads());
    }
    EXPECT_EQ(received, "after the signals");
    EXPECT_GE(interrupts, 5);
}

class signals_as_data : public on_real_time {};
INSTANTIATE_TEST_SUITE_P(, signals_as_data, all_designs(), design_name);

TEST_P(signals_as_data, signals_arrive_with_their_numbers) {
    event_loop& loop = keep(make_loop());
    signal_receiver signals(loop, {SIGUSR1, SIGUSR2});
    auto main = [&]() -> task<void> {
        ::pthread_kill(::pthread_self(), SIGUSR2);
        EXPECT_EQ(co_await signals.next(), SIGUSR2);
        loop.post([] { ::pthread_kill(::pthread_self(), SIGUSR1); });
        EXPECT_EQ(co_await signals.next(), SIGUSR1);
    };
    loop.run(main());
}

TEST_P(signals_as_data, a_wait_for_a_signal_can_be_cancelled) {
    event_loop& loop = keep(make_loop());
    signal_receiver signals(loop, {SIGUSR1});
    auto waits = [&]() -> task<void> { co_await signals.next(); };
    std::vector<task_handle<void>> waiting{create_task(loop, waits())};
    loop.run(yield_times(loop, 3));
    waiting[0].cancel();
    loop.run(until_done(waiting));
    EXPECT_EQ(ending_of(waiting[0].outcome()), "cancelled");
    ::pthread_kill(::pthread_self(), SIGUSR1);
    auto next = [&]() -> task<int> { co_return co_await signals.next(); };
    EXPECT_EQ(loop.run(next()), SIGUSR1) << "the cancelled wait must not receive a signal";
}

TEST_P(signals_as_data, signals_are_blocked_only_while_their_receiver_exists) {
    event_loop& loop = keep(make_loop());
    EXPECT_FALSE(is_blocked(SIGUSR1));
    {
        const signal_receiver signals(loop, {SIGUSR1});
        EXPECT_TRUE(is_blocked(SIGUSR1));
    }
    EXPECT_FALSE(is_blocked(SIGUSR1));
}

TEST_P(signals_as_data, a_signal_stays_blocked_when_the_receiver_of_another_signal_is_destroyed) {
    event_loop& loop = keep(make_loop());
    auto first = std::make_unique<signal_receiver>(loop, std::initializer_list<int>{SIGUSR1});
    auto second = std::make_unique<signal_receiver>(loop, std::initializer_list<int>{SIGUSR2});
    first.reset();
    EXPECT_FALSE(is_blocked(SIGUSR1));
    EXPECT_TRUE(is_blocked(SIGUSR2)) << "SIGUSR2 must stay blocked for the second receiver";
    { const signal_receiver nested(loop, {SIGUSR1, SIGUSR2}); }
    EXPECT_FALSE(is_blocked(SIGUSR1));
    EXPECT_TRUE(is_blocked(SIGUSR2));
    second.reset();
    EXPECT_FALSE(is_blocked(SIGUSR2));
}

TEST_P(signals_as_data, a_signal_stays_blocked_until_its_last_receiver_is_destroyed) {
    event_loop& loop = keep(make_loop());
    for (const std::size_t goes_first : {0u, 1u}) {
        std::array<std::unique_ptr<signal_receiver>, 2> receivers;
        for (auto& each : receivers)
            each = std::make_unique<signal_receiver>(loop, std::initializer_list<int>{SIGUSR1});
        receivers[goes_first].reset();
        ASSERT_TRUE(is_blocked(SIGUSR1)) << "an unblocked signal would end this process";
        ::pthread_kill(::pthread_self(), SIGUSR1);
        auto next = [](signal_receiver& signals) -> task<int> { co_return co_await signals.next(); };
        EXPECT_EQ(loop.run(next(*receivers[1 - goes_first])), SIGUSR1);
        receivers[1 - goes_first].reset();
        EXPECT_FALSE(is_blocked(SIGUSR1));
    }
}

TEST_P(signals_as_data, each_signal_goes_to_only_one_of_two_receivers) {
    event_loop& loop = keep(make_loop());
    signal_receiver one(loop, {SIGUSR1});
    signal_receiver other(loop, {SIGUSR1});
    int received = 0;
    auto waits = [&](auto& signals) -> task<void> {
        co_await signals.next();
        ++received;
    };
    loop.spawn(waits(one));
    loop.spawn(waits(other));
    turn_often(loop);
    for (const int sent : {1, 2}) {
        ::pthread_kill(::pthread_self(), SIGUSR1);
        turn_often(loop);
        EXPECT_EQ(received, sent);
    }
}

TEST_P(signals_as_data, a_signal_that_was_blocked_before_its_receiver_existed_stays_blocked) {
    event_loop& loop = keep(make_loop());
    sigset_t usr1;
    ::sigemptyset(&usr1);
    ::sigaddset(&usr1, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
    { const signal_receiver signals(loop, {SIGUSR1}); }
    EXPECT_TRUE(is_blocked(SIGUSR1));
    ::pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
}

TEST_P(signals_as_data, a_receiver_of_an_invalid_signal_number_throws) {
    event_loop& loop = keep(make_loop());
    EXPECT_THROW(signal_receiver(loop, {NSIG + 1}), std::system_error);
}

TEST_P(signals_as_data, a_receiver_whose_constructor_throws_blocks_no_signal) {
    const descriptor_limit limit;
    const auto owner = make_loop();
    event_loop& loop = *owner;
    EXPECT_THROW(throw_errno("the first"), std::system_error);  // UBSan opens its pipe here, not later
    limit.use_up();
    EXPECT_THROW(signal_receiver(loop, {SIGUSR1}), std::system_error);
    limit.restore();
    EXPECT_FALSE(is_blocked(SIGUSR1));
}

}  // namespace loopbench::loop::test
