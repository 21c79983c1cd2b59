#include "bench/suite/floors/timers.hpp"

#include <chrono>
#include <cstdint>

#include "bench/suite/workloads/sizes.hpp"
#include "bench/suite/workloads/trial/lateness.hpp"

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
    const std::uint64_t pairs = t.operations();
    t.begin();
    for (std::uint64_t i = 0; i < pairs; ++i) {
        sleep_and_record(kernel, t, clock::now() + first);
        sleep_and_record(kernel, t, clock::now() + second);
    }
    t.end();
    t.prove_lasted("the sleeps", pairs * (first + second), t.cost().wall);
}

void sleep_concurrent(sleeper& kernel, trial& t) {
    const auto [first, second] = sleep_pair_of(t);
    const std::uint64_t pairs = t.operations();
    t.begin();
    for (std::uint64_t i = 0; i < pairs; ++i) {
        const time_point start = clock::now();
        sleep_and_record(kernel, t, start + first);
        sleep_and_record(kernel, t, start + second);
    }
    t.end();
    t.prove_lasted("the sleeps", pairs * second, t.cost().wall);
}

void sleep_many(sleeper& kernel, trial& t) {
    const std::uint64_t count = t.operations();
    t.begin();
    const time_point start = clock::now();
    time_point deadline = start + workloads::sleep_many_lead(count);
    for (std::uint64_t i = 0; i < count; ++i, deadline += workloads::sleep_many_spacing) {
        if (clock::now() < deadline) kernel.sleep_until(deadline);
        record_lateness(t, deadline);
    }
    t.end();
    t.prove("number of sleeps that ended", count, t.lateness().count());
    t.prove_lasted("the sleeps", deadline - workloads::sleep_many_spacing - start, clock::now() - start);
}

void timer_ladder(sleeper& kernel, trial& t, std::chrono::microseconds time) {
    t.begin();
    for (std::uint64_t i = 0; i < t.operations(); ++i) sleep_and_record(kernel, t, clock::now() + time);
    t.end();
    t.prove_lasted("the sleeps", t.operations() * time, t.cost().wall);
}

void timer_periodic(sleeper& kernel, trial& t) {
    t.begin();
    const time_point start = clock::now();
    time_point deadline = start;
    for (std::uint64_t tick = 0; tick < t.operations(); ++tick) {
        deadline += workloads::timer_period;
        sleep_and_record(kernel, t, deadline);
    }
    t.end();
    t.report("drift", static_cast<double>(std::chrono::nanoseconds(clock::now() - deadline).count()));
    t.prove_lasted("the ticks", deadline - start, clock::now() - start);
}

void idle_timer(sleeper& kernel, trial& t) {
    const auto time = workloads::idle_time_of(t);
    t.begin();
    for (std::uint64_t i = 0; i < t.operations(); ++i) sleep_and_record(kernel, t, clock::now() + time);
    t.end();
    t.prove_lasted("the sleeps", t.operations() * time, t.cost().wall);
}

void gather_sleep(sleeper& kernel, trial& t) {
    histogram skew;
    t.begin();
    for (std::uint64_t gathers = 0; gathers < t.operations(); ++gathers) {
        const time_point deadline = clock::now() + workloads::gather_sleep_time;
        kernel.sleep_until(deadline);
        const time_point first = clock::now();
        for (std::uint64_t i = 0; i < workloads::gather_children; ++i) record_lateness(t, deadline);
        skew.record(std::chrono::nanoseconds(clock::now() - first).count());
    }
    t.end();
    t.report("skew", static_cast<double>(skew.percentile_ns(50)));
    t.prove_lasted("the gathers", t.operations() * workloads::gather_sleep_time, t.cost().wall);
}

}  // namespace loopbench::bench::floors
