// The list of metrics.
#include "reports/model/metrics.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace loopbench::reports {

namespace {

constexpr auto smaller = direction::smaller;
constexpr auto larger = direction::larger;

constexpr std::array metrics{
    metric_info{"time", "time per operation", "ns", smaller, false, "wall time per operation",
                "CLOCK_MONOTONIC around the timed section, divided by the number of operations. In workloads "
                "that wait for deadlines, it is the time of these deadlines."},
    metric_info{"throughput", "operations per second", "/s", larger, false,
                "operations per second of wall time",
                "Operations divided by the wall time of the timed section: the reciprocal of time."},
    metric_info{"latency_p50", "median latency", "ns", smaller, false,
                "latency that half of the operations stay within",
                "The median of all latencies of a trial, from a histogram with 1/256 resolution. In a closed "
                "loop with N connections it is close to N times the time per operation."},
    metric_info{"latency_p90", "p90 latency", "ns", smaller, false,
                "latency that 90 % of the operations stay within",
                "The 90th percentile of all latencies of a trial, from a histogram with 1/256 resolution."},
    metric_info{"latency_p99", "p99 latency", "ns", smaller, false,
                "latency that 99 % of the operations stay within",
                "The 99th percentile of all latencies of a trial, from a histogram with 1/256 resolution. "
                "Preemption and the order of service affect it."},
    metric_info{"latency_p999", "p99.9 latency", "ns", smaller, false,
                "latency that 99.9 % of the operations stay within",
                "The 99.9th percentile of all latencies of a trial, from a histogram with 1/256 resolution. "
                "With fewer than 1,000 operations it is the maximum."},
    metric_info{"latency_max", "longest latency", "ns", smaller, false,
                "the longest latency of all operations",
                "The longest latency; exact. A single preemption can cause it, so compare it with care."},
    metric_info{"late_p50", "median lateness", "ns", smaller, false,
                "timer lateness at the median; negative is early",
                "The time from a timer's deadline until its coroutine runs, by the system's clock; the "
                "median. In loops that wait in epoll, poll or select, most of it is the kernel's timer slack "
                "(50 us by default)."},
    metric_info{"late_p99", "p99 lateness", "ns", smaller, false,
                "timer lateness that 99 % of the timers stay within",
                "The time from a timer's deadline until its coroutine runs, by the system's clock; the 99th "
                "percentile."},
    metric_info{"late_max", "greatest lateness", "ns", smaller, false, "lateness of the latest timer",
                "The lateness of the latest timer; exact."},
    metric_info{"early", "timers that were early", "count", smaller, false,
                "timers that fired before their deadline",
                "The number of timers that fired before their deadline, even by a nanosecond. A trial with "
                "such a timer fails, unless the contender declares how early its timers can be (libuv: 2 ms) "
                "and no timer was earlier."},
    metric_info{"drift", "drift", "ns", smaller, false,
                "how far a periodic timer strayed from its schedule by the end",
                "The distance of a periodic timer from its schedule after its last tick. Deadlines are "
                "absolute, so that it is the lateness of one tick, and does not depend on the number of "
                "ticks; it grows in a loop that cannot keep up."},
    metric_info{"cpu_user", "user CPU per operation", "ns", smaller, false, "user CPU time per operation",
                "User time by getrusage over the timed section, per operation. Most kernels sample it at "
                "their tick, so that it is coarse in short trials; cpu is exact."},
    metric_info{"cpu_system", "system CPU per operation", "ns", smaller, false,
                "system CPU time per operation", "Measured like cpu_user, but for system time."},
    metric_info{"cpu", "CPU per operation", "ns", smaller, false,
                "user and system CPU time per operation, without waiting",
                "CLOCK_PROCESS_CPUTIME_ID over the timed section, all threads, per operation. It contains "
                "neither the time spent waiting for I/O nor the CPU time of other processes."},
    metric_info{
        "spin", "CPU share", "ratio", smaller, false,
        "CPU time over wall time: 1 is a whole core, 0 is asleep",
        "CPU time over wall time: 1 is a core that is never idle. In workloads that wait for deadlines, it "
        "is the cost of waiting; in closed loops on loopback, it is near 1 for every contender."},
    metric_info{"wakeups", "wakeups per second", "/s", smaller, false,
                "times per second that the process went to sleep and was woken",
                "Voluntary context switches per second by getrusage: how often the process went to sleep in "
                "the kernel. If it sleeps once per operation, a faster contender has more wakeups."},
    metric_info{"waits", "waits per operation", "per op", smaller, true,
                "waits (select, poll, epoll_wait, io_uring_enter) per operation",
                "Calls of select, poll, epoll_wait and similar functions, and calls of io_uring_enter that "
                "request completions, per operation, by strace. Counted by slope: the counts with 2N and N "
                "operations are subtracted and divided by N."},
    metric_info{"empty_waits", "empty waits per operation", "per op", smaller, true,
                "waits per operation that returned nothing",
                "The waits that returned no event: because of a timeout, or because they did not wait."},
    metric_info{"zero_timeout_waits", "zero-timeout waits per operation", "per op", smaller, true,
                "waits per operation with a timeout of zero",
                "The waits with a timeout of zero: the loop polls for I/O while other work is ready."},
    metric_info{"syscalls", "system calls per operation", "per op", smaller, true,
                "system calls per operation",
                "System calls of the whole process per operation, by `perf trace` or strace (the report says "
                "which), by slope. counts.json lists the calls."},
    metric_info{"allocations", "allocations per operation", "per op", smaller, true,
                "heap allocations per operation",
                "Calls of malloc and similar functions per operation, by a preloaded library, by slope. A "
                "contender's own memory pools count only when they grow."},
    metric_info{"allocated_bytes", "bytes allocated per operation", "B/op", smaller, true,
                "heap bytes allocated per operation",
                "The bytes that these allocations request, per operation."},
    metric_info{"context_switches", "context switches per operation", "per op", smaller, true,
                "context switches per operation",
                "Voluntary context switches per operation, by wait4, by slope."},
    metric_info{
        "rss_peak", "peak memory", "B", smaller, false, "peak resident memory of the contender's process",
        "The peak resident memory of the contender's process, by VmHWM of /proc/self/status after the trial. "
        "It includes the preparation of the timed section and the histograms (some hundred KiB), and "
        "excludes other processes of a workload (silent clients, the load generator)."},
    metric_info{"bytes_per_item", "memory per connection or timer", "B", smaller, false,
                "memory per connection or pending timer",
                "The growth of the resident memory while the connections or timers are created, divided by "
                "their number. User space only: the kernel's memory for sockets is not included."},
    metric_info{
        "fairness", "fairness", "ratio", larger, false,
        "Jain's index of the connections' shares: 1 means equal shares, 1/n means that one gets all",
        "Jain's fairness index of the round trips of each connection when half of all round trips are "
        "complete. A trial below 0.75 fails, because some connections were served at the cost of others."},
    metric_info{"skew", "first to last child", "ns", smaller, false,
                "time between the first and the last child of a gather with one deadline",
                "The time between the first and the last child of a gather in which all deadlines are equal; "
                "the median of the gathers."},
    metric_info{
        "capacity", "capacity per second", "/s", larger, false,
        "round trips per second that the server reaches under full load",
        "Round trips per second of a closed loop on 16 connections with a client on another core, measured "
        "just before the scheduled requests. It is the limit of this server and this client together."},
    metric_info{"send_late_p99", "p99 lateness of sending", "ns", smaller, false,
                "lateness of the load generator's requests, 99th percentile",
                "The delay of the load generator's requests against their schedule; p99, without the "
                "requests that are left out. If this lateness makes a percentile of the latency more than 10 "
                "% larger, or is more than 10 % of it, this percentile and all higher ones have no number; "
                "if it is the median or the 90th percentile, the trial is invalid."},
    metric_info{"generator_busy", "busy share of the client", "ratio", smaller, false,
                "share of the time in which the load generator was busy",
                "The share of the wall time in which the load generator, which never sleeps, sent or "
                "received something; divided by the requests per second, it is the cost of one request. The "
                "generator uses io_uring, or epoll if the kernel refuses io_uring; epoll costs more, and an "
                "invalid trial names it."},
    metric_info{
        "left_out", "share of requests left out", "ratio", smaller, false,
        "share of the requests that the load generator sent or observed too late",
        "The share of the requests without a latency. The load generator sent them more than 5 us late, or "
        "had not checked for replies for more than 25 us when it found theirs, and this delay is more than a "
        "tenth of the latency. Such delays occur when the machine takes the generator's core away; they must "
        "not be charged to the server. A trial with a share above 0.2 is invalid."},
    metric_info{"path_rtt_p50", "median round trip of the path", "ns", smaller, false,
                "round trip between the two kernels of a client on another machine, median",
                "The generator opens 200 connections before the first request, and times each connect(): the "
                "kernels answer, not the contender. Every latency contains this time."},
    metric_info{"path_rtt_p99", "p99 round trip of the path", "ns", smaller, false,
                "round trip between the two kernels, 99th percentile",
                "The 99th percentile of these 200 connections: the effect of the path alone on the slowest "
                "requests."},
    metric_info{"path_rate", "bytes per second of the path", "B/s", larger, false,
                "bytes per second from that client to the contender's machine",
                "One TCP connection sends for 100 ms to a thread that only reads; measured until the last "
                "byte is read. A request of 64 bytes needs only a small part of it."},
    metric_info{"sample_cost", "cost of recording a latency", "ns", smaller, false,
                "time to record one latency",
                "The time to read the clock and to record a value in the histogram, measured once in the "
                "contender, after its first trial. The overhead in a workload is the difference to a run "
                "with LOOPBENCH_RECORD=off."},
    metric_info{
        "recording", "time with recording over without", "ratio", smaller, false,
        "time per operation with recorded latencies, divided by the time without",
        "With `run --checks`: processes with N operations run alternately with and without recording "
        "(LOOPBENCH_RECORD=off); the median of the ratios. 1.01 means that recording adds 1 % to the time."},
    metric_info{
        "doubling", "time of twice the work over time", "ratio", smaller, false,
        "time of twice the work, divided by the time of the work; 2 if time is proportional to work",
        "With `run --checks`: t(2N)/t(N) of the timed sections of two processes; the median of six to forty "
        "such pairs, until its interval is clearly inside or outside 1.9 to 2.1. Outside, the report warns: "
        "the compiler removed work, a part does not grow with the work, or the machine is too noisy."},
};

}  // namespace

std::span<const metric_info> known_metrics() {
    return metrics;
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
