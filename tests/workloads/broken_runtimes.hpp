#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/workloads/breakable_runtime.hpp"
#include "tests/workloads/epoll_runtime.hpp"

namespace loopbench::bench {

struct uncancellable_runtime : breakable_runtime {
    timer_handle call_at(time_point, std::function<void()> function) override {
        return breakable_runtime::call_at(now(), std::move(function));
    }
    void cancel(asio_ref::call_handle&) override {}
};

template <int EarlyMicroseconds>
struct early_runtime : breakable_runtime {
    task<void> sleep_until(time_point deadline) override {
        // The last part of the sleep is a spin, because a real sleep ends tens of microseconds too late.
        const time_point early = deadline - std::chrono::microseconds(EarlyMicroseconds);
        co_await breakable_runtime::sleep_until(early - std::chrono::microseconds(300));
        while (now() < early) {
        }
    }
};

struct skipping_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        return breakable_runtime::gather(tasks.first(tasks.size() - 1));
    }
};

struct hasty_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        for (auto& child : tasks) kept.push_back(std::move(child));
        co_return;
    }
    std::vector<task<void>> kept;
};

struct losing_runtime : breakable_runtime {
    void post(std::function<void()> function) override {
        if (++posts % 100 != 0) breakable_runtime::post(std::move(function));
    }
    int posts = 0;
};

struct dropping_spawn_runtime : breakable_runtime {
    void spawn(task<void> detached) override {
        if (++spawns % 100 != 0) breakable_runtime::spawn(std::move(detached));
    }
    int spawns = 0;
};

struct greedy_runtime : breakable_runtime {
    task<void> yield() override { co_return; }
};

/// A runtime whose sleeps return at once. Its clock is an hour ahead. A deadline that a workload calculates
/// from this clock has therefore not passed by the system's clock when the workload checks it, even on a slow
/// machine.
struct sleepless_runtime : breakable_runtime {
    time_point now() const override { return breakable_runtime::now() + std::chrono::hours(1); }
    task<void> sleep_until(time_point) override { return yield(); }
};

/// A runtime whose clock is an hour behind. Deadlines that a workload calculates from this clock have already
/// passed by the system's clock.
struct late_clock_runtime : breakable_runtime {
    time_point now() const override { return breakable_runtime::now() - std::chrono::hours(1); }
};

struct overflowing_runtime : breakable_runtime {
    task<void> sleep_until(time_point deadline) override {
        if (deadline - now() > std::chrono::minutes(1)) co_return co_await yield();
        co_await breakable_runtime::sleep_until(deadline);
    }
};

struct one_sleep_runtime : breakable_runtime {
    task<void> sleep_until(time_point deadline) override {
        const bool held = ++sleeps == 2;
        if (!held) ++under_way;
        co_await breakable_runtime::sleep_until(deadline);
        while (held && under_way > 0) co_await yield();
        if (!held) --under_way;
    }
    int sleeps = 0;
    int under_way = 0;
};

/// A runtime without a fault, on a machine that seems to stop the process for 5 ms before each reading of the
/// clock.
struct halted_runtime : breakable_runtime {
    time_point now() const override {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return breakable_runtime::now();
    }
};

struct stuttering_timers_runtime : breakable_runtime {
    timer_handle call_at(time_point when, std::function<void()> function) override {
        return breakable_runtime::call_at(when, [function] {
            function();
            function();
        });
    }
};

struct rash_timers_runtime : breakable_runtime {
    timer_handle call_at(time_point when, std::function<void()> function) override {
        if (++timers % 10 != 0) return breakable_runtime::call_at(when, std::move(function));
        function();
        return breakable_runtime::call_at(when, [] {});
    }
    int timers = 0;
};

struct reordering_runtime : breakable_runtime {
    void post(std::function<void()> function) override {
        if (!held) {
            held = std::move(function);
            return;
        }
        breakable_runtime::post(std::move(function));
        breakable_runtime::post(std::exchange(held, nullptr));
    }
    std::function<void()> held;
};

/// A runtime that runs some functions twice: all functions that other threads post, and those that its own
/// thread posts after the first 1500.
struct stuttering_runtime : breakable_runtime {
    void post(std::function<void()> function) override {
        ++posts > 1500 ? post_from_any_thread(std::move(function))
                       : breakable_runtime::post(std::move(function));
    }
    void post_from_any_thread(std::function<void()> function) override {
        breakable_runtime::post_from_any_thread([function] {
            function();
            function();
        });
    }
    int posts = 0;
};

struct half_greedy_runtime : breakable_runtime {
    task<void> yield() override {
        if (++yields % 2 == 0) co_await breakable_runtime::yield();
    }
    int yields = 0;
};

/// A runtime whose spawned tasks start inside spawn(), as in Asio.
struct inline_spawn_runtime : breakable_runtime {
    void spawn(task<void> detached) override {
        boost::asio::co_spawn(get_executor(), std::move(detached), boost::asio::detached);
    }
};

template <int Number>
struct early_gather_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        if (++gathers != Number) co_return co_await breakable_runtime::gather(tasks);
        for (auto& child : tasks) spawn(std::move(child));
    }
    int gathers = 0;
};

template <int Number>
struct skipping_once_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        return breakable_runtime::gather(tasks.first(tasks.size() - (++gathers == Number ? 1 : 0)));
    }
    int gathers = 0;
};

template <std::size_t Children>
struct beheading_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        return breakable_runtime::gather(tasks.subspan(tasks.size() == Children ? 1 : 0));
    }
};

struct serial_gather_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        for (auto& child : tasks) co_await std::move(child);
    }
};

/// A runtime in which every second awaited task returns 0 without running. This fault needs a separate task
/// type.
class forgetful_runtime : public epoll_runtime {
public:
    template <class T>
    struct task : loop::task<T> {
        using whole = loop::task<T>;
        task() = default;
        task(whole right) : whole(std::move(right)) {}

        auto operator co_await() && {
            return awaiter<T, decltype(std::declval<whole>().operator co_await())>{
                std::move(static_cast<whole&>(*this)).operator co_await(), ++awaits % 2 == 0};
        }
    };

    forgetful_runtime() { awaits = 0; }

    auto gather(std::span<task<void>> tasks) {
        return gather_all(std::vector<loop::task<void>>(std::move_iterator(tasks.begin()),
                                                        std::move_iterator(tasks.end())));
    }

private:
    template <class T, class Right>
    struct awaiter {
        Right right;
        bool forgotten;

        bool await_ready() const noexcept { return forgotten; }
        template <class Promise>
        auto await_suspend(std::coroutine_handle<Promise> waiter) const noexcept {
            return right.await_suspend(waiter);
        }
        T await_resume() const {
            if constexpr (std::is_void_v<T>)
                return forgotten ? void() : right.await_resume();
            else
                return forgotten ? T() : right.await_resume();
        }
    };

    loop::task<void> gather_all(std::vector<loop::task<void>> tasks) {
        co_await epoll_runtime::gather(std::span<loop::task<void>>(tasks));
    }

    static inline int awaits = 0;
};

}  // namespace loopbench::bench
