// The visible list of workloads as a contender runs them. Adding one is a function in a header beside this
// one, a line here, and a line in bench/catalog.cpp that says what it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/runtime.hpp"
#include "bench/workloads/echo.hpp"
#include "bench/workloads/gather.hpp"
#include "bench/workloads/idle.hpp"
#include "bench/workloads/schedule.hpp"
#include "bench/workloads/sleep.hpp"
#include "bench/workloads/timer.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench {

/// What there is to know of a workload, whatever runs it.
struct workload_shape {
    std::string_view name;  // full name: family/name[/word]...[/key:value]...

    // How many operations one trial does. Both 0: as many as fill the time that the contender is given.
    std::uint64_t smoke_operations = 0;
    std::uint64_t real_operations = 0;

    bool throughput = true;        // operations per second say something
    std::size_t open_files = 100;  // how many descriptors a process needs for it

    bool calibrated() const noexcept { return real_operations == 0; }
    std::uint64_t operations(trial_size size) const noexcept {
        return size == trial_size::smoke ? smoke_operations : real_operations;
    }
};

template <Runtime R>
struct workload : workload_shape {
    task_of<R> (*run)(R& runtime, trial& t);
};

/// Every workload, in the order of the catalog.
template <Runtime R>
constexpr auto workload_list() {
    using namespace workloads;
    return std::array{
        workload<R>{{"sleep/serial", 1, 1, false}, sleep_serial<R>},
        workload<R>{{"sleep/concurrent", 1, 1, false}, sleep_concurrent<R>},
        workload<R>{{"timer/periodic", 30, 1000, false}, timer_periodic<R>},
        workload<R>{{"idle/timer", 1, 1, false}, idle_timer<R>},
        workload<R>{{"post/chain"}, post_chain<R>},
        workload<R>{{"yield"}, workloads::yield<R>},
        workload<R>{{"spawn"}, workloads::spawn<R>},
        workload<R>{{"gather/yield/children:1000"}, gather_yield<R>},
        workload<R>{{"gather/sleep/children:1000", 3, 20, false}, gather_sleep<R>},
        workload<R>{{"echo/rtt/tcp/conns:1/bytes:64", 3000, 40'000}, echo_rtt_tcp<R, 1>},
        workload<R>{{"echo/rtt/tcp/conns:100/bytes:64", 3000, 40'000, true, 300}, echo_rtt_tcp<R, 100>},
        workload<R>{{"echo/rtt/tcp/conns:1000/bytes:64", 3000, 40'000, true, 2100}, echo_rtt_tcp<R, 1000>},
    };
}

}  // namespace loopbench::bench
