// Each fact from where the kernel publishes it.
#include "bench/engine/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

namespace loopbench::bench {

namespace {

std::optional<std::string> first_line(const char* path) {
    std::ifstream file{path};
    std::string line;
    if (!std::getline(file, line) || line.empty()) return std::nullopt;
    return line;
}

std::string cpu_model() {
    std::ifstream file{"/proc/cpuinfo"};
    for (std::string line; std::getline(file, line);)
        if (const auto colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    return "unknown";
}

std::string kernel() {
    utsname names{};
    if (::uname(&names) != 0) return "unknown";
    return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

}  // namespace

reports::environment read_environment() {
    reports::environment where;
    where.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    where.loopbench_version = loopbench_version();
    where.kernel = kernel();
    where.cpu_model = cpu_model();
    where.cores = ::sysconf(_SC_NPROCESSORS_ONLN);
    where.memory_bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
    where.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    where.clocksource = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    where.timer_slack_ns = ::prctl(PR_GET_TIMERSLACK);
    if (::getloadavg(where.load_average.data(), static_cast<int>(where.load_average.size())) < 0)
        where.load_average.fill(0);
    return where;
}

const char* loopbench_version() {
    return LOOPBENCH_VERSION;
}

}  // namespace loopbench::bench
