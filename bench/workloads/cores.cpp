#include "bench/workloads/cores.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace loopbench::bench::workloads {

namespace {

int checked(int result, const char* call) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), call);
    return result;
}

// The calling thread, although the parameter is called a process (sched_setaffinity(2), NOTES).
constexpr pid_t this_thread = 0;

cpu_set_t cores_of_this_thread() {
    cpu_set_t cores;
    checked(::sched_getaffinity(this_thread, sizeof cores, &cores), "sched_getaffinity");
    return cores;
}

}  // namespace

kept_on_core::kept_on_core(int core) : before_(cores_of_this_thread()) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<unsigned>(core), &only);
    checked(::sched_setaffinity(this_thread, sizeof only, &only), "sched_setaffinity");
}

kept_on_core::~kept_on_core() {
    ::sched_setaffinity(this_thread, sizeof before_, &before_);
}

int this_core() {
    return checked(::sched_getcpu(), "sched_getcpu");
}

std::optional<int> core_other_than(int core) {
    const cpu_set_t allowed = cores_of_this_thread();
    for (int other = 0; other < CPU_SETSIZE; ++other)
        if (other != core && CPU_ISSET(static_cast<unsigned>(other), &allowed)) return other;
    return std::nullopt;
}

std::optional<int> core_of_other_thread(int mine, int cores, trial& t) {
    if (cores == 1) return mine;
    const auto other = core_other_than(mine);
    if (!other) t.unsupported("its two threads need a core each, and this process may use only one");
    return other;
}

std::thread start_on_core(int core, std::function<void()> work) {
    const kept_on_core there(core);  // which a new thread inherits
    return std::thread(std::move(work));
}

}  // namespace loopbench::bench::workloads
