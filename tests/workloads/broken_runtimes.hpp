// Runtimes that do almost the right thing: each hides one function of a real one behind a fault, and a
// workload must notice it.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "asio_ref/runtime.hpp"
#include "bench/runtime.hpp"
#include "tests/workloads/epoll_runtime.hpp"

namespace loopbench::bench {

/// A cancelled timer fires all the same.
struct uncancellable_runtime : asio_ref::runtime {
    struct handle {
        void cancel() {}
    };
    template <class Function>
    handle call_at(time_point, Function&& function) {
        asio_ref::runtime::call_at(now(), std::forward<Function>(function));
        return {};
    }
};

/// Not broken: a cancelled timer is done with on a later turn, as in Asio. Counts what was cancelled and done
/// with.
struct late_paying_runtime : asio_ref::runtime {
    struct handle {
        void cancel() {
            call.cancel();
            ++cancelled;
            loop->post([] { ++paid; });
        }
        late_paying_runtime* loop;
        asio_ref::call_handle call;
    };
    template <class Function>
    handle call_at(time_point when, Function&& function) {
        return {this, asio_ref::runtime::call_at(when, std::forward<Function>(function))};
    }

    static inline std::uint64_t cancelled = 0;
    static inline std::uint64_t paid = 0;
};

/// The Runtime concept and no word more.
class bare_runtime : asio_ref::runtime {
    using base = asio_ref::runtime;

public:
    template <class T>
    using task = base::task<T>;
    using base::connect, base::event, base::gather, base::get_executor, base::listen, base::listener,
        base::name, base::now, base::post, base::post_from_any_thread, base::run, base::sleep_until,
        base::spawn, base::stream, base::yield;
};

/// Sleeps end so many microseconds before their deadline.
template <int EarlyMicroseconds>
struct early_runtime : asio_ref::runtime {
    task<void> sleep_until(time_point deadline) {
        // The real timer is late by some tens of microseconds, so the last stretch is spun.
        const time_point early = deadline - std::chrono::microseconds(EarlyMicroseconds);
        co_await asio_ref::runtime::sleep_until(early - std::chrono::microseconds(300));
        while (now() < early) {
        }
    }
};

/// The last child of a gather is never started.
struct skipping_runtime : asio_ref::runtime {
    task<void> gather(std::span<task<void>> tasks) {
        return asio_ref::runtime::gather(tasks.first(tasks.size() - 1));
    }
};

/// A gather completes although its children have not; they are kept, so that nothing dangles.
struct hasty_runtime : asio_ref::runtime {
    task<void> gather(std::span<task<void>> tasks) {
        for (auto& child : tasks) kept.push_back(std::move(child));
        co_return;
    }
    std::vector<task<void>> kept;
};

/// One posted function of so many is not run.
struct losing_runtime : asio_ref::runtime {
    template <class Function>
    void post(Function&& function) {
        if (++posts % 100 == 0) return;
        asio_ref::runtime::post(std::forward<Function>(function));
    }
    int posts = 0;
};

/// One spawned task of so many is dropped.
struct dropping_spawn_runtime : asio_ref::runtime {
    void spawn(task<void> detached) {
        if (++spawns % 100 == 0) return;
        asio_ref::runtime::spawn(std::move(detached));
    }
    int spawns = 0;
};

/// A yield that does not let go.
struct greedy_runtime : asio_ref::runtime {
    task<void> yield() { co_return; }
};

/// A sleep that does not sleep. The clock is an hour ahead, and with it the deadlines, so that no machine is
/// so slow that they have passed all the same.
struct sleepless_runtime : asio_ref::runtime {
    time_point now() const { return asio_ref::runtime::now() + std::chrono::hours(1); }
    auto sleep_until(time_point) { return yield(); }
};

/// An hour behind, so that what the deadlines of its sleeps are made from has passed.
struct late_clock_runtime : asio_ref::runtime {
    time_point now() const { return asio_ref::runtime::now() - std::chrono::hours(1); }
};

/// Far deadlines do not fit into its timers.
struct overflowing_runtime : asio_ref::runtime {
    task<void> sleep_until(time_point deadline) {
        if (deadline - now() > std::chrono::minutes(1)) co_return co_await yield();
        co_await asio_ref::runtime::sleep_until(deadline);
    }
};

/// The second sleep does not end while another one is under way.
struct one_sleep_runtime : asio_ref::runtime {
    task<void> sleep_until(time_point deadline) {
        const bool held = ++sleeps == 2;
        if (!held) ++under_way;
        co_await asio_ref::runtime::sleep_until(deadline);
        while (held && under_way > 0) co_await yield();
        if (!held) --under_way;
    }
    int sleeps = 0;
    int under_way = 0;
};

/// As on a machine that lets the process stand still before each look at the clock. Nothing is wrong with it.
struct halted_runtime : asio_ref::runtime {
    time_point now() const {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return asio_ref::runtime::now();
    }
};

/// Its timers call twice.
struct stuttering_timers_runtime : asio_ref::runtime {
    template <class Function>
    auto call_at(time_point when, Function function) {
        return asio_ref::runtime::call_at(when, [function]() mutable {
            function();
            function();
        });
    }
};

/// Every tenth timer calls at once.
struct rash_timers_runtime : asio_ref::runtime {
    template <class Function>
    asio_ref::call_handle call_at(time_point when, Function function) {
        if (++timers % 10 != 0) return asio_ref::runtime::call_at(when, std::move(function));
        function();
        return asio_ref::runtime::call_at(when, [] {});
    }
    int timers = 0;
};

/// Posted functions run in pairs, the second one first.
struct reordering_runtime : asio_ref::runtime {
    template <class Function>
    void post(Function&& function) {
        if (!held) {
            held = std::forward<Function>(function);
            return;
        }
        asio_ref::runtime::post(std::forward<Function>(function));
        asio_ref::runtime::post(std::exchange(held, nullptr));
    }
    std::function<void()> held;
};

/// Posted functions run twice, from the 1501st on.
struct stuttering_runtime : asio_ref::runtime {
    template <class Function>
    void post(Function function) {
        const bool twice = ++posts > 1500;
        asio_ref::runtime::post([function, twice]() mutable {
            function();
            if (twice) function();
        });
    }
    template <class Function>
    void post_from_any_thread(Function function) {
        asio_ref::runtime::post([function]() mutable {
            function();
            function();
        });
    }
    int posts = 0;
};

/// Every second yield goes on at once.
struct half_greedy_runtime : asio_ref::runtime {
    task<void> yield() {
        if (++yields % 2 == 0) co_await asio_ref::runtime::yield();
    }
    int yields = 0;
};

/// A spawned task starts inside of spawn(), as Asio would have it.
struct inline_spawn_runtime : asio_ref::runtime {
    void spawn(task<void> detached) {
        boost::asio::co_spawn(get_executor(), std::move(detached), boost::asio::detached);
    }
};

/// The gather of this number completes before its children, which do run.
template <int Number>
struct early_gather_runtime : asio_ref::runtime {
    task<void> gather(std::span<task<void>> tasks) {
        if (++gathers != Number) co_return co_await asio_ref::runtime::gather(tasks);
        for (auto& child : tasks) spawn(std::move(child));
    }
    int gathers = 0;
};

/// The gather of this number leaves its last child out.
template <int Number>
struct skipping_once_runtime : asio_ref::runtime {
    task<void> gather(std::span<task<void>> tasks) {
        return asio_ref::runtime::gather(tasks.first(tasks.size() - (++gathers == Number ? 1 : 0)));
    }
    int gathers = 0;
};

/// A gather of so many leaves the first out.
template <std::size_t Children>
struct beheading_runtime : asio_ref::runtime {
    task<void> gather(std::span<task<void>> tasks) {
        return asio_ref::runtime::gather(tasks.subspan(tasks.size() == Children ? 1 : 0));
    }
};

/// A gather runs one child after the other.
struct serial_gather_runtime : asio_ref::runtime {
    task<void> gather(std::span<task<void>> tasks) {
        for (auto& child : tasks) co_await std::move(child);
    }
};

/// Every second awaited task is not run; what it gives is 0.
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

/// The kernel does not give what the loop is made of.
template <int Errno>
struct refused_runtime : asio_ref::runtime {
    refused_runtime() { throw std::system_error(Errno, std::system_category(), "io_uring_setup"); }
};

}  // namespace loopbench::bench
