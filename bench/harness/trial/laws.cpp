#include "bench/harness/trial/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loopbench::bench {

namespace {

double ns(std::chrono::nanoseconds time) {
    return static_cast<double>(time.count());
}

constexpr std::string_view likely_cause =
    "the section that the contender counts or times is probably not the one that it reports; see \"Laws\" in "
    "docs/method.md";

bool are_equal(double one, double other) {
    constexpr double rounding = 1e-3;
    return std::abs(one - other) <= rounding * std::abs(other);
}

std::optional<std::string> miscounted_latencies(const timed_claims& claims, const workload_shape& shape) {
    if (!claims.operations || shape.in_flight <= 0 || !claims.records) return std::nullopt;
    const double expected = *claims.operations / static_cast<double>(shape.operations_per_latency);
    const double found = claims.latencies.value_or(0);
    if (found == expected) return std::nullopt;
    return fmt::format(
        "impossible counts: {:.0f} timed operations must give {:.0f} latencies, but the contender recorded "
        "{:.0f}; {}",
        *claims.operations, expected, found, likely_cause);
}

/// Checks that time, throughput and CPU time per operation agree with the length, the operations and the CPU
/// time of the timed section. Also checks that the median of the latencies is at most twice their mean, and
/// that the 99th percentile is at most a hundred times the mean (A. Markov's inequality).
std::optional<std::string> law_of_numbers(const timed_claims& claims) {
    const auto differs = [](std::string_view what, std::optional<double> printed, double expected) {
        return !printed || are_equal(*printed, expected)
                   ? std::optional<std::string>{}
                   : fmt::format(
                         "impossible numbers: the contender printed {} = {:.6g}, but the value calculated "
                         "from its timed section is {:.6g}; {}",
                         what, *printed, expected, likely_cause);
    };
    if (claims.operations && claims.wall_ns && *claims.operations > 0 && *claims.wall_ns > 0) {
        const double time = *claims.wall_ns / *claims.operations;
        if (auto broken = differs("time", claims.time_ns, time)) return broken;
        if (auto broken = differs("throughput", claims.throughput, 1e9 / time)) return broken;
    }
    if (claims.operations && claims.cpu_ns && *claims.cpu_ns > 0)
        if (auto broken = differs("cpu", claims.cpu_of_operation, *claims.cpu_ns / *claims.operations))
            return broken;
    constexpr double of_bucket = 1.05;  // a percentile is rounded up to the end of its bucket
    const auto above = [&](std::string_view what, std::optional<double> value, double times) {
        return !value || !claims.latency_mean || *value <= of_bucket * times * *claims.latency_mean
                   ? std::optional<std::string>{}
                   : fmt::format(
                         "impossible numbers: {} is {:.6g} ns, more than {:g} times the mean ({:.6g} ns); {}",
                         what, *value, times, *claims.latency_mean, likely_cause);
    };
    if (auto broken = above("latency_p50", claims.latency_p50, 2)) return broken;
    return above("latency_p99", claims.latency_p99, 100);
}

/// Checks Little's law: the mean number of operations in flight is the throughput times the mean latency (J.
/// Little, "A Proof for the Queuing Formula: L = lambda W", 1961). This product equals the sum of the
/// latencies divided by the length of the section. The lower bound excludes the time for which the process
/// waits for a core (`run_delay`), because no operation needs to be in flight during that time.
std::optional<std::string> littles_law(const timed_claims& claims, const workload_shape& shape,
                                       double run_delay) {
    if (!claims.latencies || *claims.latencies <= 0 || !claims.latency_mean || !claims.wall_ns ||
        *claims.wall_ns <= 0 || shape.in_flight <= 0)
        return std::nullopt;
    constexpr double clock_reads = 1.01;  // tolerance, because each latency has its own readings of the clock
    const double latencies = *claims.latencies * *claims.latency_mean;
    const double in_flight = latencies / *claims.wall_ns;
    const double least = shape.least_in_flight * shape.in_flight * (*claims.wall_ns - run_delay);
    if (in_flight <= clock_reads * shape.in_flight && latencies >= least) return std::nullopt;
    return fmt::format(
        "impossible latencies (Little's law): {:.0f} latencies with a mean of {:.0f} ns within {:.0f} ns "
        "correspond to {:.3g} operations in flight, but the workload has {:g} in flight; {}",
        *claims.latencies, *claims.latency_mean, *claims.wall_ns, in_flight, shape.in_flight, likely_cause);
}

/// Checks that the contender claims no more CPU time than its parent observed (wait4(2)), and no more than
/// the length of the timed section times the number of cores.
std::optional<std::string> law_of_cpu(const timed_claims& claims, const child_outcome& child, int cores) {
    if (!claims.cpu_ns || !claims.wall_ns) return std::nullopt;
    constexpr double rounding_ns = 1e6;
    const double seen = static_cast<double>(child.usage.user_ns + child.usage.system_ns);
    if (*claims.cpu_ns > 1.01 * seen + rounding_ns)
        return fmt::format(
            "impossible CPU time: the contender claims {:.0f} ns of CPU time for the timed section, but its "
            "whole process used {:.0f} ns; {}",
            *claims.cpu_ns, seen, likely_cause);
    if (*claims.cpu_ns > 1.05 * cores * *claims.wall_ns + rounding_ns)
        return fmt::format(
            "impossible CPU time: the contender claims {:.0f} ns of CPU time in a section of {:.0f} ns on {} "
            "core{}; {}",
            *claims.cpu_ns, *claims.wall_ns, cores, cores == 1 ? "" : "s", likely_cause);
    return std::nullopt;
}

std::optional<std::string> law_of_clocks(const timed_claims& claims, const child_outcome& child) {
    const double seen = ns(child.wall);
    if (claims.wall_ns && *claims.wall_ns > 1.001 * seen + 1e5)
        return fmt::format(
            "impossible times: the contender claims {:.0f} ns for the timed section, but its process lasted "
            "{:.0f} ns; {}",
            *claims.wall_ns, seen, likely_cause);
    constexpr double start_and_end_ns = 500e6;
    if (claims.age_ns &&
        (*claims.age_ns > 1.001 * seen + 1e5 ||
         *claims.age_ns < 0.5 * (seen - static_cast<double>(child.usage.run_delay_ns)) - start_and_end_ns))
        return fmt::format(
            "impossible times: the contender's clock advanced by {:.0f} ns, but the clock of its parent "
            "process by {:.0f} ns; {}",
            *claims.age_ns, seen, likely_cause);
    return std::nullopt;
}

}  // namespace

std::optional<std::string> law_broken_by_slices(std::span<const slice> slices,
                                                std::chrono::nanoseconds waited) {
    constexpr double reads_ns = 50e3, switches_ns = 100e3, least_share = 0.8;
    double said = 0, observed = 0, switches = 0;
    for (const slice& one : slices) {
        const double of_one = ns(one.timed + one.untimed);
        if (of_one > 1.001 * ns(one.observed) + reads_ns)
            return fmt::format(
                "impossible times: a slice took {:.0f} ns by the contender's clock, but {:.0f} ns by the "
                "clock of its parent process; {}",
                of_one, ns(one.observed), likely_cause);
        if (one.untimed_operations == 0) continue;
        said += of_one;
        switches += switches_ns;
        observed += ns(one.observed);
    }
    // The tolerance `least_share` is necessary because other programs can use the core before and after each
    // slice.
    if (said + switches + ns(waited) >= least_share * observed) return std::nullopt;
    return fmt::format(
        "impossible times: all slices together took {:.0f} ns by the contender's clock, but {:.0f} ns by the "
        "clock of its parent process; {}",
        said, observed, likely_cause);
}

std::optional<std::string> law_broken_by_sum_of(std::span<const slice> slices, const timed_claims& claims) {
    double operations = 0, wall = 0;
    for (const slice& one : slices) {
        operations += static_cast<double>(one.operations);
        wall += ns(one.timed);
    }
    if (claims.operations && operations != *claims.operations)
        return fmt::format(
            "impossible numbers: the slices contain {:.0f} operations, but the contender reports {:.0f}; {}",
            operations, *claims.operations, likely_cause);
    if (claims.wall_ns && !are_equal(wall, *claims.wall_ns))
        return fmt::format(
            "impossible numbers: the slices last {:.0f} ns, but the contender reports {:.0f} ns; {}", wall,
            *claims.wall_ns, likely_cause);
    return std::nullopt;
}

std::optional<std::string> law_broken_by(const timed_claims& claims, const workload_shape& shape,
                                         const child_outcome& child, int cores) {
    if (auto broken = miscounted_latencies(claims, shape)) return broken;
    if (auto broken = law_of_numbers(claims)) return broken;
    if (auto broken = littles_law(claims, shape, static_cast<double>(child.usage.run_delay_ns)))
        return broken;
    if (auto broken = law_of_cpu(claims, child, cores)) return broken;
    return law_of_clocks(claims, child);
}

}  // namespace loopbench::bench
