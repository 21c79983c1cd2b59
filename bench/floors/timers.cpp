#include "bench/floors/timers.hpp"

#include <chrono>
#include <cstdint>

#include "bench/workloads/lateness.hpp"
#include "bench/workloads/sizes.hpp"

namespace loopbench::bench::floors {

namespace {

using clock = std::chrono::steady_clock;
using workloads::record_lateness;
using workloads::sleep_pair_of;

void sleep_and_record(sleeper& kernel, trial& t, time_point deadline) {
    kernel.sleep_until(deadline);
    record_lateness(t, deadline);
}

}  // namespace

void sleep_serial(sleeper& kernel, trial& t) {
    const auto [first, second] = sleep_pair_of(t);
    t.begin();
    sleep_and_record(kernel, t, clock::now() + first);
    sleep_and_record(kernel, t, clock::now() + second);
    t.end();
    t.did(1);
    t.prove("sleeps that ended", 2, t.lateness().count());
    t.prove("the two sleeps took at least the sum of both", 1, t.cost().wall >= first + second ? 1 : 0);
}

void sleep_concurrent(sleeper& kernel, trial& t) {
    const auto [first, second] = sleep_pair_of(t);
    t.begin();
    const time_point start = clock::now();
    sleep_and_record(kernel, t, start + first);
    sleep_and_record(kernel, t, start + second);
    t.end();
    t.did(1);
    t.prove("sleeps that ended", 2, t.lateness().count());
}

void timer_periodic(sleeper& kernel, trial& t) {
    t.begin();
    time_point deadline = clock::now();
    for (std::uint64_t tick = 0; tick < t.operations(); ++tick) {
        deadline += workloads::timer_period;
        sleep_and_record(kernel, t, deadline);
    }
    t.end();
    t.prove("ticks", t.operations(), t.lateness().count());
    t.prove("the last tick came at its time or later", 1, clock::now() >= deadline ? 1 : 0);
}

void idle_timer(sleeper& kernel, trial& t) {
    t.begin();
    sleep_and_record(kernel, t, clock::now() + workloads::idle_time_of(t));
    t.end();
    t.did(1);
    t.prove("sleeps that ended", 1, t.lateness().count());
}

void gather_sleep(sleeper& kernel, trial& t) {
    t.begin();
    for (std::uint64_t gathers = 0; gathers < t.operations(); ++gathers) {
        const time_point deadline = clock::now() + workloads::gather_sleep_time;
        kernel.sleep_until(deadline);
        for (std::uint64_t i = 0; i < workloads::gather_children; ++i) record_lateness(t, deadline);
    }
    t.end();
    t.prove("children that woke", t.operations() * workloads::gather_children, t.lateness().count());
}

}  // namespace loopbench::bench::floors
