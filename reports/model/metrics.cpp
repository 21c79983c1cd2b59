// The list of all metrics.
#include "reports/model/metrics.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace loopbench::reports {

namespace {

constexpr auto smaller = direction::smaller;
constexpr auto larger = direction::larger;

constexpr std::array metrics{
    metric_info{
        .name = "time",
        .title = "time per operation",
        .unit = "ns",
        .valid_if_concurrent = true,
        .floors = floor_role::warn,
        .judged_by_tolerance = true,
        .summary = "wall time per operation",
        .how = "CLOCK_MONOTONIC around the timed section, divided by the number of operations. In workloads "
               "that wait for deadlines, it is the time of these deadlines."},
    metric_info{.name = "throughput",
                .title = "operations per second",
                .unit = "/s",
                .better = larger,
                .summary = "operations per second of wall time",
                .how = "Operations divided by the wall time of the timed section: the reciprocal of time."},
    metric_info{
        .name = "latency_p50",
        .title = "median latency",
        .unit = "ns",
        .floors = floor_role::show,
        .summary = "latency that half of the operations stay within",
        .how = "The median of all latencies of a trial, from a histogram with 1/256 resolution. In a closed "
               "loop with N connections it is close to N times the time per operation."},
    metric_info{
        .name = "latency_p90",
        .title = "p90 latency",
        .unit = "ns",
        .floors = floor_role::show,
        .summary = "latency that 90 % of the operations stay within",
        .how = "The 90th percentile of all latencies of a trial, from a histogram with 1/256 resolution."},
    metric_info{
        .name = "latency_p99",
        .title = "p99 latency",
        .unit = "ns",
        .floors = floor_role::show,
        .samples_needed = 100,
        .samples_metric = "latencies",
        .summary = "latency that 99 % of the operations stay within",
        .how =
            "The 99th percentile of all latencies of a trial, from a histogram with 1/256 resolution. "
            "Preemption and the order of service affect it. With fewer than 100 latencies in a trial it is "
            "the maximum, is labelled as such, and has no verdict."},
    metric_info{
        .name = "latency_p999",
        .title = "p99.9 latency",
        .unit = "ns",
        .floors = floor_role::show,
        .samples_needed = 1000,
        .samples_metric = "latencies",
        .summary = "latency that 99.9 % of the operations stay within",
        .how =
            "The 99.9th percentile of all latencies of a trial, from a histogram with 1/256 resolution. "
            "With fewer than 1,000 latencies in a trial it is the maximum, is labelled as such, and has no "
            "verdict."},
    metric_info{.name = "latency_max",
                .title = "longest latency",
                .unit = "ns",
                .floors = floor_role::show,
                .summary = "the longest latency of all operations",
                .how = "The exact longest latency of a trial. A single preemption can cause it, so compare "
                       "it with care."},
    metric_info{.name = "latencies",
                .title = "latencies",
                .unit = "count",
                .summary = "latencies that a trial recorded",
                .how = "The number of latencies in the timed section of a trial. A percentile needs enough "
                       "of them: 100 for p99, 1,000 for p99.9."},
    metric_info{
        .name = "late_p50",
        .title = "median lateness",
        .unit = "ns",
        .floors = floor_role::warn,
        .summary = "timer lateness at the median; negative is early",
        .how =
            "The time from a timer's deadline until its coroutine runs, by the system's clock; the "
            "median of the timers. In loops that wait in epoll, poll or select, most of the lateness is the "
            "kernel's timer slack (50 us by default)."},
    metric_info{
        .name = "late_p99",
        .title = "p99 lateness",
        .unit = "ns",
        .floors = floor_role::show,
        .samples_needed = 100,
        .samples_metric = "timers",
        .summary = "timer lateness that 99 % of the timers stay within",
        .how =
            "The time from a timer's deadline until its coroutine runs, by the system's clock; the 99th "
            "percentile. With fewer than 100 timers in a trial it is the maximum, is labelled as such, and "
            "has no verdict."},
    metric_info{.name = "late_max",
                .title = "greatest lateness",
                .unit = "ns",
                .floors = floor_role::show,
                .summary = "lateness of the latest timer",
                .how = "The exact lateness of the latest timer of a trial."},
    metric_info{.name = "timers",
                .title = "timers",
                .unit = "count",
                .summary = "timers whose lateness a trial recorded",
                .how =
                    "The number of timers in the timed section of a trial. The p99 lateness needs at least "
                    "100 of them."},
    metric_info{
        .name = "early",
        .title = "timers that were early",
        .unit = "count",
        .summary = "timers that fired before their deadline",
        .how = "The number of timers that fired before their deadline, even by a nanosecond. A trial with "
               "such a timer fails, unless the contender declares how early its timers can be (libuv: 2 ms) "
               "and no timer was earlier."},
    metric_info{.name = "drift",
                .title = "drift",
                .unit = "ns",
                .summary = "distance of a periodic timer from its schedule after its last tick",
                .how = "The distance of a periodic timer from its schedule after its last tick. Deadlines "
                       "are absolute, so the drift is the lateness of one tick, and does not depend on the "
                       "number of ticks. The drift grows in a loop that cannot keep up."},
    metric_info{.name = "cpu_user",
                .title = "user CPU per operation",
                .unit = "ns",
                .valid_if_concurrent = true,
                .summary = "user CPU time per operation",
                .how = "User time by getrusage over the timed section, per operation. Most kernels sample it "
                       "at their tick, so cpu_user is coarse in short trials; cpu is exact."},
    metric_info{.name = "cpu_system",
                .title = "system CPU per operation",
                .unit = "ns",
                .valid_if_concurrent = true,
                .summary = "system CPU time per operation",
                .how = "Measured like cpu_user, but for system time."},
    metric_info{
        .name = "cpu",
        .title = "CPU per operation",
        .unit = "ns",
        .valid_if_concurrent = true,
        .summary = "user and system CPU time per operation, without waiting",
        .how = "CLOCK_PROCESS_CPUTIME_ID over the timed section, all threads, per operation. It contains "
               "neither the time spent waiting for I/O nor the CPU time of other processes."},
    metric_info{.name = "spin",
                .title = "CPU share",
                .unit = "ratio",
                .summary = "CPU time divided by wall time: 1 is a busy core, 0 is asleep",
                .how = "CPU time divided by wall time: 1 is a core that is never idle. In workloads that "
                       "wait for deadlines, the share is the cost of waiting. In closed loops on loopback, "
                       "the share is near 1 for every contender."},
    metric_info{
        .name = "wakeups",
        .title = "wakeups per second",
        .unit = "/s",
        .summary = "times per second that the process went to sleep and was woken",
        .how = "Voluntary context switches per second by getrusage: how often the process went to sleep in "
               "the kernel. If it sleeps once per operation, a faster contender has more wakeups."},
    metric_info{.name = "waits",
                .title = "waits per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "waits (select, poll, epoll_wait, io_uring_enter) per operation",
                .how = "Calls of select, poll, epoll_wait and similar functions, and calls of io_uring_enter "
                       "that request completions, per operation, counted by strace. By slope: the difference "
                       "of the counts with 2N and with N operations, divided by N."},
    metric_info{.name = "empty_waits",
                .title = "empty waits per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "waits per operation that returned nothing",
                .how = "The waits that returned no event, because their timeout passed or was zero."},
    metric_info{.name = "zero_timeout_waits",
                .title = "zero-timeout waits per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "waits per operation with a timeout of zero",
                .how = "The waits with a timeout of zero: the loop polls for I/O while other work is ready."},
    metric_info{.name = "syscalls",
                .title = "system calls per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "system calls per operation",
                .how = "System calls of the whole process per operation, counted by `perf trace` or strace "
                       "(the report says which), by slope like waits. counts.json lists the calls."},
    metric_info{.name = "allocations",
                .title = "allocations per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "heap allocations per operation",
                .how = "Calls of malloc and similar functions per operation, counted by a preloaded library, "
                       "by slope like waits. A contender's own memory pools count only when they grow."},
    metric_info{.name = "allocated_bytes",
                .title = "bytes allocated per operation",
                .unit = "B/op",
                .deterministic = true,
                .summary = "heap bytes allocated per operation",
                .how = "The bytes that the counted allocations request, per operation."},
    metric_info{
        .name = "context_switches",
        .title = "context switches per operation",
        .unit = "per op",
        .deterministic = true,
        .summary = "context switches per operation",
        .how = "Voluntary context switches per operation, from wait4(2), counted by slope like waits."},
    metric_info{
        .name = "rss_peak",
        .title = "peak memory",
        .unit = "B",
        .valid_if_concurrent = true,
        .summary = "peak resident memory of the contender's process",
        .how = "The peak resident memory of the contender's process, by VmHWM of /proc/self/status after the "
               "trial. "
               "It includes the preparation of the timed section and the histograms (some hundred KiB), and "
               "excludes other processes of a workload (silent clients, the load generator)."},
    metric_info{
        .name = "bytes_per_item",
        .title = "memory per connection or timer",
        .unit = "B",
        .valid_if_concurrent = true,
        .summary = "memory per connection or pending timer",
        .how = "The growth of the resident memory while the connections or timers are created, divided by "
               "their number. User space only: the kernel's memory for sockets is not included."},
    metric_info{
        .name = "fairness",
        .title = "fairness",
        .unit = "ratio",
        .better = larger,
        .valid_if_concurrent = true,
        .summary =
            "Jain's index of the connections' shares: 1 means equal shares, 1/n means that one gets all",
        .how = "Jain's fairness index of the round trips of each connection when half of all round trips are "
               "complete. A trial below 0.75 fails, because some connections were served at the cost of "
               "others."},
    metric_info{
        .name = "skew",
        .title = "first to last child",
        .unit = "ns",
        .summary = "time between the first and the last child of a gather with one deadline",
        .how = "The time between the first and the last child of a gather in which all deadlines are equal; "
               "the median of the gathers."},
    metric_info{.name = "capacity",
                .title = "capacity per second",
                .unit = "/s",
                .better = larger,
                .judged_by_tolerance = true,
                .summary = "round trips per second that the server reaches under full load",
                .how = "Round trips per second of a closed loop on 16 connections with a client on another "
                       "core, measured just before the scheduled requests. The capacity is the limit of the "
                       "server and the client together."},
    metric_info{
        .name = "send_late_p99",
        .title = "p99 lateness of sending",
        .unit = "ns",
        .summary = "lateness of the load generator's requests, 99th percentile",
        .how = "The delay of the load generator's requests against their schedule; p99, without the "
               "requests that are left out. If this lateness makes a percentile of the latency more than 10 "
               "% larger, or is more than 10 % of it, this percentile and all higher ones have no number; "
               "if it is the median or the 90th percentile, the trial is invalid."},
    metric_info{
        .name = "generator_busy",
        .title = "busy share of the client",
        .unit = "ratio",
        .summary = "share of the time in which the load generator was busy",
        .how = "The share of the wall time in which the load generator, which never sleeps, sent or "
               "received something; divided by the requests per second, it is the cost of one request. The "
               "generator uses io_uring, or epoll if the kernel refuses io_uring; epoll costs more, and an "
               "invalid trial names it."},
    metric_info{.name = "left_out",
                .title = "share of requests left out",
                .unit = "ratio",
                .summary = "share of the requests that the load generator sent or observed too late",
                .how = "The share of the requests without a latency. The load generator sent them more than "
                       "5 us late, or "
                       "had not checked for replies for more than 25 us when it found theirs, and this delay "
                       "is more than a "
                       "tenth of the latency. Such delays occur when the machine takes the generator's core "
                       "away; they must "
                       "not be charged to the server. A trial with a share above 0.2 is invalid."},
    metric_info{
        .name = "path_rtt_p50",
        .title = "median network round trip",
        .unit = "ns",
        .summary = "network round trip between the client's and the contender's machine, median",
        .how =
            "Before the first request, the load generator opens 200 connections and times each connect(). "
            "The contender's kernel answers, not the contender. Every latency contains one such round trip."},
    metric_info{
        .name = "path_rtt_p99",
        .title = "p99 network round trip",
        .unit = "ns",
        .summary = "network round trip between the client's and the contender's machine, 99th percentile",
        .how = "The 99th percentile of the 200 connections of path_rtt_p50. It shows how much the network "
               "alone delays the slowest requests."},
    metric_info{.name = "path_rate",
                .title = "network throughput",
                .unit = "B/s",
                .better = larger,
                .summary = "bytes per second over the network from the client's to the contender's machine",
                .how = "The load generator sends for 100 ms over one TCP connection to a thread that only "
                       "reads; the time ends when the last byte is read. Requests of 64 bytes need only a "
                       "small part of this throughput."},
    metric_info{.name = "sample_cost",
                .title = "cost of recording a latency",
                .unit = "ns",
                .summary = "time to record one latency",
                .how =
                    "The time to read the clock and to record a value in the histogram, measured once in the "
                    "contender, after its first trial. The overhead in a workload is the difference to a run "
                    "with LOOPBENCH_RECORD=off."},
    metric_info{
        .name = "recording",
        .title = "time with recording, divided by time without",
        .unit = "ratio",
        .summary = "time per operation with recorded latencies, divided by the time without recording",
        .how = "With `run --checks`: processes with N operations run alternately with and without recording "
               "(LOOPBENCH_RECORD=off); the median of the ratios. 1.01 means that recording adds 1 % to the "
               "time."},
    metric_info{
        .name = "doubling",
        .title = "time of twice the work, divided by time",
        .unit = "ratio",
        .summary =
            "time of twice the work, divided by the time of the work; 2 if time is proportional to work",
        .how = "With `run --checks`: t(2N)/t(N) of the timed sections of two processes; the median of six to "
               "forty such pairs, until its interval is clearly inside or outside 1.9 to 2.1. If the median "
               "is outside, the report warns: the compiler removed work, part of the time does not grow with "
               "the work, or the machine is too noisy."},
};

}  // namespace

std::span<const metric_info> known_metrics() {
    return metrics;
}

bool counts_samples(const metric_info& metric) {
    return std::ranges::find(metrics, metric.name, &metric_info::samples_metric) != metrics.end();
}

const metric_info* find_metric(std::string_view name) {
    const auto* found = std::ranges::find(metrics, name, &metric_info::name);
    return found == metrics.end() ? nullptr : &*found;
}

result result_of(std::string workload, std::string contender, const metric_info& metric) {
    result item;
    item.workload = std::move(workload);
    item.contender = std::move(contender);
    item.metric = metric.name;
    item.unit = metric.unit;
    item.better = metric.better;
    item.deterministic = metric.deterministic;
    return item;
}

std::string_view title_of_metric(std::string_view name) {
    const auto* const known = find_metric(name);
    return known == nullptr ? name : known->title;
}

}  // namespace loopbench::reports
