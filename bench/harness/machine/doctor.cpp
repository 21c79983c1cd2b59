#include "bench/harness/machine/doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "bench/harness/machine/environment.hpp"
#include "bench/harness/machine/fastest_batch.hpp"
#include "bench/harness/machine/kernel_files.hpp"

namespace loopbench::bench {

namespace {

void examine_load(machine_facts& facts) {
    const auto before = read_cpu_times()["cpu"];
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
    const auto after = read_cpu_times()["cpu"];
    const auto busy = static_cast<double>(after.busy_ns - before.busy_ns),
               idle = static_cast<double>(after.idle_ns - before.idle_ns),
               steal = static_cast<double>(after.steal_ns - before.steal_ns);
    if (const double all = busy + idle + steal; all > 0) {
        facts.steal_share = steal / all;
        facts.busy_share = busy / all;
    }
    ::getloadavg(&facts.load_1min, 1);
}

/// Returns the kernel's error if io_uring is not available. Requests a ring with a null address. If io_uring
/// is available, the kernel refuses only this address, with EFAULT or EINVAL.
std::optional<std::string> io_uring_refusal() {
    if (::syscall(SYS_io_uring_setup, 1, nullptr) == -1 && errno != EFAULT && errno != EINVAL)
        return std::string{::strerrordesc_np(errno)};
    return std::nullopt;
}

}  // namespace

machine_facts examine_machine() {
    machine_facts facts;
    for (const int cpu : allowed_cpus()) facts.each_core.push_back(read_core(cpu));
    facts.cores = static_cast<int>(facts.each_core.size());
    examine_load(facts);
    facts.quota = read_cpu_quota();
    facts.governor = cpu_governor();
    facts.turbo = cpu_turbo();
    facts.clocksource = clock_source().value_or("unknown");
    facts.clock_cost_ns = cost_of_clock_ns<std::chrono::steady_clock>();
    facts.timer_slack_ns = ::prctl(PR_GET_TIMERSLACK);
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) facts.open_files_max = files.rlim_max;
    facts.io_uring_refused = io_uring_refusal();
    facts.tracefs_readable = tracefs_is_readable();
    facts.perf_paranoid = perf_paranoid();
    facts.may_perf_anyway = may_perf_anyway();
    facts.randomised_addresses = address_randomisation();
    return facts;
}

namespace {

finding judged(std::string_view about, severity how, std::string found, std::string remedy) {
    return {about, how, std::move(found), how == severity::fine ? std::string{} : std::move(remedy)};
}

severity when(bool bad, severity how) {
    return bad ? how : severity::fine;
}

severity by_share(double share, double warn_above, double unreliable_above) {
    return share > unreliable_above ? severity::unreliable : when(share > warn_above, severity::warning);
}

void add_time_findings(std::vector<finding>& all, const machine_facts& facts) {
    const bool slow_clock =
        facts.clocksource == "hpet" || facts.clocksource == "acpi_pm" || facts.clock_cost_ns > 250;
    all.push_back(
        judged("clock", when(slow_clock, severity::unreliable),
               fmt::format("{}, {:.0f} ns per call", facts.clocksource, facts.clock_cost_ns),
               "choose another clock in /sys/devices/system/clocksource/clocksource0 (tsc, kvm-clock) or "
               "use another machine, because reading this clock takes so long that it distorts the results"));
    all.push_back(
        judged("timer slack", when(facts.timer_slack_ns != 50'000, severity::warning),
               fmt::format("{} ns", facts.timer_slack_ns),
               "start loopbench from a shell that does not change PR_SET_TIMERSLACK, "
               "because timer lateness is comparable between machines only with the usual 50000 ns"));
}

std::string text_of(const core_facts& core) {
    std::vector<std::string> parts;
    if (core.kind) parts.push_back(*core.kind);
    if (core.capacity) parts.push_back(fmt::format("capacity {}", *core.capacity));
    if (core.max_khz) parts.push_back(fmt::format("{} MHz", *core.max_khz / 1000));
    if (core.threads.size() > 1) parts.push_back(fmt::format("{} threads per core", core.threads.size()));
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// Returns the finding about the kinds of cores. The blocks of a session run on all cores that the process
/// can use. Therefore times are distorted if these cores are of different kinds.
finding core_kinds(const std::vector<core_facts>& cores) {
    std::vector<std::pair<const core_facts*, std::vector<int>>> kinds;
    std::vector<std::vector<int>> caches;
    for (const auto& core : cores) {
        const auto is_like = [&](const auto& kind) { return kind.first->is_like(core); };
        auto kind = std::ranges::find_if(kinds, is_like);
        if (kind == kinds.end()) kind = kinds.insert(kind, {&core, {}});
        kind->second.push_back(core.cpu);
        if (std::ranges::find(caches, core.sharing_a_cache) == caches.end())
            caches.push_back(core.sharing_a_cache);
    }
    if (!std::ranges::any_of(cores, &core_facts::is_known))
        return {"core kinds", severity::fine,
                "unknown: the kernel publishes no capacity, frequency or kind of the cores", ""};
    std::vector<std::string> texts;
    for (const auto& [core, cpus] : kinds)
        texts.push_back(fmt::format("{} ({})", fmt::join(cpus, ","), text_of(*core)));
    auto text = fmt::format("{}", fmt::join(texts, "; "));
    if (caches.size() > 1) text += fmt::format("; {} last-level caches", caches.size());
    return judged(
        "core kinds", when(kinds.size() > 1, severity::warning), std::move(text),
        fmt::format("restrict the run to one kind of core with `taskset -c {} loopbench ...`; otherwise "
                    "times vary from block to block (ratios are valid, because each block stays on one core)",
                    fmt::join(kinds.front().second, ",")));
}

/// Returns the finding about the CPU quota. A trial and its load generator use up to two cores, and more in
/// workloads with several threads. With a smaller quota, the kernel stops them in the middle of a
/// measurement.
finding cpu_quota_of(const machine_facts& facts) {
    constexpr double busy_cores = 2;
    if (!facts.quota) return {"CPU quota", severity::fine, "none", ""};
    const auto cores = facts.quota->cores;
    const auto how = cores >= facts.cores  ? severity::fine
                     : cores >= busy_cores ? severity::warning
                                           : severity::unreliable;
    return judged(
        "CPU quota", how, fmt::format("{:.3g} of {} cores", cores, facts.cores),
        fmt::format("raise the quota (the CPU limit of the container) in {}, or measure outside the "
                    "container, because the kernel throttles processes that have used the quota, and such "
                    "pauses make measurements unreliable",
                    facts.quota->file.native()));
}

void add_cpu_findings(std::vector<finding>& all, const machine_facts& facts) {
    all.push_back(
        judged("cores", when(facts.cores < 2, severity::warning), fmt::format("{}", facts.cores),
               "use a machine with at least two cores, because the load generator needs a core of its own"));
    all.push_back(cpu_quota_of(facts));
    all.push_back(core_kinds(facts.each_core));
    all.push_back(
        judged("load", by_share(facts.busy_share, 0.1, 0.4),
               fmt::format("{:.0f} % busy now, load average {:.2f}", 100 * facts.busy_share, facts.load_1min),
               "end the other programs (`top` shows them)"));
    all.push_back(judged("steal", by_share(facts.steal_share, 0.01, 0.05),
                         fmt::format("{:.1f} %", 100 * facts.steal_share),
                         "use a dedicated machine, or measure at another time, because the hypervisor now "
                         "gives CPU time to other machines"));
    all.push_back(judged(
        "governor", when(facts.governor && *facts.governor != "performance", severity::warning),
        facts.governor.value_or("not visible"), "run `cpupower frequency-set --governor performance`"));
    all.push_back(judged("turbo", when(facts.turbo.value_or(false), severity::warning),
                         !facts.turbo   ? "unknown"
                         : *facts.turbo ? "on"
                                        : "off",
                         "run `echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo` or `echo 0 > "
                         "/sys/devices/system/cpu/cpufreq/boost`"));
}

void add_permission_findings(std::vector<finding>& all, const machine_facts& facts,
                             std::uint64_t open_files_needed) {
    all.push_back(judged(
        "open files", when(facts.open_files_max < open_files_needed, severity::warning),
        fmt::format("{}", facts.open_files_max),
        fmt::format("run `ulimit -Hn {}`; otherwise the workloads with the most connections are unsupported",
                    open_files_needed)));
    all.push_back(judged("io_uring", when(facts.io_uring_refused.has_value(), severity::warning),
                         facts.io_uring_refused.value_or("available"),
                         "allow io_uring (sysctl kernel.io_uring_disabled=0, or the container's seccomp "
                         "profile); otherwise the io_uring contenders are unsupported"));
    all.push_back(judged("tracefs", when(!facts.tracefs_readable, severity::warning),
                         facts.tracefs_readable ? "readable" : "not readable",
                         "run `mount -o remount,mode=755 /sys/kernel/tracing`; otherwise perf cannot count "
                         "system calls, and loopbench needs strace"));
    all.push_back(judged(
        "perf",
        when(!facts.perf_paranoid || (*facts.perf_paranoid > 1 && !facts.may_perf_anyway), severity::warning),
        facts.perf_paranoid ? fmt::format("perf_event_paranoid {}{}", *facts.perf_paranoid,
                                          facts.may_perf_anyway ? " (this user is exempt)" : "")
                            : "not available",
        "run `sysctl kernel.perf_event_paranoid=1`; otherwise perf cannot count system calls"));
    all.push_back(
        judged("address randomisation", when(facts.randomised_addresses.value_or(2) == 0, severity::warning),
               facts.randomised_addresses ? fmt::format("{}", *facts.randomised_addresses) : "unknown",
               "run `sysctl kernel.randomize_va_space=2`; otherwise all trials have the same memory layout, "
               "which biases the results"));
}

}  // namespace

std::vector<finding> diagnose(const machine_facts& facts, std::uint64_t open_files_needed) {
    std::vector<finding> all;
    add_cpu_findings(all, facts);
    add_time_findings(all, facts);
    add_permission_findings(all, facts, open_files_needed);
    return all;
}

fitness fitness_of(const std::vector<finding>& all) {
    const auto with = [&](severity how) {
        std::vector<std::string> texts;
        for (const auto& one : all)
            if (one.how == how) texts.push_back(fmt::format("{} ({})", one.about, one.found));
        return fmt::format("{}", fmt::join(texts, ", "));
    };
    const auto warnings = with(severity::warning), worse = with(severity::unreliable);
    if (!worse.empty())
        return {
            severity::unreliable,
            fmt::format("This machine is not fit for measurements, because {} would make them unreliable{}.",
                        worse, warnings.empty() ? "" : "; it also has less serious problems: " + warnings)};
    if (!warnings.empty())
        return {severity::warning,
                fmt::format("This machine is fit for measurements, but has these problems: {}.", warnings)};
    return {severity::fine, "This machine is fit for measurements; no problems were found."};
}

}  // namespace loopbench::bench
