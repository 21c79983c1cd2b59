// Document 001's loop (and the first half of 004's): every task is asked in turn whether it can go on.
//
// There is no timer queue and no selector. A sleep is a task that looks at the clock each time it is asked;
// waiting for another task is asking it on every turn whether it is done. It is the simplest loop there is,
// and it burns a whole core whatever it waits for.
#pragma once

#include <exception>
#include <span>
#include <string_view>
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
        std::vector<task_handle<void>> running;
        std::exception_ptr failure;
        for (task<T>& child : children) running.push_back(create_task(*this, end_of(child, failure)));
        bool cancelled = false;
        for (const task_handle<void>& child : running) {
            while (!child.done()) {
                if (!co_await turn_was_cancelled()) continue;
                cancelled = true;
                for (const task_handle<void>& each : running) each.cancel();
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

    task<bool> turn_was_cancelled() {
        try {
            co_await this->yield();
        } catch (const task_cancelled&) {
            co_return true;
        }
        co_return false;
    }
};

using round_robin_runtime = basic_round_robin_runtime<round_robin_design>;

}  // namespace loopbench::loop
