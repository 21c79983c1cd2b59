// The table of metrics.
#include "reports/metrics.hpp"

#include <algorithm>
#include <array>

namespace loopbench::reports {

namespace {

constexpr auto smaller = direction::smaller;
constexpr auto larger = direction::larger;

constexpr std::array metrics{
    metric_info{"time", "ns", smaller, false, "wall time per operation"},
    metric_info{"throughput", "/s", larger, false, "operations per second of wall time"},
    metric_info{"latency_p50", "ns", smaller, false, "latency that half of the operations stay within"},
    metric_info{"latency_p90", "ns", smaller, false, "latency that 90 % of the operations stay within"},
    metric_info{"latency_p99", "ns", smaller, false, "latency that 99 % of the operations stay within"},
    metric_info{"latency_p999", "ns", smaller, false, "latency that 99.9 % of the operations stay within"},
    metric_info{"latency_max", "ns", smaller, false, "the longest latency of all operations"},
    metric_info{"late_p50", "ns", smaller, false, "timer lateness at the median; negative is early"},
    metric_info{"late_p99", "ns", smaller, false, "timer lateness that 99 % of the timers stay within"},
    metric_info{"late_max", "ns", smaller, false, "lateness of the latest timer"},
    metric_info{"early", "count", smaller, false, "timers that fired before their deadline"},
    metric_info{"drift", "ns", smaller, false,
                "how far a periodic timer strayed from its schedule by the end"},
    metric_info{"cpu_user", "ns", smaller, false, "user CPU time per operation"},
    metric_info{"cpu_system", "ns", smaller, false, "system CPU time per operation"},
    metric_info{"cpu", "ns", smaller, false,
                "user and system CPU time per operation; waiting for I/O is not CPU"},
    metric_info{"spin", "ratio", smaller, false, "CPU time over wall time: 1 is a whole core, 0 is asleep"},
    metric_info{"wakeups", "/s", smaller, false,
                "times per second that the process slept in the kernel and was woken"},
    metric_info{"waits", "per op", smaller, true,
                "waits (select, poll, epoll_wait, io_uring_enter) per operation"},
    metric_info{"empty_waits", "per op", smaller, true, "waits per operation that returned nothing"},
    metric_info{"zero_timeout_waits", "per op", smaller, true,
                "waits per operation that were not allowed to wait"},
    metric_info{"syscalls", "per op", smaller, true, "system calls per operation"},
    metric_info{"allocations", "per op", smaller, true, "heap allocations per operation"},
    metric_info{"allocated_bytes", "B/op", smaller, true, "heap bytes allocated per operation"},
    metric_info{"context_switches", "per op", smaller, true, "context switches per operation"},
    metric_info{"rss_peak", "B", smaller, false, "peak resident memory of the contender's process"},
    metric_info{"bytes_per_item", "B", smaller, false, "memory per connection or pending timer"},
    metric_info{"fairness", "ratio", larger, false,
                "Jain's index of the connections' shares: 1 is equal, 1/n is all for one"},
    metric_info{"skew", "ns", smaller, false,
                "from the first to the last of the children of a gather that are due at once"},
    metric_info{"capacity", "/s", larger, false,
                "round trips per second that a server was found to be capable of"},
    metric_info{"send_late_p99", "ns", smaller, false,
                "how late the load generator sent its requests, at 99 %"},
    metric_info{"generator_busy", "ratio", smaller, false,
                "share of the time in which the load generator worked"},
    metric_info{"sample_cost", "ns", smaller, false, "what recording one latency costs by itself"},
    metric_info{"recording", "ratio", smaller, false,
                "time per operation with latencies recorded, over the same without"},
    metric_info{"doubling", "ratio", smaller, false,
                "how much longer twice the work takes: 2 when time is a time per operation"},
};

}  // namespace

std::span<const metric_info> known_metrics() {
    return metrics;
}

const metric_info* find_metric(std::string_view name) {
    const auto* found = std::ranges::find(metrics, name, &metric_info::name);
    return found == metrics.end() ? nullptr : &*found;
}

}  // namespace loopbench::reports
