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
        .how = "The duration of the timed section by CLOCK_MONOTONIC, divided by the number of operations. "
               "In workloads that wait for deadlines, the deadlines determine this time."},
    metric_info{.name = "throughput",
                .title = "operations per second",
                .unit = "/s",
                .better = larger,
                .summary = "operations per second of wall time",
                .how = "The number of operations divided by the wall time of the timed section; it is the "
                       "reciprocal of `time`."},
    metric_info{.name = "latency_p50",
                .title = "median latency",
                .unit = "ns",
                .floors = floor_role::show,
                .summary = "latency that half of the operations do not exceed",
                .how = "The median of all latencies of a trial, from a histogram with 1/256 resolution. If N "
                       "connections each wait for a reply before the next request, the median is close to N "
                       "times the time per operation."},
    metric_info{
        .name = "latency_p90",
        .title = "p90 latency",
        .unit = "ns",
        .floors = floor_role::show,
        .summary = "latency that 90 % of the operations do not exceed",
        .how = "The 90th percentile of all latencies of a trial, from a histogram with 1/256 resolution."},
    metric_info{
        .name = "latency_p99",
        .title = "p99 latency",
        .unit = "ns",
        .floors = floor_role::show,
        .samples_needed = 100,
        .samples_metric = "latencies",
        .summary = "latency that 99 % of the operations do not exceed",
        .how =
            "The 99th percentile of all latencies of a trial, from a histogram with 1/256 resolution. "
            "Preemption and the order in which connections are served affect it. With fewer than 100 "
            "latencies in a trial, the value is their maximum; it is labelled as such and has no verdict."},
    metric_info{
        .name = "latency_p999",
        .title = "p99.9 latency",
        .unit = "ns",
        .floors = floor_role::show,
        .samples_needed = 1000,
        .samples_metric = "latencies",
        .summary = "latency that 99.9 % of the operations do not exceed",
        .how =
            "The 99.9th percentile of all latencies of a trial, from a histogram with 1/256 resolution. "
            "With fewer than 1,000 latencies in a trial, the value is their maximum; it is labelled as such "
            "and has no verdict."},
    metric_info{.name = "latency_max",
                .title = "longest latency",
                .unit = "ns",
                .floors = floor_role::show,
                .summary = "the longest latency of all operations",
                .how = "The exact value of the longest latency of a trial. A single preemption can cause it, "
                       "so compare it with care."},
    metric_info{.name = "latencies",
                .title = "latencies",
                .unit = "count",
                .summary = "number of latencies that a trial recorded",
                .how = "The number of latencies in the timed section of a trial. The p99 needs at least "
                       "100 latencies, and the p99.9 at least 1,000."},
    metric_info{.name = "late_p50",
                .title = "median lateness",
                .unit = "ns",
                .floors = floor_role::warn,
                .summary = "median lateness of the timers (negative if they fire early)",
                .how = "The median, over all timers, of the time from a timer's deadline until its coroutine "
                       "runs, by the system's clock. In loops that wait in epoll, poll or select, most of "
                       "the lateness is the kernel's timer slack (50 us by default)."},
    metric_info{.name = "late_p99",
                .title = "p99 lateness",
                .unit = "ns",
                .floors = floor_role::show,
                .samples_needed = 100,
                .samples_metric = "timers",
                .summary = "lateness that 99 % of the timers do not exceed",
                .how = "The 99th percentile, over all timers, of the time from a timer's deadline until its "
                       "coroutine runs, by the system's clock. With fewer than 100 timers in a trial, the "
                       "value is the maximum; it is labelled as such and has no verdict."},
    metric_info{.name = "late_max",
                .title = "greatest lateness",
                .unit = "ns",
                .floors = floor_role::show,
                .summary = "lateness of the latest timer",
                .how = "The exact value of the greatest lateness of a timer in a trial."},
    metric_info{.name = "timers",
                .title = "timers",
                .unit = "count",
                .summary = "number of timers whose lateness a trial recorded",
                .how =
                    "The number of timers in the timed section of a trial. The p99 lateness needs at least "
                    "100 timers."},
    metric_info{
        .name = "early",
        .title = "timers that were early",
        .unit = "count",
        .summary = "number of timers that fired before their deadline",
        .how =
            "The number of timers that fired before their deadline, even by a nanosecond. A trial with "
            "an early timer fails, unless the contender declares how early its timers can be (libuv: 2 ms) "
            "and no timer was earlier than that."},
    metric_info{.name = "drift",
                .title = "drift",
                .unit = "ns",
                .summary = "distance of a periodic timer from its schedule after its last tick",
                .how = "The distance of a periodic timer from its schedule after its last tick. Deadlines "
                       "are absolute, so the drift is the lateness of one tick, and does not depend on the "
                       "number of ticks. The drift grows if a loop cannot keep up with the timer."},
    metric_info{.name = "cpu_user",
                .title = "user CPU per operation",
                .unit = "ns",
                .valid_if_concurrent = true,
                .summary = "user CPU time per operation",
                .how = "User time of the timed section by getrusage, per operation. Most kernels sample this "
                       "time at each tick, so cpu_user is coarse in short trials; the metric cpu is exact."},
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
        .summary = "user and system CPU time per operation; it does not include the time spent waiting",
        .how =
            "The CPU time of all threads in the timed section by CLOCK_PROCESS_CPUTIME_ID, per operation. It "
            "is a mean. In interleaved trials, the time per operation is the median of the slices, so the "
            "CPU "
            "time can exceed it. "
            "It contains neither the time spent waiting for I/O nor the CPU time of other processes."},
    metric_info{
        .name = "spin",
        .title = "CPU share",
        .unit = "ratio",
        .summary = "CPU time divided by wall time: 1 means a core that is never idle, and 0 means that the "
                   "process always sleeps",
        .how = "CPU time divided by wall time: 1 is a core that is never idle. In workloads that wait for "
               "deadlines, the share is the cost of waiting. If clients on the same machine wait for each "
               "reply before the next request, the share is near 1 for every contender."},
    metric_info{.name = "wakeups",
                .title = "wakeups per second",
                .unit = "/s",
                .summary = "number of times per second that the process went to sleep and was woken",
                .how = "Voluntary context switches per second by getrusage; each means that the process went "
                       "to sleep in the kernel. If a process sleeps once per operation, a faster contender "
                       "has more wakeups per second."},
    metric_info{.name = "waits",
                .title = "waits per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "waits (select, poll, epoll_wait, io_uring_enter) per operation",
                .how = "Calls of select, poll, epoll_wait and similar functions, and calls of io_uring_enter "
                       "that request completions, per operation, counted by strace. The value is a slope: "
                       "the count for 2N operations minus the count for N operations, divided by N."},
    metric_info{.name = "empty_waits",
                .title = "empty waits per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "waits per operation that returned no event",
                .how = "The waits that returned no event, because their timeout passed or was zero."},
    metric_info{.name = "zero_timeout_waits",
                .title = "zero-timeout waits per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "waits per operation with a timeout of zero",
                .how = "The waits with a timeout of zero: the loop polls for I/O while other work is ready."},
    metric_info{
        .name = "syscalls",
        .title = "system calls per operation",
        .unit = "per op",
        .deterministic = true,
        .summary = "system calls per operation",
        .how =
            "System calls of the whole process per operation, counted by `perf trace` or strace (the report "
            "states which of the two) and calculated as a slope, like waits. counts.json lists the calls. "
            "The "
            "counts of several threads vary: the value is the median of three counts, and the tracer, which "
            "slows the threads down, affects it."},
    metric_info{.name = "futex_calls",
                .title = "futex calls per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "calls of futex(2) per operation: a thread waits for another one, or wakes it",
                .how = "The part of `syscalls` that is futex(2), with which mutexes, condition variables and "
                       "semaphores let threads wait and wake them. Only in the workloads threads/... A lock "
                       "that is free takes no call. Counted and calculated like `syscalls`."},
    metric_info{.name = "allocations",
                .title = "allocations per operation",
                .unit = "per op",
                .deterministic = true,
                .summary = "heap allocations per operation",
                .how = "Calls of malloc and similar functions per operation, counted by a preloaded library "
                       "and calculated as a slope, like waits. If a contender has its own memory pools, only "
                       "their growth is counted."},
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
        .how = "Voluntary context switches per operation, from wait4(2), calculated as a slope, like waits. "
               "No tracer runs meanwhile. The counts of several threads vary: the value is the median of "
               "three counts. `switches` is measured in the trials."},
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
               "their number. The kernel's memory for sockets is not included."},
    metric_info{.name = "fairness",
                .title = "fairness",
                .unit = "ratio",
                .better = larger,
                .valid_if_concurrent = true,
                .summary = "Jain's index of the connections' shares: 1 means equal shares, and 1/n means "
                           "that one of n connections gets everything",
                .how =
                    "Jain's fairness index of the round trips per connection, taken when half of all round "
                    "trips are complete. A trial with an index below 0.75 fails, because some connections "
                    "were served at the cost of others. In the workloads threads/..., it is the index of "
                    "the chains, strands or connections when the first of them is complete, and fails no "
                    "trial."},
    metric_info{
        .name = "thread_fairness",
        .title = "fairness of the threads",
        .unit = "ratio",
        .better = larger,
        .valid_if_concurrent = true,
        .summary = "Jain's index of the threads' shares: 1 means equal shares, and 1/n means that one of "
                   "n threads does everything",
        .how = "Jain's fairness index of the operations per thread (in workloads with sockets, of the "
               "messages that each thread has served), taken when the first chain or connection is "
               "complete. It is no fault if one thread does everything because it is the faster way, but "
               "then further cores gain nothing."},
    metric_info{
        .name = "least_share",
        .title = "share of the slowest",
        .unit = "ratio",
        .better = larger,
        .valid_if_concurrent = true,
        .summary = "share of the chain, strand or connection that was served least, relative to the mean: "
                   "1 means equal shares, and 0 means that it was not served",
        .how = "The smallest number of operations of a chain, strand or connection, divided by the mean, "
               "when the first of them is complete. It shows a single one that starves among many, which "
               "hardly changes Jain's index (fairness)."},
    metric_info{.name = "switches",
                .title = "sleeps per operation",
                .unit = "per op",
                .valid_if_concurrent = true,
                .summary = "number of times per operation that a thread went to sleep and was woken",
                .how =
                    "Voluntary context switches of all threads in the timed section by getrusage, per "
                    "operation. Threads that wait for a lock or for work go to sleep. The value depends on "
                    "the speed of the other threads, so it is not deterministic."},
    metric_info{
        .name = "threads_per_core",
        .title = "threads per core",
        .unit = "ratio",
        .valid_if_concurrent = true,
        .summary = "number of threads per core, in trials whose threads have to share cores",
        .how = "The number of threads divided by the number of cores. It is present only if "
               "LOOPBENCH_OVERSUBSCRIBE=1 allowed the workload to use more threads than cores; its other "
               "numbers then contain the time in which threads wait for a core."},
    metric_info{.name = "skew",
                .title = "time from the first to the last child",
                .unit = "ns",
                .summary = "time between the wake-ups of the first and the last child of a gather",
                .how = "The time between the wake-ups of the first and the last child of a gather, whose "
                       "children all have the same deadline. The value is the median of all gathers."},
    metric_info{
        .name = "capacity",
        .title = "capacity per second",
        .unit = "/s",
        .better = larger,
        .judged_by_tolerance = true,
        .summary = "round trips per second that the server reaches under full load",
        .how =
            "Round trips per second on 16 connections with a client on another core, which waits for each "
            "reply before it sends the next request on that connection. The capacity is measured just before "
            "the scheduled requests. The capacity is the limit of the server and the client together."},
    metric_info{
        .name = "send_late_p99",
        .title = "p99 lateness of sending",
        .unit = "ns",
        .summary = "99th percentile of the lateness of the load generator's requests",
        .how =
            "The 99th percentile of the delays with which the load generator sent its requests, compared "
            "with the schedule; requests that were not measured (left_out) do not count. If the delays make "
            "a percentile of "
            "the latency more than 10 % larger, or are more than 10 % of it, this percentile and all higher "
            "ones have no number; if this affects the median or the 90th percentile, the trial is invalid."},
    metric_info{.name = "generator_busy",
                .title = "busy share of the client",
                .unit = "ratio",
                .summary = "share of the time in which the load generator was busy",
                .how = "The share of the wall time in which the load generator, which never sleeps, sent or "
                       "received something. This share divided by the requests per second is the time that "
                       "one request costs the generator. The generator uses io_uring, or epoll if the kernel "
                       "refuses io_uring; epoll "
                       "costs more, so the reason of an invalid trial states that epoll was used."},
    metric_info{.name = "left_out",
                .title = "share of requests not measured",
                .unit = "ratio",
                .summary = "share of the requests without a latency, because the load generator was late",
                .how =
                    "A request has no latency if the load generator sent it more than 5 us late, or had "
                    "not checked for replies for more than 25 us when it found the reply, and if this delay "
                    "is more than a tenth of the latency. Such delays occur when the machine takes the "
                    "generator's core away; they are not the server's fault. A trial with a share above 0.2 "
                    "is invalid."},
    metric_info{.name = "path_rtt_p50",
                .title = "median network round trip",
                .unit = "ns",
                .summary = "median network round trip between the client's and the contender's machine",
                .how = "Before the first request, the load generator opens 200 connections and times each "
                       "connect(). The kernel of the contender's machine answers, not the contender itself. "
                       "Every latency of a request contains one such round trip."},
    metric_info{
        .name = "path_rtt_p99",
        .title = "p99 network round trip",
        .unit = "ns",
        .summary =
            "99th percentile of the network round trips between the client's and the contender's machine",
        .how = "The 99th percentile of the times of the 200 connections that path_rtt_p50 describes. It "
               "shows how much the network alone delays the slowest requests."},
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
                .how = "The time to read the clock and to record a value in the histogram, measured once in "
                       "the contender, after its first trial. A run with LOOPBENCH_RECORD=off shows how much "
                       "time recording adds to a workload."},
    metric_info{
        .name = "recording",
        .title = "time with recording, divided by time without",
        .unit = "ratio",
        .summary = "time per operation while latencies are recorded, divided by the time without recording",
        .how = "With `run --checks`, processes with N operations run alternately with and without recording "
               "(LOOPBENCH_RECORD=off); the value is the median of the ratios of their times. 1.01 means "
               "that recording adds 1 % to the time."},
    metric_info{.name = "doubling",
                .title = "time of twice the work, divided by the time of the work",
                .unit = "ratio",
                .summary = "time of twice the work, divided by the time of the work; the value is 2 if the "
                           "time is proportional to the work",
                .how =
                    "With `run --checks`, the ratio t(2N)/t(N) of the timed sections of two processes is "
                    "measured for six to forty pairs of processes, until the interval of the median is "
                    "clearly inside or outside 1.9 to 2.1; the value is the median. If the median is "
                    "outside, the report contains a warning: the compiler might have removed work, part of "
                    "the time might not grow with the work, or the machine might be too noisy."},
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
