// Each header with workloads ends with a struct NAME_family, which bench/catalog/CMakeLists.txt expects. The
// struct contains the explanations (about), the properties (shapes) and the functions (functions) of the
// header's workloads.
#pragma once

#include <array>
#include <string_view>

#include "bench/catalog/workload_table.hpp"
#include "bench/suite/runtime.hpp"
#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

template <Runtime R>
struct workload {
    std::string_view name;
    task_of<R> (*run)(R& runtime, trial& t);  // null if the runtime lacks a feature that the workload needs
    std::string_view lacks{};
};

/// Returns a workload that needs the feature `word`. If the runtime lacks the feature (`HasTheWord` is
/// false), `run` is not compiled.
template <Runtime R, bool HasTheWord, class Run>
constexpr workload<R> if_there_is(std::string_view word, std::string_view name, Run run) {
    if constexpr (HasTheWord) {
        return {name, run};
    } else {
        return {name, nullptr, word};
    }
}

/// A workload for runtimes with several threads. It exists for several numbers of threads; `front` is its
/// name without the last parameter, `threads`.
template <ThreadedRuntime R>
struct threaded_workload {
    std::string_view front;
    void (*run)(R& runtime, trial& t);  // null if the runtime lacks a feature that the workload needs
    std::string_view lacks{};
};

/// Does the same as if_there_is() for a workload with several threads.
template <ThreadedRuntime R, bool HasTheWord, class Run>
constexpr threaded_workload<R> if_threads_have(std::string_view word, std::string_view front, Run run) {
    if constexpr (HasTheWord) {
        return {front, run};
    } else {
        return {front, nullptr, word};
    }
}

namespace workloads {

using enum need;
using reports::pairing;
inline constexpr bool headline = true;
inline constexpr bool on_demand = false;
inline constexpr bool rate = true;
inline constexpr bool no_rate = false;
inline constexpr bool countable = true;
inline constexpr bool not_countable = false;

inline constexpr std::array<std::string_view, 3> about_waits{"late_p50", "late_p99", "cpu"};
inline constexpr std::array<std::string_view, 2> about_few_waits{"late_p50",
                                                                 "cpu"};  // no late_p99: too few samples
inline constexpr std::array<std::string_view, 4> about_joint_waits{"late_p50", "late_p99", "skew", "cpu"};
inline constexpr std::array<std::string_view, 2> about_lateness{"late_p50",
                                                                "late_p99"};  // no CPU time: always 100 %
inline constexpr std::array<std::string_view, 2> about_idleness{"spin", "wakeups"};
inline constexpr std::array<std::string_view, 1> about_work{"time"};
inline constexpr std::array<std::string_view, 2> about_bulk{"time", "cpu"};
inline constexpr std::array<std::string_view, 3> about_traffic{"time", "latency_p99", "cpu"};
inline constexpr std::array<std::string_view, 3> about_delays{"latency_p99", "latency_p50", "cpu"};
inline constexpr std::array<std::string_view, 3> about_spread{"thread_fairness", "time", "cpu"};
inline constexpr std::array<std::string_view, 2> about_load{"latency_p99", "capacity"};

}  // namespace workloads

}  // namespace loopbench::bench
