// A client that sends requests on a schedule that was fixed in advance, without waiting for replies. The
// latency of a reply starts at the planned time of its request. A server that stalls therefore gets a higher
// latency for every request that it delayed, and not only for one (coordinated omission: Gil Tene, wrk2's
// README).
//
// The client is the same for all contenders: one thread with bare system calls (link.hpp) and without a loop
// of the suite. The client never sleeps (except with HTTP), because a timer's slack would be larger than the
// latencies that the client measures. The CPU time of the client is therefore meaningless. Instead, the
// client reports the share of the time in which it had work.
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
    loop::endpoint server{};  // an echo server
    std::size_t connections = 16;
    std::size_t bytes = 64;  // size of each request
    /// Uses the HTTP request and reply of conversation.hpp instead of echoes. The client then sleeps while no
    /// data has arrived, as wrk does, and the server's work includes a wake-up of the client for each reply.
    bool http = false;
    std::uint64_t requests = 0;
    std::chrono::nanoseconds capacity_time{std::chrono::milliseconds(300)};
    /// The duration of each short schedule that tests whether the generator can offer the rate; 0: no tests.
    std::chrono::nanoseconds look_time{std::chrono::milliseconds(30)};
    double load = 0.5;            // share of the capacity, which is measured first
    double rate = 0;              // requests per second; 0: `load` times the capacity
    std::uint64_t tries_max = 3;  // maximum number of runs of the schedule; see run_open_loop()
    /// The longest wait for replies after the last request, and the longest extension of the capacity
    /// measurement. A schedule that takes longer than this time is not repeated.
    std::chrono::nanoseconds patience{std::chrono::seconds(10)};
    /// The next two limits decide which requests count. `late_max` limits the delay until a request was sent.
    /// `unwatched_max` limits the time between the check for replies that found the reply and the check
    /// before it. A request counts if each of its two delays is at most the delay's limit, or at most a tenth
    /// of the request's latency.
    ///
    /// There are limits because the generator sometimes loses its core, on a virtual machine for tens of
    /// microseconds. Without limits, the latencies would include these delays, which the server does not
    /// cause.
    ///
    /// The tenth of the latency is accepted because a server that pauses sends many replies at once, which
    /// keep the generator busy. All requests that the pause delayed must count. The tenth has a side effect:
    /// while the generator has no core, only the slowest requests count. If 20 % of the requests are left
    /// out, the reported p99 is about the p99.2 of all requests, which is somewhat too high. The error is
    /// larger for faster servers.
    std::chrono::nanoseconds late_max{std::chrono::microseconds(5)};
    std::chrono::nanoseconds unwatched_max{std::chrono::microseconds(25)};
};

struct open_loop_result {
    double capacity = 0;  // round trips per second with one request always in flight on every connection
    double rate = 0;      // requests per second of the schedule
    /// Number of runs of the schedule. The fields below describe the last run. All replies of the earlier
    /// runs were correct.
    std::uint64_t tries = 1;
    std::uint64_t sent = 0;
    std::uint64_t replies = 0;  // correct replies
    std::uint64_t wrong_replies = 0;
    // The next three histograms contain only the requests that count (see late_max and unwatched_max).
    histogram latency;            // from the planned time of sending to the reply
    histogram latency_from_send;  // from the real time of sending to the reply
    histogram send_lateness;      // from the planned to the real time of sending
    std::uint64_t left_out = 0;   // requests that do not count
    /// Number of requests that a connection did not accept when they were due, because the server was too far
    /// behind.
    std::uint64_t held_back = 0;
    double busy = 0;  // share of the wall time in which there was something to send or receive
    // The smallest latency of the first and of the second half of the requests, from the real time of
    // sending.
    std::chrono::nanoseconds least_of_first_half{std::chrono::hours(1)};
    std::chrono::nanoseconds least_of_second_half{std::chrono::hours(1)};
    std::string io;                          // name of the used link
    std::string refused;                     // see chosen_link
    std::optional<std::string> not_offered;  // why the schedule did not begin
    std::string failure;                     // why the schedule ended too early, or empty
};

struct chosen_link {
    std::unique_ptr<link> made;
    std::string refused;  // why io_uring is not used; empty if io_uring is used, or with HTTP
};
using link_maker = std::function<chosen_link(const open_loop_plan&)>;

/// Returns a link that uses epoll. `why` is the reason why io_uring is not used.
chosen_link link_by_epoll(const open_loop_plan& plan, std::string why);

/// Returns a link that uses io_uring. With HTTP, or if the kernel refuses io_uring, returns a link that uses
/// epoll. Without io_uring, each request takes more CPU time, and the generator can offer only a lower rate;
/// run_open_loop() detects a rate that is too high. Throws std::system_error if the link cannot connect.
chosen_link cheapest_link(const open_loop_plan& plan);

/// Determines the rate of the schedule, and closes the connections that it used for this. Then opens new
/// connections and runs the schedule. If the generator was the bottleneck, runs the schedule again, up to
/// `tries_max` times in total. Throws the exceptions of `make`.
open_loop_result run_open_loop(const open_loop_plan& plan, const link_maker& make = cheapest_link);

/// Returns the names of the latency percentiles to which the generator's lateness contributes. A percentile
/// is affected if it is more than 10 % above the same percentile of `latency_from_send`. It is also affected
/// if the same percentile of `send_lateness` is more than 10 % of the latency. All percentiles above an
/// affected one are returned, too.
std::vector<std::string_view> percentiles_of_its_own_making(const open_loop_result& result);

/// Returns why the result describes the generator rather than the server, or nothing if it describes the
/// server. There are two reasons: the generator was too late for more than 20 % of the requests, or its
/// lateness contributes to the median or the 90th percentile.
std::optional<std::string> generator_was_the_bottleneck(const open_loop_result& result);

/// Returns why the latencies do not describe the server, or nothing if they are valid. They are invalid if
/// the server does not sustain the rate, or if generator_was_the_bottleneck() returns a reason.
std::optional<std::string> why_invalid(const open_loop_result& result);

}  // namespace loopbench::bench
