// Tests the parsers of the tracers' output on lines in the format of strace 6 and perf 6.
#include "bench/harness/counting/system_calls.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/counting/tools.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {
namespace {

TEST(strace_log, system_calls_are_counted_by_name) {
    const auto calls = read_strace_log(R"(read(3, "..."..., 832) = 832
close(3)                                = 0
close(4)                                = -1 EBADF (Bad file descriptor)
exit_group(0)                           = ?
)");
    EXPECT_EQ(calls.by_name.at("read"), 1u);
    EXPECT_EQ(calls.by_name.at("close"), 2u);
    EXPECT_EQ(calls.total(), 4u);
    EXPECT_EQ(calls.waits, 0u);
}

TEST(strace_log, a_call_whose_log_line_another_thread_interrupts_counts_once) {
    const auto calls = read_strace_log(R"(12 epoll_wait(5,  <unfinished ...>
13 write(4, ""..., 8) = 8
12 <... epoll_wait resumed>[{events=EPOLLIN, data={u32=4, u64=4}}], 128, -1) = 1
13 futex(0x7f, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>
12 exit_group(0) = ?
12 +++ exited with 0 +++
13 --- SIGCHLD {si_signo=SIGCHLD} ---
)");
    EXPECT_EQ(calls.by_name.at("epoll_wait"), 1u);
    EXPECT_EQ(calls.by_name.at("futex"), 1u);
    EXPECT_EQ(calls.total(), 4u);
    EXPECT_EQ(calls.waits, 1u);
    EXPECT_EQ(calls.empty_waits, 0u);
    EXPECT_EQ(calls.zero_timeout_waits, 0u);
}

TEST(strace_log, waits_without_events_and_waits_with_a_zero_timeout_are_counted_separately) {
    const auto calls = read_strace_log(R"(epoll_wait(4, [], 128, 0) = 0
epoll_wait(4, [{events=EPOLLIN, data={u32=1, u64=1}}], 128, 0) = 1
epoll_wait(4, [], 128, 10) = 0
epoll_pwait2(4, [], 128, {tv_sec=0, tv_nsec=0}, NULL, 8) = 0
epoll_pwait2(4, [], 128, {tv_sec=0, tv_nsec=500}, NULL, 8) = 0
select(5, [3 4], [], NULL, {tv_sec=0, tv_usec=0}) = 0 (Timeout)
select(5, [3 4], [], NULL, {tv_sec=1, tv_usec=0}) = 1 (in [3], left {tv_sec=0, tv_usec=9})
poll([{fd=3, events=POLLIN}], 1, 0) = 0 (Timeout)
poll([{fd=3, events=POLLIN}, {fd=4, events=POLLOUT}], 2, -1) = 1 ([{fd=3, revents=POLLIN}])
exit_group(0) = ?
)");
    EXPECT_EQ(calls.waits, 9u);
    EXPECT_EQ(calls.zero_timeout_waits, 5u);
    EXPECT_EQ(calls.empty_waits, 6u);
}

TEST(strace_log, waits_in_io_uring_enter_are_counted_as_waits) {
    const auto calls = read_strace_log(R"(io_uring_enter(4, 3, 0, 0, NULL, 8) = 3
io_uring_enter(4, 0, 1, IORING_ENTER_GETEVENTS, NULL, 8) = 0
io_uring_enter(4, 2, 0, IORING_ENTER_GETEVENTS, NULL, 8) = 2
io_uring_enter(4, 0, 1, IORING_ENTER_GETEVENTS|IORING_ENTER_EXT_ARG, {ts={tv_sec=1, tv_nsec=0}}, 24) = -1 ETIME (Timer expired)
exit_group(0) = ?
)");
    EXPECT_EQ(calls.waits, 3u);
    EXPECT_EQ(calls.zero_timeout_waits, 1u);
    EXPECT_EQ(calls.empty_waits, 1u);
}

TEST(strace_log, an_incomplete_log_causes_an_error_instead_of_counts) {
    const std::string whole = R"(12 read(3, "..."..., 832) = 832
12 epoll_wait(5,  <unfinished ...>
13 write(4, ""..., 8) = 8
12 <... epoll_wait resumed>[{events=EPOLLIN, data={u32=4, u64=4}}], 128, -1) = 1
12 exit_group(0)                           = ?
)";
    EXPECT_EQ(read_strace_log(whole).total(), 4u);
    EXPECT_THROW(read_strace_log("11 getpid() = 11\n" + whole), incomplete_record)
        << "only a child has ended";
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THROW(read_strace_log(whole.substr(0, size)), incomplete_record) << size;
    for (const auto* line :
         {"garbage\n", "\x01\x02(3) = 4\n", "12 <... read resumed>) = 4\n", "12 read(3, \"a\"\n"})
        EXPECT_THROW(read_strace_log(line + whole), incomplete_record) << line;
}

constexpr std::string_view perf_summary = R"(
 Summary of events:

 asio-epoll (28551), 104812 events, 42.0%

   syscall            calls  errors  total       min       avg       max       stddev
                                     (msec)    (msec)    (msec)    (msec)        (%)
   --------------- --------  ------ -------- --------- --------- ---------     ------
   futex              52379      0  3723.657     0.013     0.071     6.461      0.98%
   read                  27      0     0.443     0.014     0.016     0.036      5.64%


 asio-epoll (28552), 200 events, 57.9%

   syscall            calls  errors  total       min       avg       max       stddev
                                     (msec)    (msec)    (msec)    (msec)        (%)
   --------------- --------  ------ -------- --------- --------- ---------     ------
   futex                100     41  1471.921     0.013     0.051     2.057      0.59%
)";

TEST(perf_trace, the_system_calls_of_all_threads_are_counted) {
    const auto calls = read_perf_trace(perf_summary);
    EXPECT_EQ(calls.by_name.size(), 2u);
    EXPECT_EQ(calls.by_name.at("futex"), 52479u);
    EXPECT_EQ(calls.by_name.at("read"), 27u);
    EXPECT_EQ(calls.total(), 52506u);
}

TEST(perf_trace, an_incomplete_trace_causes_an_error_instead_of_counts) {
    EXPECT_THROW(read_perf_trace("LOST 17 events!\n" + std::string(perf_summary)), incomplete_record);
    EXPECT_THROW(read_perf_trace(""), incomplete_record);
    for (const std::string_view row :
         {"   futex              52379", "   read ", "   futex                100"}) {
        auto without = std::string(perf_summary);
        const auto at = without.find(row);
        without.erase(at, without.find('\n', at) + 1 - at);
        EXPECT_THROW(read_perf_trace(without), incomplete_record) << row;
    }
    EXPECT_THROW(read_perf_trace("\n Summary of events:\n\n"), incomplete_record);
    const auto second = perf_summary.find(" asio-epoll (28552)");
    EXPECT_THROW(read_perf_trace(perf_summary.substr(0, second)), incomplete_record);
}

TEST(perf_trace, the_calls_of_processes_that_start_at_the_same_time_are_counted) {
    const auto perf = program_in_path("perf");
    if (!perf) GTEST_SKIP() << "perf is not installed";
    const record_file record;
    std::vector<std::string> command{*perf};
    command.insert(command.end(), perf_trace_arguments.begin(), perf_trace_arguments.end());
    command.insert(command.end(),
                   {record.path(), "--", "/bin/sh", "-c",
                    "i=0; while [ $i -lt 40 ]; do { /bin/true; /bin/true; } & i=$((i+1)); done; wait"});
    const auto ended = run_child({.command = std::move(command), .environment = {}, .cpu = {}});
    if (ended.code != 0) GTEST_SKIP() << "perf is probably not permitted: " << ended.error_tail;
    const auto text = record.content().value_or("");
    if (text.find("LOST") != std::string::npos) GTEST_SKIP() << "perf reports lost events";
    EXPECT_NEAR(static_cast<double>(read_perf_trace(text).by_name["execve"]), 81, 1) << text;
}

TEST(perf_trace, a_few_events_that_are_not_system_calls_are_tolerated) {
    EXPECT_EQ(read_perf_trace(" sh (1), 400 events, 95.0%\n   read 200 0 1.0\n").total(), 200u);
    EXPECT_EQ(read_perf_trace(" sh (1), 40000 events, 99.9%\n   read 20000 0 1.0\n").total(), 20000u);
    EXPECT_THROW(read_perf_trace(" sh (1), 40000 events, 99.5%\n   read 20000 0 1.0\n"), incomplete_record);
}

}  // namespace
}  // namespace loopbench::bench
