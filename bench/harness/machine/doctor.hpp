#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/machine/kernel_files.hpp"

namespace loopbench::bench {

struct machine_facts {
    int cores = 0;
    std::vector<core_facts> each_core;
    double busy_share = 0;   // share of CPU time that other programs used in 200 ms
    double steal_share = 0;  // in the same 200 ms
    double load_1min = 0;
    std::optional<cpu_quota> quota;
    std::optional<std::string> governor;
    std::optional<bool> turbo;
    std::string clocksource;
    double clock_cost_ns = 0;  // of one clock_gettime(CLOCK_MONOTONIC)
    std::int64_t timer_slack_ns = 0;
    std::uint64_t open_files_max = 0;
    std::optional<std::string> io_uring_refused;  // absent if the kernel allows io_uring
    bool tracefs_readable = false;
    std::optional<int> perf_paranoid;
    bool may_perf_anyway = false;             // true if capabilities override perf_paranoid
    std::optional<int> randomised_addresses;  // kernel.randomize_va_space
};

/// Examines the machine, which takes about 200 ms.
machine_facts examine_machine();

enum class severity { fine, warning, unreliable };

constexpr std::string_view name_of(severity how) {
    return how == severity::fine ? "fine" : how == severity::warning ? "warning" : "unreliable";
}

struct finding {
    std::string_view about;
    severity how = severity::fine;
    std::string found;
    std::string remedy;
};

/// Returns the findings in a fixed order. `open_files_needed` is the number of open files that the workload
/// with the most connections needs.
std::vector<finding> diagnose(const machine_facts& facts, std::uint64_t open_files_needed);

struct fitness {
    severity how = severity::fine;
    std::string sentence;
};

fitness fitness_of(const std::vector<finding>& all);

constexpr std::string_view name_of_fitness(severity how) {
    return how == severity::fine ? "fit" : how == severity::warning ? "fit with care" : "not fit";
}

}  // namespace loopbench::bench
