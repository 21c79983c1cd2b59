// Which core (a logical CPU) a thread runs on, for workloads whose time depends on it: two threads that wake
// each other take much longer on two cores than on one, and the kernel would choose anew in every process.
#pragma once

#include <sched.h>

#include <functional>
#include <optional>
#include <thread>

#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

/// Keeps the thread that makes it on one core, and gives that thread its cores back at its end, which has to
/// be on the same thread. Throws std::system_error when the kernel refuses.
class kept_on_core {
public:
    explicit kept_on_core(int core);
    ~kept_on_core();
    kept_on_core(const kept_on_core&) = delete;
    kept_on_core& operator=(const kept_on_core&) = delete;

private:
    cpu_set_t before_;
};

/// The cores of two threads.
struct core_pair {
    int first, second;
};

/// The first two cores that the calling thread may use, always the same ones; nothing when there is only one.
/// Throws std::system_error.
std::optional<core_pair> two_cores();

/// The cores of the two threads of a workload that is to run on so many (1 or 2). Nothing when there are not
/// as many, and the trial is then unsupported. Throws std::system_error.
std::optional<core_pair> cores_for_two_threads(int cores, trial& t);

/// A thread that stays on `core`. Throws std::system_error.
std::thread start_on_core(int core, std::function<void()> work);

}  // namespace loopbench::bench::workloads
