#include "bench/harness/machine/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <stdexcept>

#include "bench/harness/machine/fastest_batch.hpp"
#include "bench/harness/machine/kernel_files.hpp"

namespace loopbench::bench {

namespace {

std::string kernel() {
    utsname names{};
    if (::uname(&names) != 0) return "unknown";
    return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

/// Measures the time of the cheapest system call, getppid(2). It only enters and leaves the kernel, and no
/// library caches its result.
double cheapest_call_ns() {
    return fastest_call_ns<std::chrono::steady_clock>(16, 32, [] { ::syscall(SYS_getppid); });
}

}  // namespace

reports::environment read_environment() {
    reports::environment where;
    where.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    where.loopbench_version = loopbench_version();
    where.kernel = kernel();
    where.cpu_model = cpu_model().value_or("unknown");
    where.cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    where.memory_bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
    where.governor = cpu_governor();
    where.clocksource = clock_source();
    where.timer_slack_ns = ::prctl(PR_GET_TIMERSLACK);
    where.cheapest_call_ns = cheapest_call_ns();
    if (::getloadavg(where.load_average.data(), static_cast<int>(where.load_average.size())) < 0)
        where.load_average.fill(0);
    return where;
}

std::vector<std::pair<std::string_view, std::string>> facts_of(const reports::environment& where) {
    return {{"kernel", where.kernel},
            {"processor", where.cpu_model},
            {"number of cores", fmt::format("{}", where.cores)},
            {"clock source", where.clocksource.value_or("none")},
            {"frequency governor", where.governor.value_or("none")},
            {"timer slack", fmt::format("{} ns", where.timer_slack_ns)}};
}

std::string machine_identity() {
    auto found = boot_id();
    if (!found)
        throw std::runtime_error{
            "cannot identify this machine: /proc/sys/kernel/random/boot_id does not exist; mount /proc "
            "(mount -t proc proc /proc)"};
    return *std::move(found);
}

std::vector<int> allowed_cpus() {
    cpu_set_t allowed;
    std::vector<int> cpus;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpus.push_back(cpu);
    return cpus;
}

std::optional<std::filesystem::path> user_folder(const char* variable, const char* in_home) {
    for (const auto& [name, rest] : {std::pair{variable, ""}, std::pair{"HOME", in_home}})
        if (const char* const found = std::getenv(name); found != nullptr && *found == '/')
            return std::filesystem::path{found} / rest;
    return std::nullopt;
}

const char* loopbench_version() {
    return LOOPBENCH_VERSION;
}

}  // namespace loopbench::bench
