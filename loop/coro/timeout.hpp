// A time limit on any task.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "loop/coro/task.hpp"
#include "loop/loop.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

namespace detail {

template <class T>
task<void> keep_result(task<T> work, std::optional<T>& result) {
    result.emplace(co_await std::move(work));
}

inline task<void> keep_result(task<void> work, std::optional<std::monostate>& result) {
    co_await std::move(work);
    result.emplace();
}

inline task<void> sleep_until(event_loop& loop, time_point deadline) {
    co_await loop.sleep_until(deadline);
}

}  // namespace detail

/// Runs `work` until it ends or the deadline has come; then it is cancelled, and has ended when this
/// completes. Gives the value (std::monostate for void), or nothing when the time was up; throws what `work`
/// throws, be it because it was cancelled.
template <class T>
task<std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>>> with_deadline(
    event_loop& loop, task<T> work, time_point deadline) {
    std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> result;
    std::array contestants{detail::keep_result(std::move(work), result), detail::sleep_until(loop, deadline)};
    const bool in_time = co_await loop.race(std::span(contestants)) == 0;
    try {
        if (!in_time) contestants[0].result();
    } catch (const task_cancelled&) {  // it ended as it was asked to
    }
    co_return result;
}

}  // namespace loopbench::loop
