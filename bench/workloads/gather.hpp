// The join: a thousand children that each suspend once.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/runtime.hpp"
#include "bench/workloads/lateness.hpp"
#include "bench/workloads/sizes.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

template <Runtime R>
task_of<R> yielding_child(R& runtime, std::uint64_t& ended) {
    co_await runtime.yield();
    ++ended;
}

template <Runtime R>
task_of<R> sleeping_child(R& runtime, trial& t, time_point deadline) {
    co_await runtime.sleep_until(deadline);
    record_lateness(t, deadline);
}

}  // namespace detail

/// One operation: one child of a gather of 1000; each child yields once. Creating the children is part of it.
template <Runtime R>
task_of<R> gather_yield(R& runtime, trial& t) {
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
    std::uint64_t incomplete_gathers = 0;
    std::vector<task_of<R>> children;
    children.reserve(gather_children);
    t.begin();
    while (started < t.operations()) {
        for (std::uint64_t i = 0; i < gather_children; ++i)
            children.push_back(detail::yielding_child(runtime, ended));
        started += gather_children;
        co_await runtime.gather(std::span<task_of<R>>(children));
        if (ended != started) ++incomplete_gathers;
        children.clear();
    }
    t.end();
    t.did(started);
    t.prove("children that ended", started, ended);
    t.prove("gathers that completed before their children", 0, incomplete_gathers);
}

/// One operation: a gather of 1000 children that sleep to the same deadline, 10 ms ahead. Every child's
/// lateness is recorded, so the last percentiles show how far the last child is behind the first.
template <Runtime R>
task_of<R> gather_sleep(R& runtime, trial& t) {
    std::vector<task_of<R>> children;
    children.reserve(gather_children);
    t.begin();
    for (std::uint64_t gathers = 0; gathers < t.operations(); ++gathers) {
        const time_point deadline = runtime.now() + gather_sleep_time;
        for (std::uint64_t i = 0; i < gather_children; ++i)
            children.push_back(detail::sleeping_child(runtime, t, deadline));
        co_await runtime.gather(std::span<task_of<R>>(children));
        children.clear();
    }
    t.end();
    t.prove("children that woke", t.operations() * gather_children, t.lateness().count());
}

}  // namespace loopbench::bench::workloads
