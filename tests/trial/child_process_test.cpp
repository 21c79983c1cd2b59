// Tests real child processes: each way in which they can end, their output, and what they inherit.
#include "bench/harness/trial/process/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <system_error>

#include "reports/base/posix_io.hpp"
#include "tests/support/process_end.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::child_end;
using bench::child_outcome;
using bench::child_request;

child_request shell(const std::string& script) {
    child_request request;
    request.command = {"/bin/sh", "-c", script};
    return request;
}

TEST(child_process, the_standard_output_and_error_output_and_the_exit_code_are_returned) {
    const auto outcome = bench::run_child(shell("echo out; echo err >&2; exit 3"));
    EXPECT_EQ(outcome.end, child_end::exited);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.output, "out\n");
    EXPECT_EQ(outcome.error_tail, "err\n");
}

TEST(child_process, the_signal_that_killed_the_child_is_reported) {
    const auto outcome = bench::run_child(shell("kill -SEGV $$"));
    EXPECT_EQ(outcome.end, child_end::signalled);
    EXPECT_EQ(outcome.code, SIGSEGV);
}

TEST(child_process, a_child_that_cannot_be_started_reports_the_error_code) {
    child_request request;
    request.command = {"/nowhere/at/all"};
    auto outcome = bench::run_child(request);
    EXPECT_EQ(outcome.end, child_end::not_started);
    EXPECT_EQ(outcome.code, ENOENT);
    request.command = {"/"};
    EXPECT_EQ(bench::run_child(request).code, EACCES);
}

TEST(child_process, the_time_limit_ends_the_child_and_its_descendants) {
    auto request = shell("sleep 1000 & echo $!; wait");
    request.limit = 100ms;
    auto outcome = bench::run_child(request);
    while (outcome.output.empty()) {  // on a busy machine, the child needs a longer time limit
        request.limit *= 2;
        outcome = bench::run_child(request);
    }
    EXPECT_EQ(outcome.end, child_end::timed_out);
    EXPECT_TRUE(ends(std::stoi(outcome.output)));
}

TEST(child_process, a_child_can_run_longer_than_the_longest_single_wait_of_the_parent) {
    auto request = shell("sleep 0.05; echo done");
    request.longest_wait = 1ms;
    EXPECT_EQ(bench::run_child(request).output, "done\n");
    request = shell("sleep 1000");
    request.longest_wait = 1ms;
    request.limit = 20ms;
    EXPECT_EQ(bench::run_child(request).end, child_end::timed_out);
}

TEST(child_process, the_descendants_of_a_child_are_ended_when_the_child_ends) {
    const auto outcome = bench::run_child(shell("sleep 1000 & echo $!"));
    EXPECT_EQ(outcome.end, child_end::exited);
    EXPECT_TRUE(ends(std::stoi(outcome.output)));
}

TEST(child_process, a_stop_request_ends_the_child) {
    const reports::unique_fd stop{::eventfd(1, EFD_CLOEXEC)};
    auto request = shell("sleep 1000");
    request.stop_fd = stop.get();
    EXPECT_EQ(bench::run_child(request).end, child_end::stopped);
}

TEST(child_process, a_child_that_prints_too_much_is_ended) {
    auto request = shell("yes");
    request.output_bytes_max = 100'000;
    const auto outcome = bench::run_child(request);
    EXPECT_EQ(outcome.end, child_end::flooded);
    EXPECT_LT(outcome.output.size(), 10'000'000U);
}

TEST(child_process, a_long_standard_output_of_a_child_is_read_completely) {
    const auto outcome = bench::run_child(shell("head -c 3000000 /dev/zero"));
    EXPECT_EQ(outcome.end, child_end::exited);
    EXPECT_EQ(outcome.output.size(), 3'000'000U);
}

TEST(child_process, the_last_bytes_of_a_long_error_output_are_kept) {
    auto request = shell("head -c 300000 /dev/zero >&2; printf end >&2");
    const auto outcome = bench::run_child(request);
    EXPECT_EQ(outcome.error_tail.size(), request.error_tail_bytes);
    EXPECT_TRUE(outcome.error_tail.ends_with("end"));
}

TEST(child_process, the_standard_input_of_a_child_is_empty) {
    EXPECT_EQ(bench::run_child(shell("cat; echo done")).output, "done\n");
}

TEST(child_process, a_child_inherits_the_environment_of_its_parent_with_additions) {
    ::setenv("LOOPBENCH_TEST_KEPT", "kept", 1);
    ::setenv("LOOPBENCH_TEST_SET", "old", 1);
    auto request = shell("echo $LOOPBENCH_TEST_KEPT $LOOPBENCH_TEST_SET; env | grep -c LOOPBENCH_TEST_SET=");
    request.environment = {{"LOOPBENCH_TEST_SET", "new"}};
    EXPECT_EQ(bench::run_child(request).output, "kept new\n1\n");
}

TEST(child_process, a_child_starts_in_the_folder_of_its_request) {
    auto request = shell("pwd");
    EXPECT_EQ(bench::run_child(request).output, std::filesystem::current_path().native() + "\n");
    request.folder = "/";
    EXPECT_EQ(bench::run_child(request).output, "/\n");
    request.folder = "/nonexistent";
    const auto outcome = bench::run_child(request);
    EXPECT_EQ(outcome.end, child_end::not_started);
    EXPECT_EQ(outcome.code, ENOENT);
}

TEST(child_process, a_child_sees_only_the_contender_variables_that_its_request_sets) {
    ::setenv("LOOPBENCH_OPERATIONS", "5", 1);
    ::setenv("LOOPBENCH_SIZE", "full", 1);
    auto request = shell("echo ${LOOPBENCH_OPERATIONS-none} $LOOPBENCH_SIZE");
    request.environment = {{"LOOPBENCH_SIZE", "small"}};
    EXPECT_EQ(bench::run_child(request).output, "none small\n");
    ::unsetenv("LOOPBENCH_OPERATIONS");
    ::unsetenv("LOOPBENCH_SIZE");
}

TEST(child_process, a_child_has_its_own_process_group) {
    const auto outcome =
        bench::run_child(shell("ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat"));
    EXPECT_NE(std::stoi(outcome.output), ::getpgrp());
}

int inheritable_descriptors() {
    int count = 0;
    for (int fd = 0; fd < 1024; ++fd)
        if (const int flags = ::fcntl(fd, F_GETFD); flags != -1 && (flags & FD_CLOEXEC) == 0) ++count;
    return count;
}

TEST(child_process, a_child_inherits_no_descriptors_and_no_ignored_signals) {
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGXFSZ, &ignore, &before);
    const auto outcome = bench::run_child(shell("ls /proc/self/fd | wc -l; kill -XFSZ $$"));
    ::sigaction(SIGXFSZ, &before, nullptr);
    EXPECT_EQ(outcome.end, child_end::signalled);
    EXPECT_EQ(std::stoi(outcome.output), inheritable_descriptors() + 1);
}

TEST(child_process, a_child_is_ended_if_an_error_occurs_in_the_parent) {
    const temporary_folder folder;
    const auto pid_file = folder / "pid";
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    // poll() fails if it gets more entries than RLIMIT_NOFILE allows. The child lowers this limit only when
    // the parent sleeps, because the parent would otherwise fail to open a file.
    EXPECT_THROW(bench::run_child(shell("trap '' PIPE; echo $$ > " + pid_file.native() +
                                        "; until grep -q '^State:.S' /proc/$PPID/status; do :; done"
                                        "; prlimit --pid $PPID --nofile=3:; echo word; exec sleep 1000")),
                 std::system_error);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(ends(std::stoi(content_of(pid_file))));
}

TEST(child_process, the_resource_usage_of_a_child_is_reported) {
    const auto outcome = bench::run_child(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
    EXPECT_GT(outcome.usage.user_ns + outcome.usage.system_ns, 0);
    EXPECT_GT(outcome.usage.rss_max_bytes, 100'000);
    EXPECT_GT(outcome.wall.count(), 0);
}

}  // namespace

}  // namespace loopbench::tests
