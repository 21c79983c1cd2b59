#include "bench/suite/workloads/trial/cores.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace loopbench::bench::workloads {

namespace {

void checked(int result, const char* call) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), std::string(call) + " failed");
}

// 0 means the calling thread. sched_setaffinity(2) calls the parameter a process ID, but the kernel reads a
// thread ID (see NOTES in the manual page).
constexpr pid_t this_thread = 0;

cpu_set_t affinity() {
    cpu_set_t cores;
    checked(::sched_getaffinity(this_thread, sizeof cores, &cores), "sched_getaffinity");
    return cores;
}

}  // namespace

std::vector<int> one_of_each_core_first(const std::vector<int>& cpus, const std::filesystem::path& folder) {
    std::vector<int> first, others, seen;
    for (const int cpu : cpus) {
        std::ifstream siblings(folder / ("cpu" + std::to_string(cpu)) / "topology/thread_siblings_list");
        int lowest = 0;
        if (!(siblings >> lowest)) lowest = cpu;
        const bool is_new = std::ranges::find(seen, lowest) == seen.end();
        if (is_new) seen.push_back(lowest);
        (is_new ? first : others).push_back(cpu);
    }
    first.insert(first.end(), others.begin(), others.end());
    return first;
}

std::vector<int> usable_cores() {
    const cpu_set_t allowed = affinity();
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(static_cast<unsigned>(core), &allowed)) cores.push_back(core);
    return one_of_each_core_first(cores);
}

kept_on_core::kept_on_core(int core) : before_(affinity()) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<unsigned>(core), &only);
    checked(::sched_setaffinity(this_thread, sizeof only, &only), "sched_setaffinity");
}

kept_on_core::~kept_on_core() {
    ::sched_setaffinity(this_thread, sizeof before_, &before_);
}

std::optional<core_pair> two_cores() {
    const std::vector<int> all = usable_cores();
    if (all.size() < 2) return std::nullopt;
    return core_pair{all[0], all[1]};
}

std::optional<core_pair> cores_for_two_threads(int cores, trial& t) {
    if (cores == 1) {
        const int only = usable_cores().front();
        return core_pair{only, only};
    }
    const auto both = two_cores();
    if (!both)
        t.unsupported("the workload needs two cores for its two threads, and this process can use only one");
    return both;
}

std::thread start_on_core(int core, std::function<void()> work) {
    const kept_on_core there(core);  // the new thread inherits this core
    return std::thread(std::move(work));
}

}  // namespace loopbench::bench::workloads
