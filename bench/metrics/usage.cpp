// The system calls behind usage.hpp.
#include "bench/metrics/usage.hpp"

#include <sys/resource.h>
#include <time.h>

#include <cstdlib>

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

}  // namespace

usage usage::now() noexcept {
    usage result;
    result.wall = wall_now();
    timespec cpu{};
    rusage resources{};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) != 0 || getrusage(RUSAGE_SELF, &resources) != 0)
        std::abort();
    result.cpu = to_ns(cpu);
    result.user = to_ns(resources.ru_utime);
    result.system = to_ns(resources.ru_stime);
    result.voluntary_switches = resources.ru_nvcsw;
    return result;
}

void usage_meter::begin() noexcept {
    begin_ = usage::now();
    begin_.wall = wall_now();
}

usage usage_meter::end() const noexcept {
    return usage::now() - begin_;
}

}  // namespace loopbench::bench
