#include "bench/explanations.hpp"

#include <algorithm>
#include <array>

namespace loopbench::bench {

namespace {

constexpr bool not_headline = false;

constexpr std::array contenders{
    explanation{"loop-round-robin",
                "Tasks polled in turn; a sleep looks at the clock on every turn, and a join asks its "
                "children. No timer "
                "queue and no selector: it burns a core whatever it waits for, and meets a deadline to the "
                "microsecond while it has few tasks."},
    explanation{"loop-tick",
                "A heap of timers, a select that does not wait, and a sleep of 100 ms on every turn: next to "
                "no CPU, and "
                "lateness of up to a tick. What takes many turns is unsupported."},
    explanation{
        "loop-layered",
        "Callbacks, then timers in a plain list, then a select whose timeout is computed from both; on "
        "every turn, also when there is nothing to wait for."},
    explanation{
        "loop-scheduler",
        "A ready queue that is run until it is empty, then a heap of sleepers and a select. A queue that is "
        "never empty starves timers and I/O."},
    explanation{"loop-asyncio",
                "The turn of asyncio: a heap from which cancelled timers are dropped late, a select on every "
                "turn, and "
                "only what was ready when the turn began is run."},
    explanation{"loop-poll", "A heap over poll: the textbook loop.", not_headline},
    explanation{
        "loop-epoll",
        "The flagship on epoll: a timing wheel, descriptors registered once and edge-triggered, deadlines in "
        "nanoseconds."},
    explanation{
        "loop-uring",
        "The flagship on io_uring. Where the kernel refuses io_uring it is unsupported, and never runs on "
        "epoll under this name."},
    explanation{
        "loop-precise",
        "The flagship on epoll that sleeps until shortly before a deadline and spins the rest: lateness of a "
        "microsecond or less for some CPU.",
        not_headline},
    explanation{
        "asio-epoll",
        "Boost.Asio as it comes, on epoll: coroutines, a concrete executor, io_context{1}. The baseline."},
    explanation{
        "asio-tuned",
        "Boost.Asio at its best on one thread: without locking, with the cheapest completion tokens and the "
        "task type of loop/, so that what is left is Asio's reactor and scheduler. A context without locks "
        "has no wakeup by another thread: that is an eventfd, for which Asio makes two reads each time."},
    explanation{"asio-uring", "Boost.Asio with its io_uring backend.", not_headline},
    explanation{"asio-select", "Boost.Asio with its select reactor.", not_headline},
    explanation{
        "libuv",
        "The loop of Node.js under our task type, as uvloop does it: timers, sockets and the wakeup by "
        "another thread are libuv's. It has no queue for ready coroutines, so post, yield, spawn and gather "
        "run on the adapter's own, which an idle handle lets go on: their numbers are the "
        "adapter's and say little of libuv. Its timers are in whole milliseconds, of which it cuts off the "
        "rest: they may be up to 2 ms early, which is counted as early and fails no trial. Woken by a thread "
        "on its own core, it finds that thread still inside of uv_async_send, and spins before it lets it go "
        "on (uv__async_spin in its src/unix/async.c).",
        not_headline},
    explanation{
        "libevent",
        "libevent under our task type, without locks, on edge-triggered epoll and with precise timers: "
        "timers and sockets are libevent's, another thread wakes it by an eventfd. It has no queue for ready "
        "coroutines, so post, yield, spawn and gather run on the adapter's own, which an active "
        "event lets go on: their numbers are the adapter's and say little of libevent. For precise timers it "
        "sets a timerfd before each wait, timers or not, which is a system call more; without them they "
        "would be late by up to a millisecond.",
        not_headline},
    explanation{
        "asyncio",
        "Python's own event loop on the machine's Python 3, with the suite's sleep, gather and echo "
        "workloads "
        "written a second time in Python: what an interpreter costs, and a contender in another language.",
        not_headline},
    explanation{"asyncio-uvloop",
                "The contender asyncio on uvloop, which is libuv under asyncio; where that is installed.",
                not_headline},
    explanation{
        "floor-blocking",
        "Bare blocking calls (send and recv, write and read, futex) and no loop at all: what this kernel "
        "costs where nothing is multiplexed."},
    explanation{"floor-epoll", "Bare epoll, timerfd and eventfd calls, placed by hand for each workload."},
    explanation{"floor-uring", "Bare io_uring, placed by hand for each workload."},
    explanation{
        "floor-sleep",
        "clock_nanosleep and nothing else: how exactly this kernel wakes a thread with this timer slack."},
};

constexpr std::array metrics{
    explanation{"time",
                "CLOCK_MONOTONIC around the timed section, divided by the operations done. Of workloads that "
                "wait for "
                "deadlines it is those deadlines."},
    explanation{"throughput",
                "Operations divided by the wall time of the timed section: time, turned round."},
    explanation{"latency_p50",
                "The median of all latencies of a trial, from a histogram with 1/256 resolution. In a closed "
                "loop with "
                "N connections it is close to N times the time per operation."},
    explanation{"latency_p90", "As latency_p50, at 90 %."},
    explanation{"latency_p99", "As latency_p50, at 99 %: moved by preemption and by the order of service."},
    explanation{"latency_p999",
                "As latency_p50, at 99.9 %. With fewer than 1000 operations it is the maximum."},
    explanation{"latency_max",
                "The longest latency; exact. One preemption makes it, so compare it with care."},
    explanation{
        "late_p50",
        "How long after its deadline a timer's coroutine ran, by the system's clock; median. The kernel's "
        "timer slack (50 us by default) is most of it for loops that wait in epoll, poll or select."},
    explanation{"late_p99", "As late_p50, at 99 %."},
    explanation{"late_max", "The latest of all timers; exact."},
    explanation{"early",
                "Timers that fired before their deadline, even by a nanosecond. A trial in which one did has "
                "failed, unless the contender says how early it may be (libuv: 2 ms) and "
                "none was earlier."},
    explanation{
        "drift",
        "How far from its schedule a periodic timer is after its last tick. With absolute deadlines, "
        "as here, it is one tick's lateness, however many ticks there were; it grows in a loop that cannot "
        "keep up."},
    explanation{
        "cpu_user",
        "User time by getrusage over the timed section, per operation. Sampled at the kernel's tick on most "
        "kernels, so coarse in short trials; cpu is exact."},
    explanation{"cpu_system", "As cpu_user, in the kernel."},
    explanation{"cpu",
                "CLOCK_PROCESS_CPUTIME_ID over the timed section, all threads, per operation. Waiting for "
                "I/O is not in "
                "it, and neither is what other processes do."},
    explanation{"spin",
                "CPU time over wall time: 1 is a core that is never idle. Of a loop that waits for deadlines "
                "it is what "
                "the waiting costs; of a closed loop on loopback it is near 1 for everybody."},
    explanation{
        "wakeups",
        "Voluntary context switches per second by getrusage: how often the process went to sleep in the "
        "kernel. Where it sleeps for each operation, the faster contender has more of them."},
    explanation{"waits",
                "Calls of select, poll, epoll_wait and their like, and of io_uring_enter that ask for "
                "completions, per "
                "operation, by strace. Counted by slope: N and 2N operations, the difference divided by N."},
    explanation{"empty_waits",
                "Of the waits, those that came back with nothing: by timeout, or because they did not wait."},
    explanation{"zero_timeout_waits",
                "Of the waits, those that were told not to wait: a loop that looks for I/O while something "
                "is ready."},
    explanation{"syscalls",
                "System calls per operation, of the whole process, by `perf trace` or by strace (the "
                "report says which), by slope. Which calls they are is in counts.json."},
    explanation{
        "allocations",
        "Calls of malloc and its kind per operation, by a library that is preloaded, by slope. Pools of the "
        "contender's own show only when they grow."},
    explanation{"allocated_bytes", "The bytes that those allocations asked for, per operation."},
    explanation{"context_switches", "Voluntary context switches per operation, by wait4, by slope."},
    explanation{
        "rss_peak",
        "The peak of resident memory of the contender's process, by VmHWM of /proc/self/status when "
        "the trial has ended: with all that comes before the timed section and with the histograms, "
        "some hundred KiB. Other processes of a workload (silent clients, the load generator) are not "
        "in it."},
    explanation{
        "bytes_per_item",
        "Growth of the resident memory while connections or timers were made, divided by their number. User "
        "space only: what the kernel keeps for a socket is not in it."},
    explanation{"fairness",
                "Jain's fairness index of the round trips of each connection at the moment when half of all "
                "are made. Below 0.75 a trial has failed: some were served at the others' cost."},
    explanation{
        "skew",
        "From the first to the last child of a gather whose deadlines are the same; median of the gathers."},
    explanation{
        "capacity",
        "Round trips per second of a closed loop on 16 connections with a client on another core, "
        "just before the requests come on schedule. It is what this server and this client reach together."},
    explanation{"send_late_p99",
                "How long after its time the load generator sent a request; p99. A percentile of the latency "
                "that is over 10 % larger for such lateness, or of which that percentile of the lateness is "
                "over 10 %, has no number, nor have those above it; when that is the 90th or the median, the "
                "trial is invalid."},
    explanation{
        "generator_busy",
        "The share of the wall time in which the load generator, which never sleeps, had something to send "
        "or to receive. Over 0.75 it cannot be trusted to be faster than the server, and the trial is "
        "invalid."},
    explanation{
        "recording",
        "With `run --checks`: processes with N operations, recorded and not (LOOPBENCH_RECORD=off), in "
        "turn; the median of the ratios. 1.01 says that measuring makes up a hundredth of time."},
    explanation{
        "doubling",
        "With `run --checks`: t(2N)/t(N) of the timed sections of two processes; the median of at least six "
        "such pairs, and of up to forty until its interval is clearly in or out of 1.9 to 2.1. Where it "
        "is not in, the report warns: work that a compiler removed, a part that does not grow with the work, "
        "or a machine too noisy to tell."},
    explanation{
        "sample_cost",
        "A reading of the clock and a record in the histogram, measured in the contender once, after its "
        "first trial. What it amounts to in the workload is the difference to a run with "
        "LOOPBENCH_RECORD=off."},
};

constexpr std::array parameters{
    explanation{"bytes",
                "the size of a message, in each direction; of stream/throughput and pipe/read that of one "
                "write."},
    explanation{"children", "how many coroutines one gather has."},
    explanation{"conns",
                "how many connections there are; of echo/mostly_idle how many of them echo, and of "
                "idle/sockets how many are silent."},
    explanation{"cores", "on how many cores the two threads run."},
    explanation{"idle", "how many further connections are open and silent."},
    explanation{"leaves", "how many coroutines of a tree of gathers have no children."},
    explanation{"load", "how many percent of the server's capacity the client asks for."},
    explanation{"sleepers", "how many coroutines sleep for longer than the operation takes."},
    explanation{"sleeps", "how many sleeps are pending at once."},
    explanation{"timers", "how many timers are armed at once."},
    explanation{"us", "how many microseconds each sleep is long."},
};

}  // namespace

bool is_headline_contender(std::string_view name) {
    const auto* const found = std::ranges::find(contenders, name, &explanation::name);
    return found == std::ranges::end(contenders) || found->headline;
}

std::span<const explanation> contender_explanations() {
    return contenders;
}

std::span<const explanation> metric_explanations() {
    return metrics;
}

std::span<const explanation> parameter_explanations() {
    return parameters;
}

std::string_view explanation_of(std::span<const explanation> all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &explanation::name);
    return found == all.end() ? std::string_view{} : found->text;
}

}  // namespace loopbench::bench
