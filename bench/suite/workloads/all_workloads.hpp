#pragma once

#include <vector>

#include "bench/catalog/families.hpp"
#include "bench/suite/runtime.hpp"
#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/workload.hpp"

namespace loopbench::bench {

template <Runtime R>
std::vector<workload<R>> workload_list() {
    std::vector<workload<R>> all;
    for_each_family([&all]<class family>() {
        for (const auto& each : family::template functions<R>()) all.push_back(each);
    });
    return all;
}

template <ThreadedRuntime R>
std::vector<threaded_workload<R>> threaded_workload_list() {
    std::vector<threaded_workload<R>> all;
    for_each_threaded_family([&all]<class family>() {
        for (const auto& each : family::template functions<R>()) all.push_back(each);
    });
    return all;
}

}  // namespace loopbench::bench
