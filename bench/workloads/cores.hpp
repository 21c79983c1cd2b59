// Which core a thread runs on, for workloads whose time depends on it: where the kernel puts two threads that
// wake each other is worth a factor of thirty, and it chooses anew in every process.
#pragma once

#include <sched.h>

#include <functional>
#include <optional>
#include <thread>

#include "bench/workloads/trial.hpp"

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

/// The core that the calling thread runs on now. Throws std::system_error.
int this_core();

/// A core that the calling thread may use and that is not `core`; nothing when there is none. Throws
/// std::system_error.
std::optional<int> core_other_than(int core);

/// Where a second thread goes when both of a workload are to run on so many cores (1 or 2): `mine`, or
/// another. Nothing when there is none, and the trial is then unsupported.
std::optional<int> core_of_other_thread(int mine, int cores, trial& t);

/// A thread that stays on `core`. Throws std::system_error.
std::thread start_on_core(int core, std::function<void()> work);

}  // namespace loopbench::bench::workloads
