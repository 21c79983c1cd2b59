// The main function of a contender with several threads. It runs the workloads threads/...
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/threads/crew.hpp"
#include "bench/suite/threads_runtime.hpp"

namespace loopbench::bench {

template <ThreadedRuntime R>
using make_threads_fn = std::function<std::unique_ptr<R>(const thread_plan&)>;

/// Returns a function that runs the workload on a new runtime. `threads` is the number of its threads.
template <ThreadedRuntime R>
std::function<void(trial&)> on_fresh_threads(void (*run)(R&, trial&), std::size_t threads,
                                             make_threads_fn<R> make) {
    return [run, threads, make = std::move(make)](trial& t) {
        const auto plan = plan_of_trial(threads, t);
        if (!plan) return;
        std::unique_ptr<R> runtime;
        try {
            runtime = make(*plan);
        } catch (const std::system_error& error) {
            if (!kernel_refuses(error.code())) throw;
            t.unsupported(error.what());
            return;
        }
        t.may_be_early_by(early_limit<R>);
        run(*runtime, t);
        report_wait_for_a_cpu(t);
    };
}

/// Returns the workloads for several threads. A contender lists only the workloads of its kind; the harness
/// reports the others as unsupported.
template <ThreadedRuntime R>
std::vector<contender_workload> threaded_workloads_on(const contender_info& info,
                                                      const make_threads_fn<R>& make) {
    std::vector<contender_workload> workloads;
    const auto list = threaded_workload_list<R>();
    for (const workload_shape& shape : workload_table()) {
        if (shape.threads == 0) continue;
        const auto found = std::ranges::find(list, shape.front, &threaded_workload<R>::front);
        if (found == list.end())
            throw std::logic_error("no family in bench/suite/workloads contains the workload " +
                                   std::string(shape.front));
        if (auto reason = why_not(info, shape)) {
            workloads.push_back({shape, unsupported_because(*std::move(reason))});
        } else if (found->run == nullptr) {
            workloads.push_back({shape, unsupported_because(lacking_word(found->lacks))});
        } else {
            workloads.push_back(
                {shape, on_fresh_threads<R>(found->run, static_cast<std::size_t>(shape.threads), make)});
        }
    }
    return workloads;
}

/// Implements main(), and returns the exit code. Each trial runs on a new runtime that `make` returns.
template <ThreadedRuntime R>
int threads_main(int argc, char** argv, contender_info info, const make_threads_fn<R>& make) {
    if (!info.build) info.build = this_build();
    if (info.buffers.empty()) info.buffers = workload_buffers();
    return run_contender(argc, argv, info, threaded_workloads_on<R>(info, make));
}

}  // namespace loopbench::bench
