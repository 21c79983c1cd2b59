// The resource counters: they count what the process does, and nothing of what it does not.
#include "bench/metrics/usage.hpp"

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

std::chrono::nanoseconds cpu_of_this_thread() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TEST(usage, is_prolonged_by_a_share_of_what_this_thread_had_of_a_core_that_it_shared) {
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
    // The waiting is read within the time, so that a wait between two readings is never taken off a time that
    // it is not part of; what was waited beside these readings is known from two further ones, and allowed
    // below.
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
    if (delay == 0ns) GTEST_SKIP() << "the kernel does not count what threads wait for a CPU";
    EXPECT_GE(grown, 20ms);
    EXPECT_LE(grown, (wall + beside - delay) / 2 + 5ms)
        << "of " << wall.count() << " ns, " << delay.count() << " waited, " << beside.count() << " beside";
}

TEST(usage, counts_every_time_the_process_went_to_sleep) {
    usage_meter meter;
    meter.begin();
    for (int i = 0; i < 10; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_GE(meter.end().voluntary_switches, 10);
}

// As in a server that is measured from outside.
TEST(usage, has_the_cpu_time_of_another_process_when_it_is_told_so) {
    std::array<int, 2> answer{};
    ASSERT_EQ(::pipe(answer.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto enough = cpu_of_this_thread() + 20ms;
        while (cpu_of_this_thread() < enough) {
        }
        const bool is_told = ::write(answer[1], "x", 1) == 1;
        ::pause();
        ::_exit(is_told ? 0 : 1);
    }
    usage_meter meter;
    meter.take_cpu_of(child);
    meter.begin();
    char told = 0;
    ASSERT_EQ(::read(answer[0], &told, 1), 1);
    EXPECT_GE(meter.end().cpu, 15ms) << "but for what it burnt before the beginning";
    EXPECT_GT(resident_peak_bytes(child), 0);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    meter.begin();
    EXPECT_EQ(meter.end().cpu, 0ns) << "it is gone";
    EXPECT_THROW(meter.take_cpu_of(child), std::system_error);
    for (const int end : answer) ::close(end);
}

TEST(memory, that_was_touched_is_resident_and_stays_in_the_peak_when_it_is_given_back) {
    // Mapped by hand: an allocator may keep what is freed, as a sanitizer's does on purpose.
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
