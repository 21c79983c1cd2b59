#include "bench/suite/recording/usage.hpp"

#include <sys/resource.h>
#include <time.h>

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace loopbench::bench {

namespace {

std::chrono::nanoseconds wall_now() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch();
}

std::chrono::nanoseconds to_ns(const timespec& time) noexcept {
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::chrono::nanoseconds to_ns(const timeval& time) noexcept {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

bool is_own(clockid_t clock) noexcept {
    return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

std::chrono::nanoseconds cpu_now(clockid_t of = CLOCK_PROCESS_CPUTIME_ID) noexcept {
    timespec cpu{};
    if (clock_gettime(of, &cpu) != 0 && is_own(of)) std::abort();
    return to_ns(cpu);
}

}  // namespace

std::chrono::nanoseconds run_delay() {
    std::ifstream file{"/proc/thread-self/schedstat"};
    std::int64_t running_ns = 0, waiting_ns = 0;
    return std::chrono::nanoseconds{file >> running_ns >> waiting_ns ? waiting_ns : 0};
}

usage usage::now() noexcept {
    usage result;
    result.wall = wall_now();
    result.cpu = cpu_now();
    rusage resources{};
    if (getrusage(RUSAGE_SELF, &resources) != 0) std::abort();
    result.user = to_ns(resources.ru_utime);
    result.system = to_ns(resources.ru_stime);
    result.voluntary_switches = resources.ru_nvcsw;
    return result;
}

void usage_meter::take_cpu_of(pid_t process) {
    if (const int error = clock_getcpuclockid(process, &cpu_clock_); error != 0)
        throw std::system_error(error, std::generic_category(),
                                "clock_getcpuclockid cannot find the CPU clock of the measured process");
}

void usage_meter::begin() noexcept {
    begin_ = usage::now();
    begin_.cpu = cpu_now(cpu_clock_);
    begin_.wall = wall_now();
}

void usage_meter::prolong(double share, std::chrono::nanoseconds delay) const noexcept {
    const auto taken = wall_now() - begin_.wall - delay;
    const auto until = cpu_now(CLOCK_THREAD_CPUTIME_ID) +
                       std::chrono::duration_cast<std::chrono::nanoseconds>(taken * share);
    while (cpu_now(CLOCK_THREAD_CPUTIME_ID) < until) {
    }
}

usage usage_meter::end() const noexcept {
    usage end = usage::now();
    if (!is_own(cpu_clock_)) end.cpu = cpu_now(cpu_clock_);
    return end - begin_;
}

}  // namespace loopbench::bench
