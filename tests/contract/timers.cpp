// Timers that several threads use, one after the other, and that expire meanwhile.
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>

#include "tests/contract/contract.hpp"

namespace contract {

namespace {

// One thread sets a timer. Another one cancels it, changes its expiry, or destroys it. Each wait ends once.
// The threads are in run() or outside.
CONTRACT_PROGRAM(a_timer_passes_from_thread_to_thread, 1, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    bool is_outside = false;
    const auto in_another_thread = [&](const std::function<void()>& step) {
        is_outside = !is_outside;
        if (is_outside) return std::jthread(step).join();
        latch ended(1, "a posted function");
        net::post(context, [&] {
            step();
            ended.count_down();
        });
        ended.wait();
    };
    for (int i = 0; i < 12; ++i) {
        std::optional<net::steady_timer> timer;
        latch ended(2, "two aborted waits"), expired(1, "a wait for 1 ms");
        in_another_thread([&] {
            timer.emplace(context, 1h);
            for (int k = 0; k < 2; ++k)
                timer->async_wait([&](error_code error) {
                    check(error == net::error::operation_aborted, "a timer of an hour expired");
                    ended.count_down();
                });
        });
        in_another_thread([&] {
            if (i % 3 == 0) check_count(timer->cancel(), 2, "waits cancelled");
            if (i % 3 == 1) {
                check_count(timer->expires_after(1ms), 2, "waits cancelled by expires_after()");
                timer->async_wait([&](error_code error) {
                    check(!error, "the wait for 1 ms was aborted");
                    expired.count_down();
                });
            }
            if (i % 3 == 2) timer.reset();
        });
        ended.wait();
        if (i % 3 == 1) expired.wait();
        in_another_thread([&] { timer.reset(); });
    }
    guard.reset();
    running.join();
}

// Two threads cancel, change and destroy 1000 timers that expire at this time. Each handler is called once,
// and receives operation_aborted exactly if the call reports that it has cancelled the wait.
CONTRACT_PROGRAM(cancelling_races_with_expiry, 1, 2, 4, 16) {
    struct tested_timer {
        std::optional<net::steady_timer> timer;
        std::atomic<int> called = 0, aborted = 0;
        std::size_t cancelled = 0;
        bool is_destroyed = false;
    };
    net::io_context context;
    auto guard = net::make_work_guard(context);
    std::deque<tested_timer> all(1000);
    std::minstd_rand random(1);
    const auto begin = std::chrono::steady_clock::now();
    for (auto& each : all) {
        each.timer.emplace(context, begin + std::chrono::microseconds(random() % 5000));
        each.timer->async_wait([&each](error_code error) {
            ++each.called;
            if (error == net::error::operation_aborted) ++each.aborted;
        });
    }
    runners running(context, threads);
    const auto end_some = [&](std::size_t first) {
        for (std::size_t i = first; i < all.size(); i += 2) {
            auto& each = all[i];
            const std::size_t how = i / 2 % 3;
            each.is_destroyed = how == 2;
            if (how == 0) each.cancelled = each.timer->cancel();
            if (how == 1) each.cancelled = each.timer->expires_after(1h);
            if (how == 2) each.timer.reset();
        }
    };
    {
        const std::jthread other([&] { end_some(1); });
        end_some(0);
    }
    guard.reset();
    running.join();
    for (const auto& each : all) {
        check_count(each.called.load(), 1, "calls of the handler of a timer");
        if (!each.is_destroyed)
            check_count(each.aborted.load(), each.cancelled,
                        "waits aborted, as cancel() or expires_after() reports");
    }
}

// Timers that are armed again in their strands, while functions of the same strands re-arm them, end each
// wait once.
CONTRACT_PROGRAM(a_timer_in_a_strand_ends_each_wait_once, 2, 4, 16) {
    constexpr int waits = 50;
    struct strand_timer {
        explicit strand_timer(net::io_context& context) : timer(net::make_strand(context)) {}
        void wait() {
            timer.expires_after(std::chrono::microseconds(begun % 100));
            ++begun;
            timer.async_wait([this](error_code error) {
                place.visit([&] {
                    ++ended;
                    if (!error && begun < waits) wait();
                });
            });
        }
        net::steady_timer timer;
        exclusive_place place;
        int begun = 0, ended = 0;
    };
    net::io_context context;
    std::deque<strand_timer> all;
    for (int i = 0; i < 20; ++i) all.emplace_back(context);
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    for (int i = 0; i < 10; ++i)
        for (auto& each : all)
            net::post(each.timer.get_executor(), [&each] {
                each.place.visit([&] { each.wait(); });  // ends the wait before
            });
    guard.reset();
    running.join();
    for (auto& each : all) {
        check(each.begun >= waits, "a timer stopped early");
        check_count(each.ended, each.begun, "ends of waits");
    }
}

}  // namespace

}  // namespace contract
