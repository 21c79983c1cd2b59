// The resource counters: they count what the process does, and nothing of what it does not.
#include "bench/metrics/usage.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "bench/metrics/memory.hpp"

namespace loopbench::bench {
namespace {

using namespace std::chrono_literals;

TEST(usage, counts_the_cpu_time_that_was_burnt) {
    usage_meter meter;
    meter.begin();
    std::atomic<std::uint64_t> burnt = 0;
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    const auto until = now.tv_sec * 1'000'000'000 + now.tv_nsec + 20'000'000;
    while (now.tv_sec * 1'000'000'000 + now.tv_nsec < until) {
        ++burnt;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    }
    const usage cost = meter.end();
    EXPECT_GE(cost.cpu, 20ms);
    EXPECT_GE(cost.wall, 20ms);
    EXPECT_GE(cost.user + cost.system, 19ms);  // in microseconds, each rounded down
}

TEST(usage, counts_every_time_the_process_went_to_sleep) {
    usage_meter meter;
    meter.begin();
    for (int i = 0; i < 10; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_GE(meter.end().voluntary_switches, 10);
}

TEST(memory, that_was_touched_is_resident_and_stays_in_the_peak_when_it_is_freed) {
    constexpr std::int64_t bytes = 32 << 20;
    const std::int64_t before = resident_bytes();
    const std::int64_t peak_before = resident_peak_bytes();
    {
        const std::vector<char> touched(bytes, 'x');
        EXPECT_GE(resident_bytes() - before, bytes * 9 / 10);
        EXPECT_EQ(touched.back(), 'x');
    }
    EXPECT_GE(resident_peak_bytes(), peak_before);
    EXPECT_GE(resident_peak_bytes() - before, bytes * 9 / 10);
    EXPECT_LT(resident_bytes(), resident_peak_bytes());
}

TEST(usage, is_a_difference_and_begins_anew) {
    usage_meter meter;
    meter.begin();
    for (int i = 0; i < 10; ++i) std::this_thread::sleep_for(1ms);
    meter.begin();
    const usage cost = meter.end();
    EXPECT_LT(cost.voluntary_switches, 10);
    EXPECT_GE(cost.wall, 0ns);
    EXPECT_GE(cost.cpu, 0ns);
}

}  // namespace
}  // namespace loopbench::bench
