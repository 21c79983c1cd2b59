// Document 001's loop (and the first half of 004's): every task is asked in turn whether it can go on.
//
// There is no timer queue and no selector. A sleep is a task that looks at the clock each time it is asked;
// waiting for another task is asking it on every turn whether it is done. It is the simplest loop there is,
// and it burns a whole core whatever it waits for.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <source_location>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "loop/drivers/retry.hpp"
#include "loop/runtime.hpp"
#include "loop/task_handle.hpp"
#include "loop/timers/heap.hpp"
#include "loop/waits/spin.hpp"

namespace loopbench::loop {

/// What the network's own pauses (accept without descriptors) and scheduled calls use; tasks sleep as below.
struct round_robin_design {
    using driver = retry_driver;
    using timers = heap_timers;
    using wait = spin_wait;
    using clock = monotonic_clock;
    static constexpr std::size_t callbacks_between_polls = 0;
    static constexpr std::string_view name = "loop-round-robin";
};

/// A task's handle as document 001 has it: to await it is to ask on every turn whether the task is done.
template <class T>
class polled_task_handle : public task_handle<T> {
public:
    polled_task_handle(task_handle<T> started, loop_core& loop) noexcept
        : task_handle<T>(std::move(started)), loop_(&loop) {}

    class awaiter;
    awaiter operator co_await() const noexcept { return awaiter(*this); }

private:
    loop_core* loop_;
};

template <class T>
class polled_task_handle<T>::awaiter : resumption<> {
public:
    explicit awaiter(const polled_task_handle& asked) noexcept : asked_(asked) {}

    bool await_ready() const noexcept { return asked_.done(); }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        if (!suspend(waiter, nullptr)) return false;
        complete = &ask;
        asked_.loop_->ready().push(*this);
        return true;
    }

    T await_resume() {
        if (!asked_.done()) throw_if_cancelled();
        return asked_.outcome().result();
    }

private:
    static void ask(operation* op, completion how) {
        if (how != completion::run) return resume_when_run(op, how);
        auto& self = *static_cast<awaiter*>(op);
        if (self.asked_.done() || self.cancel_requested()) {
            self.resume();
        } else {
            self.asked_.loop_->ready().push(self);
        }
    }

    polled_task_handle asked_;
};

/// `D` is round_robin_design, or that with another clock.
template <Design D>
class basic_round_robin_runtime : public runtime<D> {
public:
    /// Asks the clock on every turn.
    task<void> sleep_until(time_point when) {
        do {
            co_await this->yield();
        } while (this->now() < when);
    }
    task<void> sleep_for(nanoseconds delay) { return sleep_until(deadline_after(this->now(), delay)); }

    /// Starts all children, and asks on every turn whether they are done. (Only the plain gather is the
    /// document's; the other modes are a real join.)
    template <class T, std::size_t Extent>
    task<void> gather(std::span<task<T>, Extent> children, join_mode mode = join_mode::all) {
        if (mode != join_mode::all) {
            co_await loop_core::gather(children, mode);
            co_return;
        }
        std::vector<polled_task_handle<void>> running;
        std::exception_ptr failure;
        for (task<T>& child : children) running.push_back(create_task(*this, end_of(child, failure)));
        bool cancelled = false;
        for (const auto& child : running) {
            while (!child.done()) {
                try {
                    co_await child;
                } catch (const task_cancelled&) {  // the gather: how a child ends is kept in the child
                    cancelled = true;
                    for (const auto& each : running) each.cancel();
                }
            }
        }
        if (cancelled) throw task_cancelled();
        if (failure) std::rethrow_exception(failure);
    }

private:
    template <class T>
    static task<void> end_of(task<T>& child, std::exception_ptr& first_failure) {
        co_await child.join();
        if (!first_failure) first_failure = child.failure();
    }
};

/// As for any loop, but awaiting the handle polls.
template <Design D, class T>
polled_task_handle<T> create_task(basic_round_robin_runtime<D>& loop, task<T> work,
                                  const std::source_location& where = std::source_location::current()) {
    return {create_task(static_cast<loop_core&>(loop), std::move(work), where), loop};
}

using round_robin_runtime = basic_round_robin_runtime<round_robin_design>;

}  // namespace loopbench::loop
