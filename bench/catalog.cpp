// The texts stand here and not beside the workloads, because the command that shows them has none compiled
// in.
#include "bench/catalog.hpp"

#include <algorithm>
#include <array>

#include "bench/workloads/table.hpp"

namespace loopbench::bench {

namespace {

// What workloads are about.
constexpr std::array<std::string_view, 3> waits{"late_p50", "late_p99", "cpu"};
constexpr std::array<std::string_view, 4> joint_waits{"late_p50", "late_p99", "skew", "cpu"};
constexpr std::array<std::string_view, 2> lateness{"late_p50", "late_p99"};  // the CPU is busy anyway
constexpr std::array<std::string_view, 2> idleness{"spin", "wakeups"};
constexpr std::array<std::string_view, 1> work{"time"};
constexpr std::array<std::string_view, 2> bulk{"time", "cpu"};
constexpr std::array<std::string_view, 3> traffic{"time", "latency_p99", "cpu"};
constexpr std::array<std::string_view, 2> load{"latency_p99", "capacity"};

constexpr std::array catalog{
    workload_info{"sleep/serial", waits, "one operation sleeps 500 ms, then 700 ms (smoke: 5 + 7)",
                  "Both sleeps. The time must be at least their sum, and neither may end early.",
                  "Waiting. What differs is the CPU burnt while waiting (spin), and the lateness."},
    workload_info{"sleep/concurrent", waits,
                  "one operation gathers a sleep of 500 ms and one of 700 ms (smoke: 5, 7)",
                  "The gather. Both sleeps must be under way when the first ends.",
                  "Waiting: the longer sleep. A loop that runs them one after the other takes the sum."},
    workload_info{
        "sleep/many", waits, "one operation is one of many sleeps that are pending at once",
        "Creating the coroutines and their sleeps to deadlines that are 5 us apart on average, in mixed "
        "order, until the last has ended.",
        "The deadlines, the first of which is 10 ms and 3 us for each sleep ahead; so look at lateness and "
        "CPU: "
        "the timer queue's cost at this size, and a clock that is read too rarely or too often."},
    workload_info{
        "timer/periodic", waits, "a 1 kHz tick on absolute deadlines; the lateness of every tick",
        "All ticks, each at the start plus a whole number of milliseconds, so that one late tick does not "
        "delay those that follow; drift is how late the last one is.",
        "How the loop waits: the kernel's timer slack (50 us by default for epoll, poll and select; none "
        "for timerfd and io_uring), rounding to milliseconds, and the wakeup itself."},
    workload_info{
        "timer/ladder", waits, "one operation sleeps so many microseconds, alone in the loop",
        "All sleeps, one after the other, each to a deadline so far from now; none may end early.",
        "As timer/periodic. A loop whose waits are in milliseconds shows it on the rungs below one."},
    workload_info{
        "timer/churn", work, "one operation arms a timer and cancels it, so many at a time",
        "Arming all of a batch in mixed order, one wait of the loop with all of them pending (a further "
        "timer, which is due, ends it), and cancelling them; after the last batch one more such wait, in "
        "which "
        "a library may pay for what it cancelled. None may fire. The first batch is not timed.",
        "Insertion into the timer queue and removal from it; memory when the timers do not fit into the "
        "caches; an allocation for each, when the library makes one."},
    workload_info{
        "timer/expire", work, "one operation is one of many timers that are due at once",
        "From the first look of the loop at its timers to the last call of the last one. Arming is not timed "
        "(its memory for each timer is bytes_per_item), and the thread sleeps until all are due. Each must "
        "fire once, and none before.",
        "Removal of the earliest from the timer queue, and cache misses: the timers' memory is visited in "
        "the order of their deadlines."},
    workload_info{
        "timer/under_load", lateness,
        "a 1 kHz tick while 10 connections echo and 4 coroutines yield all the time",
        "All ticks; their lateness is the result. The connections must have echoed meanwhile, and rightly.",
        "How many callbacks the loop runs before it looks at the clock and at the kernel again. A loop that "
        "looks only when nothing is ready fails."},
    workload_info{"idle/timer", idleness, "one far timer and nothing to do: CPU and wakeups of an idle loop",
                  "2 s (smoke: 50 ms), at the end of which a timer ends the operation.",
                  "Nothing, in a loop that blocks; a spinning loop burns a core."},
    workload_info{
        "idle/sleepers", idleness, "as idle/timer, with 1000 far timers",
        "As idle/timer. The sleepers are created before (memory for each is bytes_per_item); none may fire.",
        "Nothing, unless the loop looks at every timer on every turn."},
    workload_info{
        "idle/sockets", idleness, "as idle/timer, with 1000 silent connections that the loop waits for",
        "As idle/timer. The connections are opened before; all must stay open, and none may speak. Memory "
        "per connection is bytes_per_item.",
        "Nothing, unless the loop looks at every connection on every turn."},
    workload_info{
        "post/chain", work, "one operation is a posted function that posts the next one",
        "From the first post to the last function. Their number is proved, and before, with 1000 posted at "
        "once, that none gets lost and that they run in order.",
        "The ready queue with one entry: an allocation, a lock or an atomic shows here first."},
    workload_info{"post/batch", work, "one operation is a posted function; 10,000 are posted, then all run",
                  "Posting and running, and one wakeup of a coroutine for each batch. Proved as post/chain.",
                  "Memory for 10,000 queued functions: how a function is stored, and whether it is reused."},
    workload_info{
        "post/cross_thread", work,
        "one operation: another thread posts a function, the loop wakes and runs it",
        "From the first post after a warm-up (10 on one core, 2000 on two) to the last function; the thread "
        "posts the next one when it has been told that the last one ran. Latency is from before the post to "
        "when the function runs. Both threads are kept on one core (cores:1) or on one each (cores:2): the "
        "kernel would choose anew in every process.",
        "The wakeup of a sleeping thread by the kernel (eventfd or pipe), and of the posting thread: a "
        "context switch on one core; on two an interrupt to a core that sleeps, which a virtual machine "
        "makes dear."},
    workload_info{
        "yield", work, "one operation is one co_await of yield() by a single coroutine",
        "All yields. Before, it is proved that two coroutines that yield take turns, a thousand times each.",
        "Suspending, one pass through the ready queue, resuming; how often the loop asks the kernel for "
        "I/O while something is always ready."},
    workload_info{
        "spawn", work, "one operation spawns an empty coroutine; 10,000 at a time, then all run",
        "Creating, queueing, running and freeing, and two yields for each batch. The first 10,000 are not "
        "timed: they meet memory that the process has not touched before. Each must have run, and none "
        "inside of spawn().",
        "Allocation of the coroutine's frame and of what the library keeps beside it. All of "
        "asio but asio-tuned pays for co_spawn's own frame and for a third one, which goes through the queue "
        "first, because co_spawn inside of the loop would start the coroutine inline."},
    workload_info{"await/leaf", work, "one operation awaits a coroutine that does not suspend",
                  "All awaits; the sum of the values that they gave is proved.",
                  "A coroutine's frame: allocating, starting, freeing it. The loop has no part in it."},
    workload_info{
        "gather/ready", work, "one operation is one child of a gather of 1000; no child suspends",
        "Creating the children, the gather, and freeing them. The first gather is not timed: it meets memory "
        "that the process has not touched before. Each child must have ended before its gather did.",
        "Frames and the join; nothing is waited for."},
    workload_info{"gather/yield", work, "one operation is one child of a gather; each child yields once",
                  "As gather/ready.",
                  "Frames, the join, and one pass through the ready queue for each child."},
    workload_info{
        "gather/sleep", joint_waits, "one operation gathers 1000 children that sleep to the same deadline",
        "The gathers, with the creation of their children; the deadline is 10 ms ahead. The lateness of each "
        "child, and as skew how far the last child of a gather is behind the first (median).",
        "Waiting. The skew is the cost of expiring 1000 timers and resuming their coroutines."},
    workload_info{
        "gather/echo", traffic,
        "one operation is one child of a gather of 100; each makes a round trip on its own connection",
        "All gathers, with the creation of their children; connecting and eight round trips on each "
        "connection come before. Latency is that of a whole gather. Every byte of every reply is compared.",
        "System calls, as in echo/rtt with 100 connections; frames and the join on top."},
    workload_info{
        "gather/tree", work, "one operation is one leaf of a tree of gathers of ten; each leaf yields once",
        "Creating, running and freeing whole trees; the first tree is not timed. All leaves must end "
        "before the tree does.",
        "Frames: a ninth more of them than leaves, and all alive at once."},
    workload_info{
        "echo/rtt/tcp", traffic, "one operation is one round trip; clients and server share the loop",
        "All round trips over TCP; connecting and eight round trips on each connection come before. Every "
        "byte of every reply is compared. Fairness is Jain's index of the connections' shares when half of "
        "the round trips are made.",
        "The kernel: at least two sends and two receives for a round trip. The loop's own part is what "
        "the floors do not have."},
    workload_info{"echo/rtt/unix", traffic, "one operation is one round trip over Unix sockets",
                  "As echo/rtt/tcp.",
                  "As echo/rtt/tcp with a cheaper kernel, so that the loop's part is a larger share."},
    workload_info{
        "echo/mostly_idle", traffic,
        "one operation is one round trip on one of 100 connections; 10,000 others are silent",
        "As echo/rtt/tcp, while the loop waits for 10,000 connections that say nothing, whose other ends "
        "another process holds. Opening those is not timed; their memory is bytes_per_item.",
        "Whatever is proportional to all connections instead of the active ones: poll and select pass all "
        "of them to the kernel each time."},
    workload_info{
        "stream/throughput", bulk, "one operation is 64 KiB sent and received over one connection",
        "All chunks, from the first write to the end of the stream. Every byte is compared: one memcmp over "
        "a "
        "piece that was just copied into the caches, the same in each contender.",
        "Copying in the kernel; how large the reads are, and how often a full socket makes the sender wait."},
    workload_info{
        "accept/churn", traffic,
        "one operation: a connection is opened, accepted, echoes 64 bytes and is closed",
        "All connections, one after the other. Latency is one's life; every byte of its reply is compared.",
        "The kernel's making and ending of connections; registering and forgetting a descriptor."},
    workload_info{
        "fanout/broadcast", traffic, "one operation sends 64 bytes to each of 100 connections",
        "All messages; each must have reached everybody before the next one. Latency is until the last has "
        "it. Connecting comes before. Every byte of every message is compared.",
        "100 sends and 100 receives; how many of the receivers are found ready by one call."},
    workload_info{
        "serve/open_loop", load,
        "one operation is one request of a client in another process, which does not wait for replies",
        "All requests on 16 connections, at a fixed rate that is so many percent of the contender's "
        "capacity, "
        "which is measured just before. Latency is from when a request was to be sent. Every byte of every "
        "reply is compared. Percentiles of which the client's own lateness may be over 10 % are left out. "
        "When that is the 90th or the median, or when the client was busy for over 75 % of the time, the "
        "result is invalid.",
        "Queueing: latency grows with the load, and a pause of the server delays every request that is due "
        "in it. time is the schedule's; look at the latencies and at the capacity. A faster contender is "
        "given "
        "more to do, so contenders are compared in their capacity alone."},
    workload_info{"pipe/read", bulk, "one operation is 4 KiB written to a pipe and read from it",
                  "From the first write to the end. Every byte is compared.",
                  "read and write, and how a full or empty pipe makes the other end wait."},
    workload_info{
        "mixed/server", traffic,
        "one operation is one round trip of an echo server beside two coroutines that count",
        "All round trips on 10 connections; the counters sleep to deadlines a millisecond apart. Latency is "
        "the round trips', lateness the counters'.",
        "The kernel's sends and receives; lateness shows how long the server keeps the counters waiting."},
};

}  // namespace

std::span<const workload_info> workload_catalog() {
    return catalog;
}

const workload_info* find_workload(std::string_view full_name) {
    const auto* const found = std::ranges::find_if(catalog, [&](const workload_info& info) {
        return full_name.starts_with(info.name) &&
               (full_name.size() == info.name.size() || full_name[info.name.size()] == '/');
    });
    return found == catalog.end() ? nullptr : found;
}

bool is_headline_workload(std::string_view full_name) {
    if (const workload_shape* const shape = find_shape(full_name)) return shape->headline;
    return find_workload(full_name) == nullptr;
}

}  // namespace loopbench::bench
