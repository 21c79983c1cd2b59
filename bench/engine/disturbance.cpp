// Each number from where the kernel publishes it.
#include "bench/engine/disturbance.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace loopbench::bench {

machine_sample read_machine() {
    machine_sample sample;
    enum { user, nice, system, idle, iowait, irq, softirq, steal, kinds };  // in ticks (man 5 proc)
    std::ifstream stat{"/proc/stat"};
    std::string label;
    std::array<std::int64_t, kinds> ticks{};
    stat >> label;
    for (auto& count : ticks) stat >> count;
    const auto ticks_per_second = ::sysconf(_SC_CLK_TCK);
    if (stat && ticks_per_second > 0) {
        const auto tick_ns = 1'000'000'000 / ticks_per_second;
        sample.steal_ns = ticks[steal] * tick_ns;
        for (const auto kind : {user, nice, system, irq, softirq}) sample.busy_ns += ticks[kind] * tick_ns;
    }
    std::ifstream{"/sys/devices/system/clocksource/clocksource0/current_clocksource"} >> sample.clocksource;
    return sample;
}

std::int64_t load_ns(const machine_sample& before, const machine_sample& after, const resource_usage& usage) {
    return std::max<std::int64_t>(after.busy_ns - before.busy_ns - usage.user_ns - usage.system_ns, 0);
}

std::string disturbance(const machine_sample& before, const machine_sample& after,
                        const resource_usage& usage, std::chrono::nanoseconds wall) {
    constexpr double share_max = 0.05;
    constexpr std::int64_t tick_ns = 10'000'000;
    const auto share = [&](std::int64_t ns) {
        return ns > tick_ns ? static_cast<double>(ns) / static_cast<double>(wall.count()) : 0;
    };
    const auto stolen = share(after.steal_ns - before.steal_ns), waited = share(usage.run_delay_ns);
    if (before.clocksource != after.clocksource)
        return fmt::format("the clock source changed from {} to {}", before.clocksource, after.clocksource);
    if (stolen > share_max) return fmt::format("the hypervisor took {:.0f} % of its time", 100 * stolen);
    if (waited > share_max) return fmt::format("it waited for a CPU for {:.0f} % of its time", 100 * waited);
    return {};
}

}  // namespace loopbench::bench
