#include "bench/suite/floors/workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/catalog/workload_table.hpp"
#include "bench/suite/floors/coroutines.hpp"
#include "bench/suite/floors/timers.hpp"

namespace loopbench::bench::floors {

namespace {

std::string reason_for(const workload_shape& shape, std::span<const missing_family> cannot) {
    if (shape.needed.has(need::scheduler))
        return "the workload makes no system calls; use floor-coroutine instead";
    if (shape.needed.has(need::timer_queue))
        return "the workload measures a timer queue, which a floor does not have";
    for (const missing_family& family : cannot)
        if (shape.name.starts_with(family.front)) return std::string(family.reason);
    return "this floor does not implement the workload";
}

/// Returns a function that calls `run`. The function marks the trial as unsupported if the kernel refuses a
/// system call while `run` sets up the floor.
std::function<void(trial&)> unsupported_when_refused(std::function<void(trial&)> run) {
    return [run = std::move(run)](trial& t) {
        try {
            run(t);
        } catch (const std::system_error& error) {
            if (!kernel_refuses(error.code())) throw;
            t.unsupported(error.what());
        }
    };
}

}  // namespace

std::vector<floor_workload> echo_workloads(echo_floor& echo) {
    constexpr std::array<std::size_t, 3> counts{1, 100, 1000};
    std::vector<floor_workload> can;
    for (const std::size_t bytes : {workloads::echo_bytes, std::size_t{1024}, std::size_t{16'384}})
        for (const std::size_t count : counts)
            can.push_back(
                {fmt::format("echo/rtt/tcp/conns:{}/bytes:{}", count, bytes),
                 [count, bytes, &echo](trial& t) { echo(connect_over_loopback(count), bytes, t); }});
    for (const std::size_t count : counts)
        can.push_back(
            {fmt::format("echo/rtt/unix/conns:{}/bytes:{}", count, workloads::echo_bytes),
             [count, &echo](trial& t) { echo(connect_over_unix_sockets(count), workloads::echo_bytes, t); }});
    return can;
}

std::vector<floor_workload> stream_workloads(stream_floor& stream) {
    return {{fmt::format("pipe/read/bytes:{}", workloads::pipe_chunk_bytes),
             [&stream](trial& t) { stream(open_pipe(), workloads::pipe_chunk_bytes, t); }},
            {fmt::format("stream/throughput/bytes:{}", workloads::stream_chunk_bytes),
             [&stream](trial& t) { stream(open_stream_over_loopback(), workloads::stream_chunk_bytes, t); }}};
}

std::vector<floor_workload> wakeup_workloads(make_waker& make) {
    std::vector<floor_workload> can;
    for (const int cores : {1, 2})
        can.push_back({fmt::format("post/cross_thread/cores:{}", cores),
                       [cores, &make](trial& t) { post_cross_thread(*make(), cores, t); }});
    return can;
}

std::vector<floor_workload> timer_workloads(make_sleeper& make) {
    const auto with_sleeper = [&make](timer_floor& work) {
        return [&make, &work](trial& t) { work(*make(), t); };
    };
    std::vector<floor_workload> can{{"sleep/serial", with_sleeper(sleep_serial)},
                                    {"sleep/concurrent", with_sleeper(sleep_concurrent)},
                                    {"timer/periodic", with_sleeper(timer_periodic)},
                                    {"idle/timer", with_sleeper(idle_timer)},
                                    {"gather/sleep/children:1000", with_sleeper(gather_sleep)}};
    for (const int count : {1000, 10'000, 100'000})
        can.push_back({fmt::format("sleep/many/sleeps:{}", count), with_sleeper(sleep_many)});
    for (const int us : {10, 100, 1000, 10'000, 100'000, 1'000'000})
        can.push_back({fmt::format("timer/ladder/us:{}", us),
                       [us, &make](trial& t) { timer_ladder(*make(), t, std::chrono::microseconds(us)); }});
    return can;
}

std::vector<floor_workload> scheduler_workloads() {
    std::vector<floor_workload> can{{"post/chain", post_chain},
                                    {"post/batch", post_batch},
                                    {"yield", yield},
                                    {"spawn", spawn},
                                    {"await/leaf", await_leaf},
                                    {"gather/ready/children:1000", gather_ready},
                                    {"gather/yield/children:1000", gather_yield}};
    for (const std::uint64_t leaves : {100U, 1000U, 10'000U})
        can.push_back(
            {fmt::format("gather/tree/leaves:{}", leaves), [leaves](trial& t) { gather_tree(t, leaves); }});
    return can;
}

std::vector<contender_workload> all_workloads(std::span<const floor_workload> can,
                                              std::span<const missing_family> cannot) {
    std::vector<contender_workload> all;
    std::size_t used = 0;
    for (const workload_shape& shape : workload_table()) {
        if (shape.threads > 0) continue;
        const auto found = std::ranges::find(can, shape.name, &floor_workload::name);
        if (found != can.end()) {
            all.push_back({shape, unsupported_when_refused(found->run)});
            ++used;
        } else {
            all.push_back({shape, unsupported_because(reason_for(shape, cannot))});
        }
    }
    if (used != can.size())
        throw std::logic_error(
            "a floor has a workload that is not in the suite; compare bench/suite/floors/workloads.cpp with "
            "the "
            "families in bench/suite/workloads");
    return all;
}

}  // namespace loopbench::bench::floors
