// Tests that the floor with several threads does the work of the workloads, and that a trial fails if it did
// not. The faults are planted in the C library's functions, which this file replaces through the linker.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/floors/threads_workloads.hpp"
#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/trial/cores.hpp"
#include "tests/real_calls.hpp"
#include "tests/support/says.hpp"

namespace {

enum class fault { none, changed_reply, closed_session, too_many_ticks, far_timers_fire };

std::atomic<fault> planted{fault::none};
std::array<std::atomic<int>, 32> accepted_by_thread;

constexpr std::size_t bytes_of_server = loopbench::bench::workloads::echo_buffer_bytes_min;

}  // namespace

extern "C" {

ssize_t __wrap_send(int fd, const void* bytes, size_t count, int flags) {
    std::vector<std::byte> changed(static_cast<const std::byte*>(bytes),
                                   static_cast<const std::byte*>(bytes) + count);
    fault expected = fault::changed_reply;
    if (count > 0 && planted.compare_exchange_strong(expected, fault::none)) changed.front() ^= std::byte{1};
    return __real_send(fd, changed.data(), count, flags);
}

ssize_t __wrap_recv(int fd, void* buffer, size_t count, int flags) {
    const ssize_t bytes = __real_recv(fd, buffer, count, flags);
    fault expected = fault::closed_session;
    const bool closes =
        count == bytes_of_server && bytes > 0 && planted.compare_exchange_strong(expected, fault::none);
    return closes ? 0 : bytes;
}

ssize_t __wrap_read(int fd, void* buffer, size_t count) {
    const ssize_t bytes = __real_read(fd, buffer, count);
    fault expected = fault::too_many_ticks;
    if (count == sizeof(std::uint64_t) && planted.compare_exchange_strong(expected, fault::none))
        *static_cast<std::uint64_t*>(buffer) += 1000;
    return bytes;
}

int __wrap_timerfd_settime(int fd, int flags, const itimerspec* when, itimerspec* before) {
    itimerspec changed = *when;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    if (planted == fault::far_timers_fire && when->it_value.tv_sec > now.tv_sec + 60) changed.it_value = now;
    return __real_timerfd_settime(fd, flags, &changed, before);
}

int __wrap_accept4(int fd, sockaddr* address, socklen_t* bytes, int flags) {
    const int accepted = __real_accept4(fd, address, bytes, flags);
    const std::size_t thread = loopbench::bench::this_thread_index();
    if (accepted >= 0 && thread < accepted_by_thread.size()) ++accepted_by_thread[thread];
    return accepted;
}

}  // extern "C"

namespace loopbench::bench::floors {
namespace {

constexpr std::array rows{"threads/echo/conns:100", "threads/echo/conns:1000", "threads/accept/conns:32",
                          "threads/mixed/conns:100", "threads/idle"};

constexpr const char* serve_row = "threads/serve/rate:20000";

struct threads_floor : testing::Test {
    threads_floor() { raise_open_files_limit(2'500); }
    ~threads_floor() override { planted = fault::none; }
};

struct threads_floor_with_generator : threads_floor {
    void SetUp() override {
        ::setenv("LOOPBENCH_GENERATOR", LOOPBENCH_TEST_GENERATOR, 1);
        if (workloads::usable_cores().size() < 2) GTEST_SKIP() << "the generator needs a second core";
    }
    ~threads_floor_with_generator() override { ::unsetenv("LOOPBENCH_GENERATOR"); }
};

constexpr std::uint64_t operations_of(std::string_view row) {
    return row == "threads/idle" ? 2 : 1000;
}

void run(std::string_view row, std::size_t threads, trial& t) {
    threads_workload(row)({.threads = threads}, t);
}

/// Runs the workload with a planted fault. Returns the reason why the trial failed.
std::string failure_with(fault which, std::string_view row, std::size_t threads = 2) {
    trial t(workload_size::small, operations_of(row));
    planted = which;
    try {
        run(row, threads, t);
    } catch (const std::system_error& error) {
        return error.what();
    }
    return t.failure().value_or("");
}

TEST_F(threads_floor, every_row_passes_the_check_of_its_work_with_any_number_of_threads) {
    for (const char* const row : rows)
        for (const std::size_t threads : {1U, 2U, 4U, 8U, 32U}) {
            if (std::string_view(row).ends_with(":1000") && threads != 4) continue;
            trial t(workload_size::small, operations_of(row));
            run(row, threads, t);
            EXPECT_EQ(t.failure().value_or(""), "") << row << ", " << threads;
            const bool has_latencies =
                find_shape(std::string(row) + "/threads:" + std::to_string(threads))->in_flight > 0;
            EXPECT_EQ(t.latency().count(), has_latencies ? t.operations_done() : 0) << row << ", " << threads;
        }
}

TEST_F(threads_floor_with_generator, the_client_gets_the_right_replies_on_both_rounds_of_connections) {
    trial t(workload_size::small, 100);
    run(serve_row, 1, t);
    EXPECT_EQ(t.unsupported().value_or(t.failure().value_or("")), "");
    EXPECT_EQ(t.latency().count(), 100U);
}

TEST_F(threads_floor_with_generator, a_changed_reply_fails_the_trial) {
    EXPECT_SAYS(failure_with(fault::changed_reply, serve_row, 1),
                "number of replies that differ from the bytes sent: expected 0, got ");
}

TEST_F(threads_floor_with_generator, a_session_that_closes_its_connection_fails_the_trial) {
    EXPECT_SAYS(failure_with(fault::closed_session, serve_row, 1),
                "number of replies that differ from the bytes sent: expected 0, got ");
}

TEST_F(threads_floor, each_workload_of_the_suite_has_a_row_or_a_reason) {
    for (const workload_shape& shape : workload_table()) {
        if (shape.threads != 2) continue;
        const bool is_listed = std::ranges::count(rows, shape.front) > 0 || shape.front == serve_row;
        EXPECT_EQ(threads_workload(shape.front) != nullptr, is_listed) << shape.front;
    }
    EXPECT_SAYS(why_no_threads_workload("threads/timer/chains:64"), "timer queue");
    EXPECT_SAYS(why_no_threads_workload("threads/blocking/timers:64"), "run the clocks");
    EXPECT_SAYS(why_no_threads_workload("threads/post/stay/chains:64"), "floor-mutex-queue");
}

TEST_F(threads_floor, each_thread_accepts_connections) {
    for (auto& each : accepted_by_thread) each = 0;
    trial t(workload_size::small, 1000);
    run("threads/echo/conns:100", 4, t);
    for (std::size_t thread = 0; thread < accepted_by_thread.size(); ++thread)
        EXPECT_EQ(accepted_by_thread[thread] > 0, thread < 4) << thread;
}

TEST_F(threads_floor, a_changed_reply_fails_the_trial) {
    EXPECT_SAYS(failure_with(fault::changed_reply, "threads/echo/conns:100"),
                "number of replies that differ from the bytes sent");
    EXPECT_SAYS(failure_with(fault::changed_reply, "threads/mixed/conns:100"),
                "number of replies that differ from the bytes sent");
    EXPECT_SAYS(failure_with(fault::changed_reply, "threads/accept/conns:32"),
                "number of connections with the right reply: expected ");
}

TEST_F(threads_floor, a_session_that_closes_its_connection_ends_all_threads_with_an_error) {
    for (const char* const row :
         {"threads/echo/conns:100", "threads/accept/conns:32", "threads/mixed/conns:100"})
        for (const std::size_t threads : {1U, 4U})
            EXPECT_SAYS(failure_with(fault::closed_session, row, threads), "recv failed")
                << row << ", " << threads;
}

TEST_F(threads_floor, a_tick_before_its_deadline_fails_the_trial) {
    EXPECT_SAYS(failure_with(fault::too_many_ticks, "threads/mixed/conns:100"), "timers fired early");
}

TEST_F(threads_floor, a_far_timer_that_fires_fails_the_trial) {
    EXPECT_SAYS(failure_with(fault::far_timers_fire, "threads/idle"),
                "number of far timers that fired: expected 0, got ");
}

}  // namespace
}  // namespace loopbench::bench::floors
