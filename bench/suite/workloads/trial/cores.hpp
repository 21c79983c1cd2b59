#pragma once

#include <sched.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads {

/// Sorts CPUs, so that one CPU of each physical core comes before the other CPUs (hyper-threads) of these
/// cores. `folder` contains the kernel's files about CPUs; each list of siblings in it begins with the lowest
/// CPU of a core (Documentation/ABI/stable/sysfs-devices-system-cpu, thread_siblings_list). A CPU without a
/// file counts as a core.
std::vector<int> one_of_each_core_first(const std::vector<int>& cpus,
                                        const std::filesystem::path& folder = "/sys/devices/system/cpu");

/// Returns the cores that the calling thread can use, in the order of one_of_each_core_first(). In this file
/// and in its users, a core is a CPU of Linux, which can be one of several hyper-threads. Throws
/// std::system_error.
std::vector<int> usable_cores();

/// A scope in which the calling thread stays on one core. The destructor, which must run on the same thread,
/// restores the thread's previous cores. The constructor throws std::system_error if the kernel refuses.
class kept_on_core {
public:
    explicit kept_on_core(int core);
    ~kept_on_core();
    kept_on_core(const kept_on_core&) = delete;
    kept_on_core& operator=(const kept_on_core&) = delete;

private:
    cpu_set_t before_;
};

struct core_pair {
    int first, second;
};

/// Returns two cores of the calling thread, or nothing if it can use only one core. Throws std::system_error.
std::optional<core_pair> two_cores();

/// Returns a core for each of two threads; both threads share one core if `cores` is 1. (`cores` is 1 or 2.)
/// With too few cores, marks the trial as unsupported and returns nothing. Throws std::system_error.
std::optional<core_pair> cores_for_two_threads(int cores, trial& t);

/// Starts a thread that runs `work` on one core. Throws std::system_error.
std::thread start_on_core(int core, std::function<void()> work);

}  // namespace loopbench::bench::workloads
