#include "bench/workloads/table.hpp"

#include <algorithm>
#include <array>

namespace loopbench::bench {

namespace {

using enum need;
using reports::way;

constexpr bool headline = true;
constexpr bool on_demand = false;
constexpr bool rate = true;  // operations per second say something
constexpr bool no_rate = false;
constexpr bool countable = true;
constexpr bool not_countable = false;

using shape = workload_shape;

// Name, operations at smoke and at real size (0: as many as fill the time), whether there is a rate, open
// files, what it needs, whether it is measured without being asked for, and how.
constexpr std::array table{
    // Waiting for a time, or for nothing.
    shape{"sleep/serial", 1, 1, no_rate, 100, needs(), headline, way::apart},
    shape{"sleep/concurrent", 1, 1, no_rate, 100, needs(), headline, way::apart},
    shape{"sleep/many/sleeps:1000", 1000, 1000, no_rate, 100, needs(), on_demand, way::apart},
    shape{"sleep/many/sleeps:10000", 10'000, 10'000, no_rate, 100, needs(), on_demand, way::apart},
    shape{"sleep/many/sleeps:100000", 100'000, 100'000, no_rate, 100, needs(), on_demand, way::apart},
    shape{"timer/periodic", 30, 1000, no_rate, 100, many_turns, headline, way::apart},
    shape{"timer/ladder/us:10", 100, 10'000, no_rate, 100, many_turns, on_demand, way::apart},
    shape{"timer/ladder/us:100", 100, 5000, no_rate, 100, many_turns, on_demand, way::apart},
    shape{"timer/ladder/us:1000", 20, 1000, no_rate, 100, many_turns, on_demand, way::apart},
    shape{"timer/ladder/us:10000", 5, 100, no_rate, 100, many_turns, on_demand, way::apart},
    shape{"timer/ladder/us:100000", 2, 20, no_rate, 100, needs(), on_demand, way::apart},
    shape{"timer/ladder/us:1000000", 1, 3, no_rate, 100, needs(), on_demand, way::apart},
    shape{"timer/churn/timers:1000", 0, 0, rate, 100, call_timers | many_turns | timer_queue, on_demand,
          way::turns},
    shape{"timer/churn/timers:100000", 100'000, 1'000'000, rate, 100, call_timers | many_turns | timer_queue,
          on_demand, way::apart},
    shape{"timer/expire/timers:10000", 10'000, 10'000, no_rate, 100, call_timers | timer_queue, on_demand,
          way::apart},
    shape{"timer/expire/timers:100000", 100'000, 100'000, no_rate, 100, call_timers | timer_queue, on_demand,
          way::apart},
    shape{"timer/expire/timers:1000000", 1'000'000, 1'000'000, no_rate, 100, call_timers | timer_queue,
          on_demand, way::apart},
    shape{"timer/under_load", 100, 1000, no_rate, 100, many_turns | timers_while_busy, on_demand, way::apart,
          1, not_countable},
    shape{"idle/timer", 1, 1, no_rate, 100, needs(), headline, way::apart},
    shape{"idle/sleepers/sleepers:1000", 1, 1, no_rate, 100, needs(), on_demand, way::apart},
    shape{"idle/sockets/conns:1000", 1, 1, no_rate, 1100, needs(), on_demand, way::apart},
    // Coroutines and functions, and the joining of them.
    shape{"post/chain", 0, 0, rate, 100, many_turns | scheduler, headline, way::turns},
    shape{"post/batch", 0, 0, rate, 100, many_turns | scheduler, on_demand, way::turns},
    shape{"post/cross_thread/cores:1", 0, 0, rate, 100, many_turns, on_demand, way::apart},
    shape{"post/cross_thread/cores:2", 0, 0, rate, 100, many_turns, on_demand, way::apart, 2},
    shape{"yield", 0, 0, rate, 100, many_turns | scheduler, headline, way::turns},
    shape{"spawn", 0, 0, rate, 100, many_turns | scheduler, headline, way::turns},
    shape{"await/leaf", 0, 0, rate, 100, scheduler, on_demand, way::turns},
    shape{"gather/ready/children:1000", 0, 0, rate, 100, many_turns | scheduler, on_demand, way::turns},
    shape{"gather/yield/children:1000", 0, 0, rate, 100, many_turns | scheduler, headline, way::turns},
    shape{"gather/sleep/children:1000", 3, 20, no_rate, 100, many_turns, headline, way::apart},
    shape{"gather/echo/children:100", 3000, 40'000, rate, 300, many_turns, on_demand, way::turns},
    shape{"gather/tree/leaves:100", 0, 0, rate, 100, many_turns | scheduler, on_demand, way::turns},
    shape{"gather/tree/leaves:1000", 0, 0, rate, 100, many_turns | scheduler, on_demand, way::turns},
    shape{"gather/tree/leaves:10000", 0, 0, rate, 100, many_turns | scheduler, on_demand, way::turns},
    // Sockets and pipes.
    shape{"echo/rtt/tcp/conns:1/bytes:64", 3000, 40'000, rate, 100, many_turns, headline, way::turns},
    shape{"echo/rtt/tcp/conns:100/bytes:64", 3000, 40'000, rate, 300, many_turns, headline, way::turns},
    shape{"echo/rtt/tcp/conns:1000/bytes:64", 3000, 40'000, rate, 2100, many_turns, headline, way::turns},
    shape{"echo/rtt/tcp/conns:1/bytes:1024", 3000, 40'000, rate, 100, many_turns, on_demand, way::turns},
    shape{"echo/rtt/tcp/conns:100/bytes:1024", 3000, 40'000, rate, 300, many_turns, on_demand, way::turns},
    shape{"echo/rtt/tcp/conns:1000/bytes:1024", 3000, 40'000, rate, 2100, many_turns, on_demand, way::turns},
    shape{"echo/rtt/tcp/conns:1/bytes:16384", 1000, 20'000, rate, 100, many_turns, on_demand, way::turns},
    shape{"echo/rtt/tcp/conns:100/bytes:16384", 1000, 20'000, rate, 300, many_turns, on_demand, way::turns},
    shape{"echo/rtt/tcp/conns:1000/bytes:16384", 1000, 20'000, rate, 2100, many_turns, on_demand, way::turns},
    shape{"echo/rtt/unix/conns:1/bytes:64", 3000, 40'000, rate, 100, unix_sockets | many_turns, on_demand,
          way::turns},
    shape{"echo/rtt/unix/conns:100/bytes:64", 3000, 40'000, rate, 300, unix_sockets | many_turns, on_demand,
          way::turns},
    shape{"echo/rtt/unix/conns:1000/bytes:64", 3000, 40'000, rate, 2100, unix_sockets | many_turns, on_demand,
          way::turns},
    shape{"echo/mostly_idle/idle:10000/conns:100", 3000, 40'000, rate, 10'400, many_turns, on_demand,
          way::turns},
    shape{"stream/throughput/bytes:65536", 500, 20'000, rate, 100, many_turns, on_demand, way::turns},
    shape{"accept/churn", 300, 5000, rate, 100, many_turns, on_demand, way::turns, 1, countable, 10'000},
    shape{"fanout/broadcast/conns:100", 30, 1000, rate, 300, many_turns, on_demand, way::turns},
    shape{"serve/open_loop/load:25", 5000, 40'000, no_rate, 100, many_turns, on_demand, way::apart, 2,
          not_countable},
    shape{"serve/open_loop/load:50", 5000, 40'000, no_rate, 100, many_turns, on_demand, way::apart, 2,
          not_countable},
    shape{"serve/open_loop/load:75", 5000, 40'000, no_rate, 100, many_turns, on_demand, way::apart, 2,
          not_countable},
    shape{"serve/open_loop/load:90", 5000, 40'000, no_rate, 100, many_turns, on_demand, way::apart, 2,
          not_countable},
    shape{"serve/open_loop/rate:20000", 5000, 40'000, no_rate, 100, many_turns, on_demand, way::apart, 2,
          not_countable},
    shape{"pipe/read/bytes:4096", 3000, 100'000, rate, 100, pipes | many_turns, on_demand, way::turns},
    shape{"mixed/server", 3000, 40'000, rate, 100, many_turns, on_demand, way::apart},
};

}  // namespace

std::span<const workload_shape> workload_table() noexcept {
    return table;
}

const workload_shape* find_shape(std::string_view full_name) noexcept {
    const auto* const found = std::ranges::find(table, full_name, &workload_shape::name);
    return found == table.end() ? nullptr : found;
}

}  // namespace loopbench::bench
