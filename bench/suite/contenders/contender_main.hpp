// The main function of a contender. A contender is a Google Benchmark program that runs all workloads on one
// runtime.
#pragma once

#include <sys/resource.h>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/suite/contenders/lacking.hpp"
#include "bench/suite/contenders/process/build_facts.hpp"
#include "bench/suite/contenders/process/own_connection.hpp"
#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/all_workloads.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

struct missing_need {
    need what;
    std::string reason;
};

struct contender_info {
    std::string name = {};  // if empty, the runtime's `name` is used
    std::string library;
    std::string library_version;
    std::string driver;     // how I/O completes: select, poll, epoll, io_uring
    std::string role = {};  // "floor" for a contender without a loop; otherwise empty
    std::vector<missing_need> missing = {};
    std::string files = {};    // path of another file that the contender needs, or empty
    std::string options = {};  // options of the library that differ from those of the contender's source

    // contender_main() sets the following members unless the contender has set them.
    std::optional<build_facts> build = {};
    std::string buffers = {};
    std::function<std::string()> socket_options = {};
};

struct contender_workload {
    workload_shape shape;
    std::function<void(trial&)> run;
};

/// Runs the workloads that the flags in `argv` select, with the settings in the environment
/// (process/settings.hpp). Returns the exit code, which is 2 if the flags or the environment are wrong.
///
/// A workload whose checks failed has the error "proof: ..." and no number. A workload that this contender
/// cannot run on this machine has the error "unsupported: ...".
///
/// With LOOPBENCH_DESCRIBE=1, prints only the context, as Google Benchmark's JSON without benchmarks. This
/// context also contains the options of a connection. In a trial, these options are left out, because opening
/// a connection would disturb the trial.
int run_contender(int argc, char** argv, const contender_info& info,
                  const std::vector<contender_workload>& workloads);

std::string workload_buffers();

/// Raises the limit of open files as far as possible, and returns the new limit. Without root, this is the
/// hard limit. With root, it is at least `wanted`.
rlim_t raise_open_files_limit(rlim_t wanted);

/// Returns the reason why a contender cannot run a workload, or nothing if it can. For example, select cannot
/// watch a descriptor whose number is 1024 or above.
std::optional<std::string> why_not(const contender_info& info, const workload_shape& shape);

template <Runtime R>
using make_runtime_fn = std::function<std::unique_ptr<R>()>;

template <Runtime R>
std::function<void(trial&)> on_fresh_runtime(task_of<R> (*run)(R&, trial&), make_runtime_fn<R> make) {
    return [run, make = std::move(make)](trial& t) {
        std::unique_ptr<R> runtime;
        try {
            runtime = make();
        } catch (const std::system_error& error) {
            if (!kernel_refuses(error.code())) throw;
            t.unsupported(error.what());
            return;
        }
        t.may_be_early_by(early_limit<R>);
        runtime->run(run(*runtime, t));
    };
}

inline std::function<void(trial&)> unsupported_because(std::string reason) {
    return [reason = std::move(reason)](trial& t) { t.unsupported(reason); };
}

/// Returns the reason why a workload is unsupported on an adapter without the function `word`.
inline std::string lacking_word(std::string_view word) {
    return "the contender's adapter lacks " + std::string(word) + "(), which the workload needs";
}

template <Runtime R>
std::vector<contender_workload> workloads_on(const contender_info& info, const make_runtime_fn<R>& make) {
    std::vector<contender_workload> workloads;
    for (const workload<R>& each : workload_list<R>()) {
        const workload_shape* const found = find_shape(each.name);
        if (found == nullptr)
            throw std::logic_error("no family in bench/suite/workloads contains the workload " +
                                   std::string(each.name));
        const workload_shape& shape = *found;
        if (auto reason = why_not(info, shape)) {
            workloads.push_back({shape, unsupported_because(*std::move(reason))});
        } else if (each.run == nullptr) {
            workloads.push_back({shape, unsupported_because(lacking_word(each.lacks))});
        } else {
            workloads.push_back({shape, on_fresh_runtime<R>(each.run, make)});
        }
    }
    return workloads;
}

/// Implements main(), and returns the exit code. Each trial runs on a new runtime that `make` returns.
template <Runtime R>
int contender_main(int argc, char** argv, contender_info info, const make_runtime_fn<R>& make) {
    if (!info.build) info.build = this_build();
    if (info.buffers.empty()) info.buffers = workload_buffers();
    if (!info.socket_options) info.socket_options = [&] { return own_socket_options<R>(make); };
    return run_contender(argc, argv, info, workloads_on<R>(info, make));
}

template <Runtime R>
requires std::default_initializable<R>
int contender_main(int argc, char** argv, contender_info info) {
    if (info.name.empty()) info.name = R::name;
    return contender_main<R>(argc, argv, std::move(info), [] { return std::make_unique<R>(); });
}

}  // namespace loopbench::bench
