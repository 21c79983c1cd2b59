#include "bench/harness/trial/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace loopbench::bench {

machine_sample read_machine() {
    return {read_cpu_times(), clock_source().value_or("")};
}

std::string disturbance(const machine_sample& before, const machine_sample& after,
                        const resource_usage& usage, std::chrono::nanoseconds wall, std::optional<int> cpu) {
    constexpr double share_max = 0.05;
    constexpr std::int64_t tick_ns = 10'000'000;
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
    return {};
}

}  // namespace loopbench::bench
