// The client of serve/open_loop sends requests on a fixed schedule, without waiting for replies. A latency
// starts at the planned time of its request. A server that stalls therefore gets a higher latency for every
// request that it delayed, and not only for one (coordinated omission: Gil Tene, wrk2's README).
//
// The client never sleeps (except with HTTP), because a timer's slack would be larger than the measured
// latencies. The client's CPU time is therefore meaningless. Instead, the client reports the share of the
// time in which it had work.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/generator/link.hpp"
#include "bench/suite/recording/histogram.hpp"

namespace loopbench::bench {

struct open_loop_plan {
    loop::endpoint server{};
    std::size_t connections = 16;
    std::size_t bytes = 64;
    /// Uses HTTP instead of echoes (conversation.hpp). The client then sleeps while no data has arrived, as
    /// wrk does, and the server's work includes a wake-up of the client for each reply.
    bool http = false;
    std::uint64_t requests = 0;
    std::chrono::nanoseconds capacity_time{std::chrono::milliseconds(300)};
    std::chrono::nanoseconds look_time{std::chrono::milliseconds(30)};
    double load = 0.5;  // share of the measured capacity; used if `rate` is 0
    double rate = 0;    // requests per second
    std::uint64_t tries_max = 3;
    /// The longest wait for replies after the last request, and the longest extension of the capacity
    /// measurement. A schedule that takes longer than `patience` is not repeated.
    std::chrono::nanoseconds patience{std::chrono::seconds(10)};
    /// The limits that decide which requests count. `late_max` limits the delay with which a request was
    /// sent. `unwatched_max` limits the time between the check that found the reply and the previous check
    /// for replies. A request counts only if each of these two times is within its limit, or is at most a
    /// tenth of the request's latency.
    ///
    /// Without limits, the latencies would include the times in which the generator loses its core. On a
    /// virtual machine, such a time takes tens of microseconds.
    ///
    /// The tenth is allowed because all requests that a pause of the server delayed must count. After a
    /// pause, the server sends many replies at once, which keep the generator busy. If requests wait while
    /// the generator has no core, only the slowest of them count. In a valid result, at most 20 % of the
    /// requests are left out. If 20 % are left out, the reported p99 is about the p99.2 of all requests; the
    /// difference is larger for faster servers.
    std::chrono::nanoseconds late_max{std::chrono::microseconds(5)};
    std::chrono::nanoseconds unwatched_max{std::chrono::microseconds(25)};
};

struct open_loop_result {
    double capacity = 0;  // round trips per second with one request always in flight on every connection
    double rate = 0;
    /// The number of runs of the schedule. The members below describe the last run.
    std::uint64_t tries = 1;
    std::uint64_t sent = 0;
    std::uint64_t replies = 0;
    std::uint64_t wrong_replies = 0;
    // The next three histograms contain only requests that count (see late_max and unwatched_max).
    histogram latency;            // from the planned time of sending to the reply
    histogram latency_from_send;  // from the real time of sending to the reply
    histogram send_lateness;      // from the planned to the real time of sending
    std::uint64_t left_out = 0;
    /// The number of requests that a connection did not accept when they were due, because the server read
    /// too slowly.
    std::uint64_t held_back = 0;
    double busy = 0;  // share of the wall time in which the client sent or received something
    std::chrono::nanoseconds least_of_first_half{std::chrono::hours(1)};
    std::chrono::nanoseconds least_of_second_half{std::chrono::hours(1)};
    std::string io;
    std::string refused;
    std::optional<std::string> not_offered;
    std::string failure;  // why the schedule ended too early, or empty
};

struct chosen_link {
    std::unique_ptr<link> made;
    std::string refused;
};
using link_maker = std::function<chosen_link(const open_loop_plan&)>;

chosen_link link_by_epoll(const open_loop_plan& plan, std::string why);

/// Returns a link that uses io_uring. With HTTP, or if the kernel refuses io_uring, the link uses epoll. Each
/// request then takes more CPU time, so the highest rate that the generator can offer is lower;
/// run_open_loop() detects a rate that is too high. Throws std::system_error if the link cannot connect.
chosen_link cheapest_link(const open_loop_plan& plan);

/// Determines the rate on separate connections, and then runs the schedule on new ones. If the generator was
/// the bottleneck, runs the schedule again, up to `tries_max` times in total. Throws the exceptions of
/// `make`.
open_loop_result run_open_loop(const open_loop_plan& plan, const link_maker& make = cheapest_link);

/// Returns the names of the latency percentiles that the generator's lateness has raised. A percentile counts
/// as raised if it is more than 10 % above the same percentile of `latency_from_send`, or if the same
/// percentile of `send_lateness` is more than 10 % of it. All percentiles above a raised one are returned,
/// too.
std::vector<std::string_view> percentiles_of_its_own_making(const open_loop_result& result);

std::optional<std::string> generator_was_the_bottleneck(const open_loop_result& result);

/// Returns the reason why the result is invalid, or nothing. A result is invalid if the server does not
/// sustain the rate, or if the generator was the bottleneck.
std::optional<std::string> why_invalid(const open_loop_result& result);

}  // namespace loopbench::bench
