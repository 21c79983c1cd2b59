#include "bench/harness/trial/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loopbench::bench {

machine_sample read_machine() {
    return {read_cpu_times(), clock_source().value_or("")};
}

namespace {

constexpr std::int64_t tick_ns = 10'000'000;

/// Returns the share of the time of the CPUs that programs other than the trial used.
double share_of_others(const machine_sample& before, const machine_sample& after, const resource_usage& usage,
                       std::chrono::nanoseconds wall, const std::vector<int>& cpus) {
    std::int64_t ran_ns = 0;
    for (const int cpu : cpus) {
        const auto name = fmt::format("cpu{}", cpu);
        const auto then = before.cpus.find(name), now = after.cpus.find(name);
        if (then == before.cpus.end() || now == after.cpus.end()) return 0;
        ran_ns += now->second.programs_ns - then->second.programs_ns;
    }
    const auto count = static_cast<std::int64_t>(cpus.size());
    const auto others_ns = ran_ns - usage.user_ns - usage.system_ns;
    if (others_ns <= count * tick_ns) return 0;
    return static_cast<double>(others_ns) / static_cast<double>(count * wall.count());
}

}  // namespace

std::string disturbance(const machine_sample& before, const machine_sample& after,
                        const resource_usage& usage, std::chrono::nanoseconds wall, std::optional<int> cpu,
                        const std::vector<int>& threads) {
    constexpr double share_max = 0.05, share_of_others_max = 0.1;
    const auto share = [&](std::int64_t ns) {
        return ns > tick_ns ? static_cast<double>(ns) / static_cast<double>(wall.count()) : 0;
    };
    double stolen = 0;
    for (const auto& [name, then] : before.cpus) {
        const auto now = after.cpus.find(name);
        const bool is_its = cpu ? name == fmt::format("cpu{}", *cpu) : name != "cpu";
        if (is_its && now != after.cpus.end())
            stolen = std::max(stolen, share(now->second.steal_ns - then.steal_ns));
    }
    const double waited = share(usage.run_delay_ns);
    if (before.clocksource != after.clocksource)
        return fmt::format("the clock source changed from {} to {}", before.clocksource, after.clocksource);
    if (stolen > share_max)
        return fmt::format("the hypervisor took {:.0f} % of the time of a CPU", 100 * stolen);
    if (waited > share_max)
        return fmt::format("the contender waited for a CPU for {:.0f} % of its time", 100 * waited);
    if (const double others = share_of_others(before, after, usage, wall, threads);
        others > share_of_others_max)
        return fmt::format("other programs used {:.0f} % of the time of the CPUs of its threads",
                           100 * others);
    return {};
}

}  // namespace loopbench::bench
