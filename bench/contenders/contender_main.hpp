// The main function of a contender: one runtime with all the workloads, as a Google Benchmark program.
//
// The part that depends on the runtime is this template; everything else is compiled once, in
// contender_main.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/contenders/build_facts.hpp"
#include "bench/contenders/lacking.hpp"
#include "bench/contenders/own_connection.hpp"
#include "bench/runtime.hpp"
#include "bench/workloads/list.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench {

/// What a contender says of itself in the context of its report.
struct contender_info {
    std::string library;
    std::string library_version;
    std::string driver;     // how I/O completes: select, poll, epoll, io_uring
    std::string role = {};  // "floor": bare system calls, the limit that others are compared with; else empty

    // Filled in by contender_main().
    std::optional<build_facts> build = {};
    std::string buffers = {};                   // how large the workloads' are
    std::string (*socket_options)() = nullptr;  // of a connection that it makes; see socket_options.hpp
};

/// A workload with its runtime built in: makes a fresh runtime, runs the workload, destroys the runtime.
struct contender_workload {
    workload_shape shape;
    std::function<void(trial&)> run;
};

/// Registers the workloads with Google Benchmark and does what its flags say.
///
/// The environment chooses sizes and what is recorded: settings.hpp. A workload that did not prove its work
/// has an error ("proof: ...") and no number, and so has one that cannot be run here ("unsupported: ...").
/// Returns the exit code: 2 when the flags or the environment are wrong.
///
/// LOOPBENCH_DESCRIBE=1: prints the context alone, as Google Benchmark's JSON without benchmarks, and runs
/// nothing. It then also has what is not looked at before a trial, so as not to disturb it: the options of a
/// connection.
int run_contender(int argc, char** argv, std::string_view name, const contender_info& info,
                  const std::vector<contender_workload>& workloads);

/// The sizes of the buffers in bench/workloads.
std::string workload_buffers();

template <Runtime R>
contender_workload with_runtime(const workload<R>& shape) {
    if (shape.run == nullptr)
        return {shape, [word = std::string(shape.lacks)](trial& t) {
                    t.unsupported("the adapter has no " + word + "(), of which the workload is made");
                }};
    return {shape, [run = shape.run](trial& t) {
                std::optional<R> runtime;
                try {
                    runtime.emplace();
                } catch (const std::system_error& error) {
                    if (!kernel_refuses(error.code())) throw;
                    t.unsupported(error.what());
                    return;
                }
                t.may_be_early_by(early_limit<R>);
                runtime->run(run(*runtime, t));
            }};
}

/// Why a contender does not run a workload; nothing when it does.
using reason_not_to_run = std::optional<std::string> (*)(const workload_shape& workload);

inline std::optional<std::string> runs_everything(const workload_shape&) {
    return std::nullopt;
}

template <Runtime R>
int contender_main(int argc, char** argv, contender_info info, reason_not_to_run why_not = runs_everything) {
    std::vector<contender_workload> workloads;
    for (const workload<R>& each : workload_list<R>()) {
        workloads.push_back(with_runtime(each));
        if (const auto reason = why_not(each))
            workloads.back().run = [reason](trial& t) { t.unsupported(*reason); };
    }
    if (!info.build) info.build = this_build();
    if (info.buffers.empty()) info.buffers = workload_buffers();
    if (info.socket_options == nullptr) info.socket_options = own_socket_options<R>;
    return run_contender(argc, argv, R::name, info, workloads);
}

}  // namespace loopbench::bench
