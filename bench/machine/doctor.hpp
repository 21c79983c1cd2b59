// Whether this machine is fit to measure on, and what to do about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine/kernel_files.hpp"

namespace loopbench::bench {

/// What the kernel says of the machine. What it does not say is absent.
struct machine_facts {
    int cores = 0;                      // that this process may use
    std::vector<core_facts> each_core;  // of those
    double busy_share = 0;   // of all CPU time over a fifth of a second, with nothing of ours running
    double steal_share = 0;  // likewise, taken by the hypervisor
    double load_1min = 0;
    std::optional<std::string> governor;
    std::optional<bool> turbo;
    std::string clocksource;
    double clock_cost_ns = 0;  // of one clock_gettime(CLOCK_MONOTONIC)
    std::int64_t timer_slack_ns = 0;
    std::uint64_t open_files_max = 0;
    std::optional<std::string> io_uring_refused;  // why
    bool tracefs_readable = false;
    std::optional<int> perf_paranoid;
    bool may_perf_anyway = false;             // by its capabilities, whatever the sysctl says
    std::optional<int> randomised_addresses;  // kernel.randomize_va_space
};

/// Takes a fifth of a second.
machine_facts examine_machine();

enum class severity { fine, warning, unfit };

constexpr std::string_view name_of(severity how) {
    return how == severity::fine ? "fine" : how == severity::warning ? "warning" : "unfit";
}

struct finding {
    std::string_view about;
    severity how = severity::fine;
    std::string found;
    std::string remedy;  // empty when it is fine
};

/// Pure: facts to findings, in a fixed order. `open_files_needed` is what the workload with the most
/// connections needs.
std::vector<finding> diagnose(const machine_facts& facts, std::uint64_t open_files_needed);

}  // namespace loopbench::bench
