// Judges if this machine is fit to measure on, and says how to improve it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/machine/kernel_files.hpp"

namespace loopbench::bench {

/// Facts that the kernel reports about the machine. A fact that it does not report is absent.
struct machine_facts {
    int cores = 0;                      // that this process can use
    std::vector<core_facts> each_core;  // one entry for each of them
    double busy_share = 0;   // share of all CPU time over a fifth of a second, while nothing of ours runs
    double steal_share = 0;  // likewise, share that the hypervisor took
    double load_1min = 0;
    std::optional<std::string> governor;
    std::optional<bool> turbo;
    std::string clocksource;
    double clock_cost_ns = 0;  // of one clock_gettime(CLOCK_MONOTONIC)
    std::int64_t timer_slack_ns = 0;
    std::uint64_t open_files_max = 0;
    std::optional<std::string> io_uring_refused;  // the reason
    bool tracefs_readable = false;
    std::optional<int> perf_paranoid;
    bool may_perf_anyway = false;             // by its capabilities, whatever the sysctl says
    std::optional<int> randomised_addresses;  // kernel.randomize_va_space
};

/// Collects the facts. Takes a fifth of a second.
machine_facts examine_machine();

enum class severity { fine, warning, unreliable };

constexpr std::string_view name_of(severity how) {
    return how == severity::fine ? "fine" : how == severity::warning ? "warning" : "unreliable";
}

struct finding {
    std::string_view about;
    severity how = severity::fine;
    std::string found;
    std::string remedy;  // empty if it is fine
};

/// Turns facts into findings, in a fixed order, without side effects. `open_files_needed` is the number for
/// the workload with the most connections.
std::vector<finding> diagnose(const machine_facts& facts, std::uint64_t open_files_needed);

}  // namespace loopbench::bench
