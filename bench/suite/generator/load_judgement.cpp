// Decides whether a measurement of serve/open_loop describes the server, or only the generator.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "bench/suite/generator/open_loop.hpp"

namespace loopbench::bench {

namespace {

bool is_of_its_own_making(const open_loop_result& result, double percentile) {
    constexpr double share = 0.1;
    const auto latency = static_cast<double>(result.latency.percentile_ns(percentile));
    return static_cast<double>(result.send_lateness.percentile_ns(percentile)) > share * latency ||
           latency > (1 + share) * static_cast<double>(result.latency_from_send.percentile_ns(percentile));
}

constexpr double late_at_most = 0.2;

/// Returns a reason if the server was overloaded. Either of two signs shows overload:
///
/// - The smallest latency is larger in the second half of the requests than in the first half. The queue was
///   then never empty, and grew until the end of the schedule. (A server that only stalled for a while
///   answers at least one request of the second half at once.)
/// - The connections accept no more requests. This happens with large requests, because they wait in the
///   connections and not in the server.
std::optional<std::string> reason_for_overload(const open_loop_result& result) {
    constexpr double share = 0.02;
    if (result.sent == 0) return std::nullopt;
    const double half_s = static_cast<double>(result.sent) / result.rate / 2;
    const auto grown = result.least_of_second_half - result.least_of_first_half;
    const bool has_grown = std::chrono::duration<double>(grown).count() > share * half_s;
    const bool takes_no_more =
        static_cast<double>(result.held_back) > late_at_most * static_cast<double>(result.sent);
    if (!has_grown && !takes_no_more) return std::nullopt;
    // The text contains no numbers of this trial, because the screen shows contenders with equal reasons in
    // one line.
    return fmt::format(
        "the server does not sustain {:.0f} requests per second: all replies to the second half of the "
        "requests were late",
        result.rate);
}

}  // namespace

std::vector<std::string_view> percentiles_of_its_own_making(const open_loop_result& result) {
    constexpr std::array<std::pair<double, std::string_view>, 5> reported{{{50, "latency_p50"},
                                                                           {90, "latency_p90"},
                                                                           {99, "latency_p99"},
                                                                           {99.9, "latency_p999"},
                                                                           {100, "latency_max"}}};
    std::vector<std::string_view> found;
    for (const auto& [percentile, name] : reported)
        if (!found.empty() || is_of_its_own_making(result, percentile)) found.push_back(name);
    return found;
}

std::optional<std::string> generator_was_the_bottleneck(const open_loop_result& result) {
    if (static_cast<double>(result.left_out) > late_at_most * static_cast<double>(result.sent))
        return fmt::format("the generator sent {} of {} requests late, or received their replies late",
                           result.left_out, result.sent);
    for (const double percentile : {90.0, 50.0})
        if (is_of_its_own_making(result, percentile))
            return fmt::format(
                "the generator sent requests up to {3} ns late, so latency_p{0:g} is {1} ns if measured from "
                "the planned send times, but {2} ns if measured from the actual send times",
                percentile, result.latency.percentile_ns(percentile),
                result.latency_from_send.percentile_ns(percentile),
                result.send_lateness.percentile_ns(percentile));
    return std::nullopt;
}

std::optional<std::string> why_invalid(const open_loop_result& result) {
    if (auto why = reason_for_overload(result)) return why;  // first: overload also delays the generator
    if (auto why = generator_was_the_bottleneck(result))
        return "the generator was the bottleneck, so the numbers do not describe the contender: " + *why +
               "; give the generator a faster or quieter core";
    return std::nullopt;
}

}  // namespace loopbench::bench
