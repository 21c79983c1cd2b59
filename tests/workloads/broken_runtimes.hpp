// Runtimes that do almost the right thing: each breaks a function of one that does, and a workload must
// notice it.
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

/// A cancelled timer fires all the same.
struct uncancellable_runtime : breakable_runtime {
    timer_handle call_at(time_point, std::function<void()> function) override {
        return breakable_runtime::call_at(now(), std::move(function));
    }
    void cancel(asio_ref::call_handle&) override {}
};

/// Sleeps end so many microseconds before their deadline.
template <int EarlyMicroseconds>
struct early_runtime : breakable_runtime {
    task<void> sleep_until(time_point deadline) override {
        // The real timer is late by some tens of microseconds, so the last stretch is spun.
        const time_point early = deadline - std::chrono::microseconds(EarlyMicroseconds);
        co_await breakable_runtime::sleep_until(early - std::chrono::microseconds(300));
        while (now() < early) {
        }
    }
};

/// The last child of a gather is never started.
struct skipping_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        return breakable_runtime::gather(tasks.first(tasks.size() - 1));
    }
};

/// A gather completes although its children have not; they are kept, so that nothing dangles.
struct hasty_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        for (auto& child : tasks) kept.push_back(std::move(child));
        co_return;
    }
    std::vector<task<void>> kept;
};

/// One posted function of so many is not run.
struct losing_runtime : breakable_runtime {
    void post(std::function<void()> function) override {
        if (++posts % 100 != 0) breakable_runtime::post(std::move(function));
    }
    int posts = 0;
};

/// One spawned task of so many is dropped.
struct dropping_spawn_runtime : breakable_runtime {
    void spawn(task<void> detached) override {
        if (++spawns % 100 != 0) breakable_runtime::spawn(std::move(detached));
    }
    int spawns = 0;
};

/// A yield that does not let go.
struct greedy_runtime : breakable_runtime {
    task<void> yield() override { co_return; }
};

/// A sleep that does not sleep. The clock is an hour ahead, and with it the deadlines, so that no machine is
/// so slow that they have passed all the same.
struct sleepless_runtime : breakable_runtime {
    time_point now() const override { return breakable_runtime::now() + std::chrono::hours(1); }
    task<void> sleep_until(time_point) override { return yield(); }
};

/// An hour behind, so that what the deadlines of its sleeps are made from has passed.
struct late_clock_runtime : breakable_runtime {
    time_point now() const override { return breakable_runtime::now() - std::chrono::hours(1); }
};

/// Far deadlines do not fit into its timers.
struct overflowing_runtime : breakable_runtime {
    task<void> sleep_until(time_point deadline) override {
        if (deadline - now() > std::chrono::minutes(1)) co_return co_await yield();
        co_await breakable_runtime::sleep_until(deadline);
    }
};

/// The second sleep does not end while another one is under way.
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

/// As on a machine that lets the process stand still before each look at the clock. Nothing is wrong with it.
struct halted_runtime : breakable_runtime {
    time_point now() const override {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return breakable_runtime::now();
    }
};

/// Its timers call twice.
struct stuttering_timers_runtime : breakable_runtime {
    timer_handle call_at(time_point when, std::function<void()> function) override {
        return breakable_runtime::call_at(when, [function] {
            function();
            function();
        });
    }
};

/// Every tenth timer calls at once.
struct rash_timers_runtime : breakable_runtime {
    timer_handle call_at(time_point when, std::function<void()> function) override {
        if (++timers % 10 != 0) return breakable_runtime::call_at(when, std::move(function));
        function();
        return breakable_runtime::call_at(when, [] {});
    }
    int timers = 0;
};

/// Posted functions run in pairs, the second one first.
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

/// Posted functions run twice, from the 1501st on; those of other threads always.
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

/// Every second yield goes on at once.
struct half_greedy_runtime : breakable_runtime {
    task<void> yield() override {
        if (++yields % 2 == 0) co_await breakable_runtime::yield();
    }
    int yields = 0;
};

/// A spawned task starts inside of spawn(), as Asio would have it.
struct inline_spawn_runtime : breakable_runtime {
    void spawn(task<void> detached) override {
        boost::asio::co_spawn(get_executor(), std::move(detached), boost::asio::detached);
    }
};

/// The gather of this number completes before its children, which do run.
template <int Number>
struct early_gather_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        if (++gathers != Number) co_return co_await breakable_runtime::gather(tasks);
        for (auto& child : tasks) spawn(std::move(child));
    }
    int gathers = 0;
};

/// The gather of this number leaves its last child out.
template <int Number>
struct skipping_once_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        return breakable_runtime::gather(tasks.first(tasks.size() - (++gathers == Number ? 1 : 0)));
    }
    int gathers = 0;
};

/// A gather of so many leaves the first out.
template <std::size_t Children>
struct beheading_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        return breakable_runtime::gather(tasks.subspan(tasks.size() == Children ? 1 : 0));
    }
};

/// A gather runs one child after the other.
struct serial_gather_runtime : breakable_runtime {
    task<void> gather(std::span<task<void>> tasks) override {
        for (auto& child : tasks) co_await std::move(child);
    }
};

/// Every second awaited task is not run; what it gives is 0. Its tasks are a type of their own.
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
