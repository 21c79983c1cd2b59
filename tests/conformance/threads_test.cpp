// Tests that the runtimes with several threads fulfil the contract of bench/suite/threads_runtime.hpp.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/threads_runtimes.hpp"

namespace loopbench::conformance {

using bench::home_kind;
using bench::this_thread_index;

/// Ends run() when `parts` parts have ended.
template <class R>
class countdown {
public:
    countdown(R& runtime, std::size_t parts) : runtime_(runtime), left_(parts) {}

    void one_ended() {
        if (left_.fetch_sub(1) == 1) runtime_.finish();
    }

private:
    R& runtime_;
    std::atomic<std::size_t> left_;
};

constexpr std::size_t posts = 500;

/// Posts functions from the main thread, and from each home. post(sender, f) posts f in the way that is
/// tested. Expects that f runs in the order of posting of each sender, and never twice at the same time.
template <class R, class Post>
void expect_serial(R& runtime, Post post) {
    const std::size_t senders = runtime.homes() + 1;
    countdown<R> left(runtime, senders * posts);
    std::vector<std::size_t> next(senders, 0);  // used without a lock
    std::size_t ran = 0, out_of_order = 0;
    // These are relaxed, so that ThreadSanitizer sees no synchronisation except the runtime's.
    std::atomic<bool> is_inside{false}, has_overlapped{false};
    constexpr auto relaxed = std::memory_order_relaxed;
    const auto send_all = [&](std::size_t sender) {
        for (std::size_t i = 0; i < posts; ++i)
            post([&, sender, i] {
                if (is_inside.exchange(true, relaxed)) has_overlapped.store(true, relaxed);
                if (next[sender]++ != i) ++out_of_order;
                ++ran;
                // Some functions take longer, so that another thread could begin the next function meanwhile.
                for (int looks = i % 50 == 0 ? 20'000 : 0; looks > 0 && !has_overlapped.load(relaxed);)
                    --looks;
                is_inside.store(false, relaxed);
                left.one_ended();
            });
    };
    send_all(0);
    for (std::size_t home = 0; home < runtime.homes(); ++home)
        runtime.post(home, [&, home] { send_all(home + 1); });
    runtime.run();
    EXPECT_FALSE(has_overlapped);
    EXPECT_EQ(ran, senders * posts);
    EXPECT_EQ(out_of_order, 0U);
}

THREADS_TEST(ThreadedRuntime, functions_of_a_home_run_in_order_and_never_at_the_same_time) {
    if (R::homes_are == home_kind::any_thread) GTEST_SKIP() << who.name << " does not promise it";
    for (const std::size_t home : {std::size_t{0}, threads - 1}) {
        const auto runtime = who.of(threads);
        expect_serial(*runtime, [&](auto function) { runtime->post(home, function); });
    }
}

THREADS_TEST(ThreadedRuntime, functions_of_a_strand_run_in_order_and_never_at_the_same_time) {
    const auto runtime = who.of(threads);
    auto strand = runtime->make_strand(7);
    expect_serial(*runtime, [copy = strand](auto function) mutable { copy.post(function); });
}

THREADS_TEST(ThreadedRuntime, every_function_runs_once_in_a_thread_of_the_runtime) {
    const auto runtime = who.of(threads);
    EXPECT_EQ(runtime->threads(), threads);
    EXPECT_EQ(this_thread_index(), bench::no_thread);
    std::vector<std::atomic<int>> ran(3 * posts);
    std::atomic<std::size_t> elsewhere{0};
    countdown<R> left(*runtime, ran.size());
    const auto function = [&](std::size_t number) {
        return [&, number] {
            ++ran[number];
            if (this_thread_index() >= threads) ++elsewhere;
            left.one_ended();
        };
    };
    for (std::size_t i = 0; i < posts; ++i) {
        runtime->post(i % runtime->homes(), function(3 * i));
        runtime->post_to_any([&, i] {
            runtime->post_to_any(function(3 * i + 1));
            runtime->make_strand(i).post(function(3 * i + 2));
        });
    }
    runtime->run();
    for (std::size_t i = 0; i < ran.size(); ++i) EXPECT_EQ(ran[i].load(), 1) << i;
    EXPECT_EQ(elsewhere, 0U);
}

THREADS_TEST(ThreadedRuntime, a_home_that_is_a_thread_runs_its_functions_in_this_thread) {
    if (R::homes_are != home_kind::thread) GTEST_SKIP() << who.name << " does not promise it";
    const auto runtime = who.of(threads);
    countdown<R> left(*runtime, 2 * runtime->homes());
    std::atomic<std::size_t> wrong{0};
    for (std::size_t home = 0; home < runtime->homes(); ++home)
        runtime->post(home, [&, home] {
            if (this_thread_index() != home) ++wrong;
            const std::size_t next = (home + 1) % runtime->homes();
            runtime->post(next, [&, next] {
                if (this_thread_index() != next) ++wrong;
                left.one_ended();
            });
            left.one_ended();
        });
    runtime->run();
    EXPECT_EQ(wrong, 0U);
}

/// Calls post(f), and returns true if f ran in this call. Each f then calls left.one_ended().
template <class R, class Post>
bool runs_inside(countdown<R>& left, Post post) {
    static thread_local bool is_posting, ran_inside;  // of the thread that posts
    is_posting = true;
    ran_inside = false;
    post([&left] {
        ran_inside |= is_posting;
        left.one_ended();
    });
    is_posting = false;
    return ran_inside;
}

THREADS_TEST(ThreadedRuntime, a_post_never_runs_its_function_itself) {
    const auto runtime = who.of(threads);
    countdown<R> left(*runtime, 3);
    runtime->post(0, [&] {
        EXPECT_FALSE(runs_inside(left, [&](auto f) { runtime->post(0, f); }));
        EXPECT_FALSE(runs_inside(left, [&](auto f) { runtime->post_to_any(f); }));
        EXPECT_FALSE(runs_inside(left, [&](auto f) { runtime->make_strand(0).post(f); }));
    });
    runtime->run();
}

THREADS_TEST(ThreadedRuntime, the_first_exception_of_a_function_ends_run_in_all_threads) {
    const auto runtime = who.of(threads);
    for (std::size_t home = 1; home < runtime->homes(); ++home) runtime->post(home, [] {});
    runtime->post(threads - 1, [] { throw std::runtime_error("planted"); });
    try {
        runtime->run();
        ADD_FAILURE() << "run() returned";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "planted");
    }
}

THREADS_TEST(ThreadedRuntime, destroying_a_runtime_frees_the_functions_that_have_not_run) {
    const auto owned = std::make_shared<int>();
    {
        const auto never_ran = who.of(threads);
        never_ran->post(0, [owned] {});
        never_ran->post_to_any([owned] {});
        never_ran->make_strand(1).post([owned] {});
    }
    EXPECT_EQ(owned.use_count(), 1);
    {
        const auto ran = who.of(threads);
        ran->post(0, [&ran, owned] {
            ran->finish();
            for (std::size_t home = 0; home < ran->homes(); ++home) ran->post(home, [owned] {});
            ran->finish();
        });
        ran->run();
    }
    EXPECT_EQ(owned.use_count(), 1);
}

THREADS_TEST(ThreadedTimers, a_timer_fires_once_at_its_home_and_never_early) {
    const auto runtime = who.of(threads);
    countdown<R> left(*runtime, 3 * runtime->homes());
    std::atomic<std::size_t> fired{0}, wrong{0};
    for (std::size_t home = 0; home < runtime->homes(); ++home)
        runtime->post(home, [&, home] {
            for (const int ms : {0, 2, 1}) {
                const auto when = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
                runtime->arm(home, when, [&, home, when] {
                    ++fired;
                    if (std::chrono::steady_clock::now() < when - bench::early_limit<R>) ++wrong;
                    if (R::homes_are == home_kind::thread && this_thread_index() != home) ++wrong;
                    left.one_ended();
                });
            }
        });
    runtime->run();
    EXPECT_EQ(fired, 3 * runtime->homes());
    EXPECT_EQ(wrong, 0U);
}

THREADS_TEST(ThreadedTimers, a_timer_that_another_thread_cancels_does_not_fire_after_done) {
    const auto runtime = who.of(threads);
    constexpr std::size_t timers = 50;
    countdown<R> left(*runtime, timers * runtime->homes());
    std::atomic<std::size_t> late{0}, elsewhere{0};
    for (std::size_t home = 0; home < runtime->homes(); ++home)
        runtime->post(home, [&, home] {
            for (std::size_t i = 0; i < timers; ++i) {
                // Some timers are due before they are cancelled, some are due meanwhile, and some never.
                const auto when = std::chrono::steady_clock::now() + std::chrono::microseconds(i * i * i);
                const auto is_done = std::make_shared<std::atomic<bool>>(false);
                auto armed = runtime->arm(home, when, [&, is_done] {
                    if (*is_done) ++late;
                });
                runtime->post((home + 1) % runtime->homes(),
                              [&, home, is_done, armed = std::move(armed)]() mutable {
                                  runtime->cancel(std::move(armed), [&, home, is_done] {
                                      *is_done = true;
                                      if (R::homes_are == home_kind::thread && this_thread_index() != home)
                                          ++elsewhere;
                                      left.one_ended();
                                  });
                              });
            }
        });
    runtime->run();
    EXPECT_EQ(late, 0U);
    EXPECT_EQ(elsewhere, 0U);
}

THREADS_TEST(ThreadedTimers, cancelling_a_timer_never_runs_done_itself) {
    const auto runtime = who.of(threads);
    countdown<R> left(*runtime, 2);
    runtime->post(0, [&] {
        const auto cancel = [&](auto armed) {
            EXPECT_FALSE(runs_inside(left, [&](auto done) { runtime->cancel(std::move(armed), done); }));
        };
        const auto far = std::chrono::steady_clock::now() + std::chrono::hours(1);
        cancel(runtime->arm(0, far, [] {}));
        runtime->post(runtime->homes() - 1,
                      [cancel, armed = runtime->arm(0, far, [] {})]() mutable { cancel(std::move(armed)); });
    });
    runtime->run();
}

template <class R>
using task_in = typename R::template task<void>;

/// Echoes until the end of the stream.
template <class R>
task_in<R> echo(typename R::stream connection) {
    std::array<std::byte, 256> buffer;
    for (;;) {
        const auto received = co_await connection.read_some(buffer);
        if (received.error != 0 || received.bytes == 0) co_return;
        co_await connection.write_all(std::span<const std::byte>(buffer).first(received.bytes));
    }
}

template <class R>
task_in<R> expect_echoes(typename R::place here, std::uint16_t port, std::byte content,
                         std::atomic<std::size_t>& right, countdown<R>& left) {
    typename R::stream connection = co_await here.connect(port);
    for (int round = 0; round < 5; ++round) {
        const std::array<std::byte, 3> sent{content, std::byte(round), content};
        std::array<std::byte, 3> received{};
        co_await connection.write_all(sent);
        std::size_t filled = 0;
        while (filled < received.size()) {
            const auto part = co_await connection.read_some(std::span(received).subspan(filled));
            if (part.bytes == 0) break;
            filled += part.bytes;
        }
        if (received == sent) ++right;
    }
    connection.close();
    left.one_ended();
}

THREADS_TEST(ThreadedSockets, connections_to_the_port_are_served_once_and_by_most_threads) {
    const auto runtime = who.of(threads);
    constexpr std::size_t clients = 64;
    countdown<R> left(*runtime, clients);
    std::vector<std::atomic<std::size_t>> sessions(threads);
    std::atomic<std::size_t> right{0};
    const std::uint16_t port = runtime->serve([&](typename R::place, typename R::stream connection) {
        ++sessions.at(this_thread_index());
        return echo<R>(std::move(connection));
    });
    for (std::size_t i = 0; i < clients; ++i)
        runtime->spawn(i % runtime->homes(), [&, i, port](typename R::place here) {
            return expect_echoes<R>(here, port, std::byte(i), right, left);
        });
    runtime->run();
    EXPECT_EQ(std::accumulate(sessions.begin(), sessions.end(), std::size_t{0}), clients);
    EXPECT_EQ(right, 5 * clients);
    if (R::homes_are != home_kind::thread) return;
    for (std::size_t i = 0; who.deals_in_turn && i < threads; ++i)
        EXPECT_EQ(sessions[i], clients / threads) << i;
    // A hash that is uniform leaves out half of 32 threads once in 30 billion runs, and half of fewer threads
    // less often.
    const auto serving = std::ranges::count_if(sessions, [](const auto& count) { return count > 0; });
    EXPECT_GT(2 * serving, static_cast<std::ptrdiff_t>(threads));
}

THREADS_TEST(ThreadedSockets, an_event_that_another_thread_sets_wakes_its_coroutine) {
    const auto runtime = who.of(threads);
    constexpr std::size_t rounds = 20;
    countdown<R> left(*runtime, 2 * runtime->homes());
    std::atomic<std::size_t> woken{0};
    // Each coroutine passes its event to a function of the next home, which sets the event. Whether wait() or
    // set() is first depends on the threads.
    const auto wait = [&](typename R::place here, std::size_t home) -> task_in<R> {
        for (std::size_t i = 0; i < rounds; ++i) {
            typename R::event event(here);
            runtime->post((home + 1) % runtime->homes(), [&event] { event.set(); });
            co_await event.wait();
            ++woken;
        }
        left.one_ended();
    };
    // Here, set() is always first.
    const auto set_before = [&](typename R::place here) -> task_in<R> {
        typename R::event event(here);
        event.set();
        co_await event.wait();
        ++woken;
        left.one_ended();
    };
    for (std::size_t home = 0; home < runtime->homes(); ++home) {
        runtime->spawn(home, [&, home](typename R::place here) { return wait(here, home); });
        runtime->spawn(home, [&](typename R::place here) { return set_before(here); });
    }
    runtime->run();
    EXPECT_EQ(woken, runtime->homes() * (rounds + 1));
}

THREADS_TEST(ThreadedSockets, an_exception_of_a_coroutine_ends_run_and_suspended_coroutines_are_freed) {
    const auto owned = std::make_shared<int>();
    {
        const auto runtime = who.of(threads);
        const auto waits_for_ever = [](typename R::place here, std::shared_ptr<int>) -> task_in<R> {
            typename R::event never(here);
            co_await never.wait();
        };
        const auto fails = [](typename R::place here) -> task_in<R> {
            typename R::event event(here);
            event.set();
            co_await event.wait();
            throw std::runtime_error("planted");
        };
        runtime->serve(
            [&](typename R::place, typename R::stream connection) { return echo<R>(std::move(connection)); });
        for (std::size_t home = 0; home < runtime->homes(); ++home)
            runtime->spawn(home, [&, owned](typename R::place here) { return waits_for_ever(here, owned); });
        runtime->spawn(threads - 1, [&](typename R::place here) { return fails(here); });
        EXPECT_THROW(runtime->run(), std::runtime_error);
    }
    EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace loopbench::conformance
