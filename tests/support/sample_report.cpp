#include "tests/support/sample_report.hpp"

#include <limits>

#include "tests/support/measured.hpp"

namespace loopbench::tests {

namespace {

using namespace reports;

result measured(const char* workload, const char* contender, const char* metric, const char* unit,
                double median) {
    auto item = measured_as(workload, contender, metric, median);
    item.unit = unit;
    item.samples = {median * 0.5, median, median * 2};
    item.low = median * 0.5;
    item.high = median * 2;
    return item;
}

std::vector<result> sample_results() {
    auto flagship = measured("echo/rtt/tcp/conns:1", "loop-epoll", "time", "ns", 9250.0);
    flagship.to_baseline = ratio{"asio-epoll", 1.5, 1.25, 1.75, {{1.5, {}, 1.5}}};
    flagship.judged = verdict::faster;
    flagship.times_floor = floor_multiple{"floor-blocking", 1.08, 1.07, {}};
    auto throughput = measured("echo/rtt/tcp/conns:1", "loop-epoll", "throughput", "/s", 0.1 + 0.2);
    throughput.better = direction::larger;
    throughput.to_baseline = ratio{"asio-epoll", 1e300, {}, {}};
    throughput.judged = verdict::inconclusive;
    auto endless = measured("echo/rtt/tcp/conns:1", "loop-epoll", "late_p50", "ns", -12.5);
    endless.high = std::numeric_limits<double>::infinity();
    endless.samples[1] = std::nullopt;
    endless.from_baseline = difference{"asio-epoll", -37.5, -60, {}};
    endless.judged = verdict::inconclusive;
    endless.reason = "1 of 3 trials printed no number for it";
    auto periodic = measured("timer/periodic", "loop-tick", "time", "ns", 1.25e9);
    periodic.to_baseline = ratio{"asio-epoll", 0.96, 0.9, 1.01};
    periodic.judged = verdict::inconclusive;
    periodic.detectable_pct = 8.75;
    auto counted = measured("timer/periodic", "loop-epoll", "waits", "per op", 1.0);
    counted.deterministic = true;
    return {
        measured("echo/rtt/tcp/conns:1", "asio-epoll", "time", "ns", 12400.0),
        measured("echo/rtt/tcp/conns:1", "asio-epoll", "spin", "ratio", 0.984),
        flagship,
        throughput,
        endless,
        missing_as("echo/rtt/tcp/conns:1", "loop-uring", result_status::unsupported,
                   "io_uring refused: \"seccomp\", or kernel.io_uring_disabled"),
        measured("timer/periodic", "asio-epoll", "time", "ns", 1.2e9),
        measured("timer/periodic", "asio-epoll", "latency_p99", "ns", 52500),
        measured("timer/periodic", "asio-epoll", "wakeups", "/s", 1000.25),
        counted,
        periodic,
        missing_as("timer/periodic", "=cmd|'/c calc'!A0", result_status::failed,
                   "killed\nby <b>SIGSEGV</b> | \x1b[31m"),
    };
}

}  // namespace

report sample_report() {
    report all;
    all.complete = false;
    all.seed = 9007199254740991;
    all.baseline = "asio-epoll";
    all.command = {"loopbench", "run", "--quick"};
    all.plan = planned{"small", 0.01, 5, 10, 1};
    all.where = {
        "2026-01-02T03:04:05Z", "0.1.0", "Linux 6.1 x86_64", "A processor", 2, 1 << 30, {}, "tsc", 50000, {},
        {0.5, 0.25, 0.125},     {}};
    all.contenders = {
        describe("asio-epoll", {{"library", "boost.asio"}, {"library_version", "1.81"}, {"caches", {1, 2}}}),
        describe("loop-epoll", {{"library", "loop"}, {"compiler", "g++ 12"}, {"compiler_flags", "-O2"}})};
    all.workloads = {{"echo/rtt/tcp/conns:1", {"time", "latency_p99", "cpu"}, {{{{0, 1}, {2}}}}},
                     {"timer/periodic", {"late_p50", "late_p99", "cpu"}}};
    all.results = sample_results();
    all.judged_by = {"benjamini-hochberg", 1, 3};
    self_comparison echo{
        "echo/rtt/tcp/conns:1", {"asio-epoll", 1.002, 0.99, 1.01}, verdict::equivalent, 1.5, -2.5, true};
    self_comparison timer{"timer/periodic", {"asio-epoll", 0.9, {}, {}}, verdict::slower, {}, {}, false};
    all.aa =
        self_check{"asio-epoll", "asio-epol~", reliability::unreliable, "asio-epoll against itself is slower",
                   3.25,         {echo, timer}};
    all.disturbed = {42, 5, 2, 1};
    all.warnings = {{"few_trials", "too few trials", "run six blocks"}};
    return all;
}

}  // namespace loopbench::tests
