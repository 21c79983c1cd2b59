// CPUs on the command line.
#pragma once

#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <string>

namespace loopbench::bench {

/// Why trials cannot be pinned there; empty when they can.
inline std::string cpu_problem(const std::string& text) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return "the CPUs of this process are not known";
    int cpu = -1;
    if (!CLI::detail::lexical_cast(text, cpu) || cpu < 0 || cpu >= CPU_SETSIZE ||
        !CPU_ISSET(static_cast<std::size_t>(cpu), &allowed))
        return fmt::format("this process may not run on CPU {}; see `taskset -p $$`", text);
    return {};
}

/// Refuses a CPU that this process may not use.
inline void takes_cpu(CLI::Option* option) {
    option->type_name("CPU")->check(
        CLI::Validator{[](const std::string& text) { return cpu_problem(text); }, ""});
}

}  // namespace loopbench::bench
