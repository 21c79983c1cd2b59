// A client that does not wait for its server: requests go out on a schedule that was fixed before, and a
// reply's latency counts from when its request was to be sent, so that a server that stalls is charged for
// every request that it kept waiting, not for one (coordinated omission: Gil Tene, wrk2's README).
//
// One thread, bare system calls (link.hpp), no loop of the suite: the same for all contenders. It never
// sleeps (but for HTTP), because a timer's slack would be larger than what it measures; how much of its time
// it really worked is reported instead of its CPU time.
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

#include "bench/generator/link.hpp"
#include "bench/metrics/histogram.hpp"

namespace loopbench::bench {

struct open_loop_plan {
    loop::endpoint server{};  // that echoes
    std::size_t connections = 16;
    std::size_t bytes = 64;  // of a request
    /// Instead of an echo: the request and reply of conversation.hpp, by a client that sleeps while nothing
    /// has come, as wrk does: waking its client for each reply is work of the server's, too.
    bool http = false;
    std::uint64_t requests = 0;
    std::chrono::nanoseconds capacity_time{std::chrono::milliseconds(300)};
    /// How long each look takes that tells whether the rate can be offered here; 0 for none.
    std::chrono::nanoseconds look_time{std::chrono::milliseconds(30)};
    double load = 0.5;            // of the capacity that is measured first
    double rate = 0;              // requests per second; 0: by load and capacity
    std::uint64_t tries_max = 3;  // at keeping to the schedule, when the generator was the bottleneck
    /// For replies after the last request, and for the thousand that a capacity is of. A schedule that is
    /// longer than that is kept to once.
    std::chrono::nanoseconds patience{std::chrono::seconds(10)};
    /// A request is measured when it was sent at most so late, and when replies had been looked for so short
    /// a time before its own was found; or else when that is at most a tenth of its latency. The core of the
    /// generator is taken away now and then, for tens of microseconds where the machine is a virtual one;
    /// what falls due or comes meanwhile would be charged to the server. When that happens does not depend on
    /// the server. The tenth keeps all that a server which pauses made wait, though the flood of its replies
    /// keeps the generator busy. It also keeps the slowest of such a moment and no others: of 20 % that are
    /// left out, p99 is about p99.2 of all, so that it errs upward, and the more the faster the server.
    std::chrono::nanoseconds late_max{std::chrono::microseconds(5)};
    std::chrono::nanoseconds unwatched_max{std::chrono::microseconds(25)};
};

struct open_loop_result {
    double capacity = 0;  // round trips per second with a request always under way on every connection
    double rate = 0;      // requests per second that were to be sent
    /// At keeping to the schedule; what follows is of the last, the others were proved.
    std::uint64_t tries = 1;
    std::uint64_t sent = 0;
    std::uint64_t replies = 0;  // the right ones
    std::uint64_t wrong_replies = 0;
    // Of the requests that the generator was in time for:
    histogram latency;            // from when the request was to be sent
    histogram latency_from_send;  // from when it was sent
    histogram send_lateness;      // from the one to the other
    std::uint64_t left_out = 0;   // the other ones
    /// Requests, of those sent, that their connection did not take when they were due: its server was too far
    /// behind.
    std::uint64_t held_back = 0;
    double busy = 0;  // share of the wall time in which there was something to send or to receive
    // The smallest latency from when they were sent, of the requests in each half of the schedule.
    std::chrono::nanoseconds least_of_first_half{std::chrono::hours(1)};
    std::chrono::nanoseconds least_of_second_half{std::chrono::hours(1)};
    std::string io;                          // how it sent and received
    std::string refused;                     // see chosen_link
    std::optional<std::string> not_offered;  // why the schedule was not begun
    std::string failure;                     // why it ended too early; empty when it did not
};

struct chosen_link {
    std::unique_ptr<link> made;
    std::string refused;  // why it is not by io_uring; empty when it is, or when it need not be
};
using link_maker = std::function<chosen_link(const open_loop_plan&)>;

/// `why` it is not by io_uring.
chosen_link link_by_epoll(const open_loop_plan& plan, std::string why);

/// By io_uring, or by epoll where the kernel refuses that: it costs more for each request, so that less can
/// be offered, and the same judgement tells what that is. Throws std::system_error when it cannot connect.
chosen_link cheapest_link(const open_loop_plan& plan);

/// Finds out on connections of their own what can be asked for, closes them, opens others and keeps to the
/// schedule: up to `tries_max` times, when the generator was the bottleneck. Throws what `make` throws.
open_loop_result run_open_loop(const open_loop_plan& plan, const link_maker& make = cheapest_link);

/// The percentiles of the latency, as metrics are named, in which the generator's lateness has a part: all
/// from the first one on that is more than 10 % above what it is from when the requests were really sent, or
/// of which the same percentile of the lateness is more than 10 %.
std::vector<std::string_view> percentiles_of_its_own_making(const open_loop_result& result);

/// Why the result says more about the generator than about the server, nothing when it does not: it was too
/// late for over 20 % of the requests, or the median or the 90th percentile is of its own making.
std::optional<std::string> generator_was_the_bottleneck(const open_loop_result& result);

/// Why the latencies say nothing of the server: for the reason above, or because the server does not sustain
/// the rate, so that they are as large as the schedule is long.
std::optional<std::string> why_invalid(const open_loop_result& result);

}  // namespace loopbench::bench
