#pragma once

#include <optional>

#include "loop/loop.hpp"

namespace loopbench::loop {

/// Runs `work`, and cancels it at the deadline. Completes when `work` has ended. Returns the value of `work`
/// (std::monostate for void), or std::nullopt if the deadline cancelled it. Throws the exception of `work`,
/// including task_cancelled if something other than the deadline cancelled it.
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
        co_return std::nullopt;
    }
}

}  // namespace loopbench::loop
