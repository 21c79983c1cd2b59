// Tests that the resource counters count exactly what a process uses.
#include "bench/suite/recording/usage.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "bench/suite/recording/memory.hpp"

namespace loopbench::bench {
namespace {

using namespace std::chrono_literals;

TEST(usage, the_cpu_time_that_the_process_uses_is_counted) {
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
    EXPECT_GE(cost.user + cost.system, 19ms);  // the kernel rounds `user` and `system` down
}

std::chrono::nanoseconds cpu_of_this_thread() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TEST(usage, a_slowdown_is_a_share_of_the_time_on_the_core_without_the_waits_for_the_core) {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    std::atomic<bool> stop = false;
    std::thread neighbour([&] {
        while (!stop) {
        }
    });
    // run_delay() returns the time for which the thread has waited for its core. `delay` is the part of this
    // time that lies within `wall`. `beside` is the rest, which lies outside of `wall`, so the upper bound
    // below adds it.
    const auto waited_before = run_delay();
    usage_meter meter;
    meter.begin();
    const auto began = std::chrono::steady_clock::now();
    const auto delay_before = run_delay();
    const auto enough = cpu_of_this_thread() + 40ms;
    while (cpu_of_this_thread() < enough) {
    }
    const auto delay = run_delay() - delay_before;
    stop = true;
    const auto burnt = cpu_of_this_thread();
    const auto wall = std::chrono::steady_clock::now() - began;
    meter.prolong(0.5, delay);
    const auto grown = cpu_of_this_thread() - burnt;
    const auto beside = run_delay() - waited_before - delay;
    neighbour.join();
    ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
    if (delay == 0ns) GTEST_SKIP() << "the kernel does not count how long threads wait for a CPU";
    EXPECT_GE(grown, 20ms);
    EXPECT_LE(grown, (wall + beside - delay) / 2 + 5ms)
        << "of " << wall.count() << " ns, " << delay.count() << " waited, " << beside.count() << " beside";
}

TEST(usage, every_sleep_of_the_process_is_counted) {
    usage_meter meter;
    meter.begin();
    for (int i = 0; i < 10; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_GE(meter.end().voluntary_switches, 10);
}

// `loopbench compare --client` uses this function to measure a server in another process.
TEST(usage, the_cpu_time_of_another_process_can_be_measured) {
    std::array<int, 2> answer{};
    ASSERT_EQ(::pipe(answer.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto enough = cpu_of_this_thread() + 20ms;
        while (cpu_of_this_thread() < enough) {
        }
        const bool is_announced = ::write(answer[1], "x", 1) == 1;
        ::pause();
        ::_exit(is_announced ? 0 : 1);
    }
    usage_meter meter;
    meter.take_cpu_of(child);
    meter.begin();
    char told = 0;
    ASSERT_EQ(::read(answer[0], &told, 1), 1);
    EXPECT_GE(meter.end().cpu, 15ms) << "without the CPU time before the beginning";
    EXPECT_GT(resident_peak_bytes(child), 0);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    meter.begin();
    EXPECT_EQ(meter.end().cpu, 0ns) << "the process has ended";
    EXPECT_THROW(meter.take_cpu_of(child), std::system_error);
    for (const int end : answer) ::close(end);
}

TEST(memory, touched_memory_is_resident_and_stays_in_the_peak_after_it_is_freed) {
    // The test maps the memory directly, because the sanitizers' allocators keep freed memory.
    constexpr std::int64_t bytes = 32 << 20;
    const std::int64_t before = resident_bytes();
    const std::int64_t peak_before = resident_peak_bytes();
    void* const touched = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(touched, MAP_FAILED);
    std::memset(touched, 'x', bytes);
    EXPECT_GE(resident_bytes() - before, bytes * 9 / 10);
    ASSERT_EQ(munmap(touched, bytes), 0);
    EXPECT_GE(resident_peak_bytes(), peak_before);
    EXPECT_GE(resident_peak_bytes() - before, bytes * 9 / 10);
    EXPECT_LT(resident_bytes(), resident_peak_bytes());
}

TEST(usage, each_measurement_of_usage_starts_from_zero) {
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
