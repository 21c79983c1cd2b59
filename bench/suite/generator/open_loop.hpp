// A client that does not wait for its server: requests are sent on a schedule that was fixed before, and a
// reply's latency counts from the intended time of its request. A server that stalls is therefore charged for
// every request that it delayed, not for one (coordinated omission: Gil Tene, wrk2's README).
//
// One thread, bare system calls (link.hpp), no loop of the suite: the same for all contenders. It never
// sleeps (except for HTTP), because a timer's slack would be larger than the latencies that it measures.
// Instead of its CPU time, it reports the share of the time in which it had work.
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
    std::size_t bytes = 64;  // per request
    /// Instead of an echo: the request and reply of conversation.hpp, with a client that sleeps while nothing
    /// has arrived, as wrk does: waking its client for each reply is part of the server's work, too.
    bool http = false;
    std::uint64_t requests = 0;
    std::chrono::nanoseconds capacity_time{std::chrono::milliseconds(300)};
    /// The duration of each short schedule that tests if the rate can be offered here; 0 for none.
    std::chrono::nanoseconds look_time{std::chrono::milliseconds(30)};
    double load = 0.5;            // share of the capacity, which is measured first
    double rate = 0;              // requests per second; 0: load times capacity
    std::uint64_t tries_max = 3;  // runs of the schedule, if the generator was the bottleneck
    /// The longest wait for replies after the last request, and for the thousand replies of a capacity. A
    /// schedule that takes longer than this is not repeated.
    std::chrono::nanoseconds patience{std::chrono::seconds(10)};
    /// A request counts if it was sent at most `late_max` late, and if the last look for replies was at most
    /// `unwatched_max` before its reply was found; or if these delays are at most a tenth of its latency. Now
    /// and then the generator loses its core, on a virtual machine for tens of microseconds. Without this
    /// rule, the server would be charged for requests and replies of that time. These moments do not depend
    /// on the server.
    ///
    /// The tenth keeps all requests that a pausing server delayed, although the flood of its replies keeps
    /// the generator busy. It also keeps only the slowest requests of a moment without a core: if 20 % are
    /// left out, p99 is about the p99.2 of all requests. So p99 errs upward, and more so for faster servers.
    std::chrono::nanoseconds late_max{std::chrono::microseconds(5)};
    std::chrono::nanoseconds unwatched_max{std::chrono::microseconds(25)};
};

struct open_loop_result {
    double capacity = 0;  // round trips per second with one request always in flight on every connection
    double rate = 0;      // requests per second of the schedule
    /// Runs of the schedule; the fields below are of the last one, all others had correct replies.
    std::uint64_t tries = 1;
    std::uint64_t sent = 0;
    std::uint64_t replies = 0;  // correct ones
    std::uint64_t wrong_replies = 0;
    // Of the requests that count (late_max and unwatched_max):
    histogram latency;            // from the intended time of sending
    histogram latency_from_send;  // from the real time of sending
    histogram send_lateness;      // from the intended to the real time
    std::uint64_t left_out = 0;   // requests that do not count
    /// Number of requests that their connection did not take when they were due: its server was too far
    /// behind.
    std::uint64_t held_back = 0;
    double busy = 0;  // share of the wall time with something to send or to receive
    // The smallest latency from the real time of sending, of the requests in each half of the schedule.
    std::chrono::nanoseconds least_of_first_half{std::chrono::hours(1)};
    std::chrono::nanoseconds least_of_second_half{std::chrono::hours(1)};
    std::string io;                          // name of the link
    std::string refused;                     // see chosen_link
    std::optional<std::string> not_offered;  // why the schedule did not begin
    std::string failure;                     // why it ended too early, or empty
};

struct chosen_link {
    std::unique_ptr<link> made;
    std::string refused;  // why io_uring is not used; empty if it is used, or not needed
};
using link_maker = std::function<chosen_link(const open_loop_plan&)>;

/// Returns a link by epoll; `why` says why it does not use io_uring.
chosen_link link_by_epoll(const open_loop_plan& plan, std::string why);

/// Returns a link by io_uring, or by epoll if the kernel refuses io_uring. epoll costs more for each request,
/// so less can be offered; the same judgement finds out how much. Throws std::system_error if it cannot
/// connect.
chosen_link cheapest_link(const open_loop_plan& plan);

/// Finds out on separate connections how much the schedule can demand, closes them, opens others and runs the
/// schedule: up to `tries_max` times if the generator was the bottleneck. Throws what `make` throws.
open_loop_result run_open_loop(const open_loop_plan& plan, const link_maker& make = cheapest_link);

/// Returns the percentiles of the latency, as metric names, to which the generator's lateness contributes:
/// all from the first one that is more than 10 % above the same percentile from the real time of sending, or
/// for which the same percentile of the lateness is more than 10 % of it.
std::vector<std::string_view> percentiles_of_its_own_making(const open_loop_result& result);

/// Returns why the result shows the generator rather than the server, or nothing: it was too late for more
/// than 20 % of the requests, or its lateness contributes to the median or the 90th percentile.
std::optional<std::string> generator_was_the_bottleneck(const open_loop_result& result);

/// Returns why the latencies say nothing about the server: the reason above, or that the server does not
/// sustain the rate, so that latencies grow with the length of the schedule.
std::optional<std::string> why_invalid(const open_loop_result& result);

}  // namespace loopbench::bench
