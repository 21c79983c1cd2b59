// The list of metrics.
#include "reports/metrics.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace loopbench::reports {

namespace {

constexpr auto smaller = direction::smaller;
constexpr auto larger = direction::larger;

constexpr std::array metrics{
    metric_info{"time", "time per operation", "ns", smaller, false, "wall time per operation",
                "CLOCK_MONOTONIC around the timed section, divided by the operations done. Of workloads that "
                "wait for deadlines it is those deadlines."},
    metric_info{"throughput", "operations per second", "/s", larger, false,
                "operations per second of wall time",
                "Operations divided by the wall time of the timed section: time, turned round."},
    metric_info{"latency_p50", "median latency", "ns", smaller, false,
                "latency that half of the operations stay within",
                "The median of all latencies of a trial, from a histogram with 1/256 resolution. In a closed "
                "loop with N connections it is close to N times the time per operation."},
    metric_info{"latency_p90", "p90 latency", "ns", smaller, false,
                "latency that 90 % of the operations stay within",
                "90 % of all latencies of a trial are within that, from a histogram with 1/256 resolution."},
    metric_info{"latency_p99", "p99 latency", "ns", smaller, false,
                "latency that 99 % of the operations stay within",
                "99 % of all latencies of a trial are within that, from a histogram with 1/256 resolution. "
                "Moved by preemption and by the order of service."},
    metric_info{"latency_p999", "p99.9 latency", "ns", smaller, false,
                "latency that 99.9 % of the operations stay within",
                "99.9 % of all latencies of a trial are within that, from a histogram with 1/256 resolution. "
                "With fewer than 1000 operations it is the maximum."},
    metric_info{"latency_max", "longest latency", "ns", smaller, false,
                "the longest latency of all operations",
                "The longest latency; exact. One preemption makes it, so compare it with care."},
    metric_info{
        "late_p50", "median lateness", "ns", smaller, false,
        "timer lateness at the median; negative is early",
        "How long after its deadline a timer's coroutine ran, by the system's clock; median. The kernel's "
        "timer slack (50 us by default) is most of it for loops that wait in epoll, poll or select."},
    metric_info{
        "late_p99", "p99 lateness", "ns", smaller, false,
        "timer lateness that 99 % of the timers stay within",
        "How long after its deadline a timer's coroutine ran, by the system's clock; 99 % ran within that."},
    metric_info{"late_max", "greatest lateness", "ns", smaller, false, "lateness of the latest timer",
                "The latest of all timers; exact."},
    metric_info{"early", "timers that were early", "count", smaller, false,
                "timers that fired before their deadline",
                "Timers that fired before their deadline, even by a nanosecond. A trial in which one did has "
                "failed, unless the contender says how early it may be (libuv: 2 ms) and none was earlier."},
    metric_info{"drift", "drift", "ns", smaller, false,
                "how far a periodic timer strayed from its schedule by the end",
                "How far from its schedule a periodic timer is after its last tick. With absolute deadlines, "
                "as here, it is one tick's lateness, however many ticks there were; it grows in a loop that "
                "cannot keep up."},
    metric_info{"cpu_user", "user CPU per operation", "ns", smaller, false, "user CPU time per operation",
                "User time by getrusage over the timed section, per operation. Sampled at the kernel's tick "
                "on most kernels, so coarse in short trials; cpu is exact."},
    metric_info{"cpu_system", "system CPU per operation", "ns", smaller, false,
                "system CPU time per operation", "As cpu_user, in the kernel."},
    metric_info{"cpu", "CPU per operation", "ns", smaller, false,
                "user and system CPU time per operation; waiting for I/O is not CPU",
                "CLOCK_PROCESS_CPUTIME_ID over the timed section, all threads, per operation. Waiting for "
                "I/O is not in it, and neither is what other processes do."},
    metric_info{"spin", "CPU share", "ratio", smaller, false,
                "CPU time over wall time: 1 is a whole core, 0 is asleep",
                "CPU time over wall time: 1 is a core that is never idle. Of a loop that waits for deadlines "
                "it is what the waiting costs; of a closed loop on loopback it is near 1 for everybody."},
    metric_info{"wakeups", "wakeups per second", "/s", smaller, false,
                "times per second that the process slept in the kernel and was woken",
                "Voluntary context switches per second by getrusage: how often the process went to sleep in "
                "the kernel. Where it sleeps for each operation, the faster contender has more of them."},
    metric_info{
        "waits", "waits per operation", "per op", smaller, true,
        "waits (select, poll, epoll_wait, io_uring_enter) per operation",
        "Calls of select, poll, epoll_wait and their like, and of io_uring_enter that ask for completions, "
        "per operation, by strace. Counted by slope: N and 2N operations, the difference divided by N."},
    metric_info{"empty_waits", "empty waits per operation", "per op", smaller, true,
                "waits per operation that returned nothing",
                "Of the waits, those that came back with nothing: by timeout, or because they did not wait."},
    metric_info{"zero_timeout_waits", "waits without time per operation", "per op", smaller, true,
                "waits per operation that were not allowed to wait",
                "Of the waits, those that were told not to wait: a loop that looks for I/O while something "
                "is ready."},
    metric_info{"syscalls", "system calls per operation", "per op", smaller, true,
                "system calls per operation",
                "System calls per operation, of the whole process, by `perf trace` or by strace (the report "
                "says which), by slope. Which calls they are is in counts.json."},
    metric_info{"allocations", "allocations per operation", "per op", smaller, true,
                "heap allocations per operation",
                "Calls of malloc and its kind per operation, by a library that is preloaded, by slope. Pools "
                "of the contender's own show only when they grow."},
    metric_info{"allocated_bytes", "bytes allocated per operation", "B/op", smaller, true,
                "heap bytes allocated per operation",
                "The bytes that those allocations asked for, per operation."},
    metric_info{"context_switches", "context switches per operation", "per op", smaller, true,
                "context switches per operation",
                "Voluntary context switches per operation, by wait4, by slope."},
    metric_info{
        "rss_peak", "peak memory", "B", smaller, false, "peak resident memory of the contender's process",
        "The peak of resident memory of the contender's process, by VmHWM of /proc/self/status when the "
        "trial has ended: with all that comes before the timed section and with the histograms, some hundred "
        "KiB. Other processes of a workload (silent clients, the load generator) are not in it."},
    metric_info{"bytes_per_item", "memory per connection or timer", "B", smaller, false,
                "memory per connection or pending timer",
                "Growth of the resident memory while connections or timers were made, divided by their "
                "number. User space only: what the kernel keeps for a socket is not in it."},
    metric_info{"fairness", "fairness", "ratio", larger, false,
                "Jain's index of the connections' shares: 1 is equal, 1/n is all for one",
                "Jain's fairness index of the round trips of each connection at the moment when half of all "
                "are made. Below 0.75 a trial has failed: some were served at the others' cost."},
    metric_info{
        "skew", "first to last child", "ns", smaller, false,
        "from the first to the last of the children of a gather that are due at once",
        "From the first to the last child of a gather whose deadlines are the same; median of the gathers."},
    metric_info{
        "capacity", "capacity per second", "/s", larger, false,
        "round trips per second that a server was found to be capable of",
        "Round trips per second of a closed loop on 16 connections with a client on another core, just "
        "before the requests come on schedule. It is what this server and this client reach together."},
    metric_info{"send_late_p99", "p99 lateness of sending", "ns", smaller, false,
                "how late the load generator sent its requests, at 99 %",
                "How long after its time the load generator sent a request; p99, without those left out. A "
                "percentile of the latency that is over 10 % larger for such lateness, or of which that "
                "percentile of the lateness is over 10 %, has no number, nor have those above it; when that "
                "is the 90th or the median, the trial is invalid."},
    metric_info{"generator_busy", "busy share of the client", "ratio", smaller, false,
                "share of the time in which the load generator worked",
                "The share of the wall time in which the load generator, which never sleeps, had something "
                "to send or to receive; divided by the requests per second, what one costs it. It uses "
                "io_uring; where that is refused, epoll, which costs it more, and an invalid trial says so."},
    metric_info{
        "left_out", "share of requests left out", "ratio", smaller, false,
        "share of the requests that the load generator was too late for",
        "The share of the requests that are in no latency, because the load generator sent them more than 5 "
        "us late, or had not looked for replies for over 25 us when theirs was found, and that is more than "
        "a tenth of the latency: the machine takes its core away now and then, and what falls due or comes "
        "meanwhile would be charged to the server. Over 0.2 the trial is invalid."},
    metric_info{"path_rtt_p50", "median round trip of the path", "ns", smaller, false,
                "round trip between the two kernels of a client on another machine, median",
                "Of 200 connections that the generator made before any request, each timed from connect() to "
                "its return: the kernels answer, and not the contender. It is in every latency."},
    metric_info{"path_rtt_p99", "p99 round trip of the path", "ns", smaller, false,
                "the same round trip, of which 99 % are within",
                "The spread of those 200: what the path alone does to the slowest requests."},
    metric_info{"path_rate", "bytes per second of the path", "B/s", larger, false,
                "bytes per second from that client to the contender's machine",
                "Of one TCP connection that sent for 100 ms, until the last byte was read, to a thread that "
                "only reads. A request of 64 bytes needs little of it."},
    metric_info{"sample_cost", "cost of recording a latency", "ns", smaller, false,
                "what recording one latency costs by itself",
                "A reading of the clock and a record in the histogram, measured in the contender once, after "
                "its first trial. What it amounts to in the workload is the difference to a run with "
                "LOOPBENCH_RECORD=off."},
    metric_info{"recording", "time recorded over not", "ratio", smaller, false,
                "time per operation with latencies recorded, over the same without",
                "With `run --checks`: processes with N operations, recorded and not (LOOPBENCH_RECORD=off), "
                "in turn; the median of the ratios. 1.01 says that measuring makes up a hundredth of time."},
    metric_info{"doubling", "time of twice the work over time", "ratio", smaller, false,
                "how much longer twice the work takes: 2 when time is a time per operation",
                "With `run --checks`: t(2N)/t(N) of the timed sections of two processes; the median of at "
                "least six such pairs, and of up to forty until its interval is clearly in or out of 1.9 to "
                "2.1. Where it is not in, the report warns: work that a compiler removed, a part that does "
                "not grow with the work, or a machine too noisy to tell."},
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
