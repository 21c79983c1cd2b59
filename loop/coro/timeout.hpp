// A time limit for any task.
#pragma once

#include <optional>

#include "loop/loop.hpp"

namespace loopbench::loop {

/// Runs `work` until it ends or the deadline comes. At the deadline, `work` is cancelled; it has ended when
/// this function completes. Gives the value (std::monostate for void), or nothing if the time was up. Throws
/// the exception of `work`, also task_cancelled if something else cancelled it.
template <class T>
task<std::optional<kept_value<T>>> with_deadline(event_loop& loop, task<T> work, time_point deadline) {
    struct armed_limit {
        call_handle call;
        ~armed_limit() { call.cancel(); }
    };
    bool timed_out = false;
    const armed_limit limit{loop.call_at(deadline, [&] {
        timed_out = !work.done();
        if (timed_out) request_cancel(work.root());
    })};
    co_await loop.gather(std::span(&work, 1), join_mode::collect);
    try {
        if constexpr (std::is_void_v<T>) {
            work.result();
            co_return kept_value<T>();
        } else {
            co_return work.result();
        }
    } catch (const task_cancelled&) {
        if (!timed_out) throw;
        co_return std::nullopt;  // it ended as requested
    }
}

}  // namespace loopbench::loop
