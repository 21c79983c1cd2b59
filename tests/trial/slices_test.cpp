// Tests the scheduling of slices with shell scripts that speak the protocol of
// bench/suite/workloads/trial/slices.hpp.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/harness/trial/interleaving.hpp"
#include "bench/harness/trial/process/child_process.hpp"
#include "reports/base/posix_io.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::child_end;
using bench::child_request;

/// Shell functions for the protocol of slices. $in and $out are the descriptors for messages and replies.
/// wait_for_slice fails after the last slice.
constexpr const char* protocol = R"sh(
in=${LOOPBENCH_SLICES%%,*}; rest=${LOOPBENCH_SLICES#*,}; out=${rest%%,*}
wait_for_slice() { what=$(dd bs=1 count=1 <&$in 2>/dev/null); [ "$what" = t ]; }
ready() { echo ready >&$out; }
)sh";

child_request player(const std::string& script) {
    child_request request;
    request.command = {"/bin/bash", "-c", protocol + script};
    return request;
}

child_request alone(const std::string& script) {
    child_request request;
    request.command = {"/bin/sh", "-c", script};
    return request;
}

constexpr const char* well_behaved =
    "ready; while wait_for_slice; do echo '10 1000' >&$out; done; echo result";

auto run(const std::vector<child_request>& all, std::chrono::nanoseconds enough = 3us, int stop_fd = -1) {
    return bench::run_interleaved(
        all, {.seed = 1, .enough = enough, .limit = 60s, .stop_fd = stop_fd, .longest_slice = 1s});
}

TEST(interleaving, slices_continue_until_the_work_is_done_and_each_slice_is_recorded) {
    const auto outcomes = run({player(well_behaved), player(well_behaved)});
    for (const auto& each : outcomes) {
        ASSERT_EQ(each.slices.size(), 3U);
        for (const auto& slice : each.slices) {
            EXPECT_EQ(slice.operations, 10U);
            EXPECT_EQ(slice.timed, 1us);
            EXPECT_EQ(slice.untimed, 0ns);
            EXPECT_GT(slice.observed, 0ns);
        }
        EXPECT_EQ(each.child.end, child_end::exited);
        EXPECT_EQ(each.child.output, "result\n");
    }
}

TEST(interleaving, the_lengths_of_the_slices_can_be_chosen) {
    const std::vector all{player("ready; echo ${rest#*,}")};
    const auto outcomes = bench::run_interleaved(all, {.limit = 60s, .lengths = {250us, 4ms}});
    EXPECT_EQ(outcomes[0].child.output, "250,4000\n");
}

TEST(interleaving, only_one_contender_works_at_a_time) {
    temporary_folder folder;
    const auto log = (folder.path() / "log").native();
    const auto script = "ready; while wait_for_slice; do echo begin $$ >> " + log + "; echo end $$ >> " +
                        log + "; echo '10 1000' >&$out; done; echo begin $$ >> " + log + "; echo end $$ >> " +
                        log;
    run({player(script), player(script), player(script)});
    std::istringstream lines{reports::read_file(log)};
    std::string began, who, ended, same;
    int pairs = 0;
    while (lines >> began >> who >> ended >> same) {
        EXPECT_EQ(began + ended, "beginend");
        EXPECT_EQ(who, same);
        ++pairs;
    }
    EXPECT_EQ(pairs, 3 * 4);
}

TEST(interleaving, the_order_of_contenders_changes_from_round_to_round) {
    temporary_folder folder;
    const auto log = (folder.path() / "log").native();
    const auto logging = [&](const std::string& name) {
        return player("ready; while wait_for_slice; do echo " + name + " >> " + log +
                      "; echo '10 1000' >&$out; done");
    };
    run({logging("a"), logging("b")}, 20us);
    std::istringstream lines{reports::read_file(log)};
    std::string first, second;
    int with_a_in_front = 0, rounds = 0;
    for (; lines >> first >> second; ++rounds) {
        EXPECT_NE(first, second);
        with_a_in_front += first == "a" ? 1 : 0;
    }
    EXPECT_EQ(rounds, 20);
    EXPECT_GT(with_a_in_front, 0);
    EXPECT_LT(with_a_in_front, rounds);
}

// With a random order, a contender could be first in one round and last in the next round, and would wait for
// nearly two rounds.
TEST(interleaving, a_contender_waits_at_most_one_slice_longer_than_in_a_fixed_order) {
    temporary_folder folder;
    const auto log = (folder.path() / "log").native();
    const std::string names = "abcdef";
    std::vector<bench::child_request> all;
    for (const char name : names)
        all.push_back(player(std::string{"ready; while wait_for_slice; do echo "} + name + " >> " + log +
                             "; echo '10 1000' >&$out; done"));
    run(all, 20us);
    std::istringstream lines{reports::read_file(log)};
    std::string order, who;
    while (lines >> who) order += who;
    ASSERT_EQ(order.size(), 20 * names.size());
    for (std::size_t i = names.size(); i < order.size(); ++i) {
        const auto before = order.rfind(order[i], i - 1);
        ASSERT_NE(before, std::string::npos);
        EXPECT_LE(i - before, names.size() + 1) << order;
        EXPECT_GE(i - before, names.size() - 1) << order;
    }
}

TEST(interleaving, a_contender_that_does_not_end_its_slice_is_ended_and_the_other_contenders_continue) {
    const auto outcomes = run({player("ready; wait_for_slice; exec sleep 1000"), player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::kept_slice);
    EXPECT_TRUE(outcomes[0].slices.empty());
    EXPECT_EQ(outcomes[1].slices.size(), 3U);
}

TEST(interleaving, a_contender_that_is_stopped_by_a_signal_during_its_slice_is_ended) {
    const auto outcomes = run({player("ready; wait_for_slice; kill -STOP $$"), player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::kept_slice);
    EXPECT_EQ(outcomes[1].slices.size(), 3U);
}

TEST(interleaving, the_other_contenders_continue_if_a_contender_is_killed) {
    const auto outcomes = run({player("ready; wait_for_slice; kill -SEGV $$"), player("ready; kill -KILL $$"),
                               player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::signalled);
    EXPECT_EQ(outcomes[0].child.code, SIGSEGV);
    EXPECT_EQ(outcomes[1].child.code, SIGKILL);
    EXPECT_EQ(outcomes[2].slices.size(), 3U);
}

TEST(interleaving, a_reply_can_report_the_untimed_part_of_its_slice) {
    const auto outcomes = run({player("ready; while wait_for_slice; do echo '10 1000 7 500' >&$out; done")});
    ASSERT_EQ(outcomes[0].slices.size(), 3U) << outcomes[0].child.error_tail;
    EXPECT_EQ(outcomes[0].slices[0].untimed_operations, 7U);
    EXPECT_EQ(outcomes[0].slices[0].untimed, 500ns);
}

TEST(interleaving, an_invalid_reply_ends_the_contender) {
    for (const std::string answer :
         {"'10 -5'", "'1 9223372036854775807'", "'0 1000'", "'10'", "'10 1000 5'", "'10 1000 5 6 7'",
          "'10 1000 -5 6'", "'10 1000 5 9223372036854775807'", "'10 1000 '", "hello", "''"}) {
        const auto outcomes = run({player("ready; wait_for_slice; echo " + answer + " >&$out; sleep 1000")});
        EXPECT_EQ(outcomes[0].child.end, child_end::broke_protocol) << answer;
    }
    for (const std::string flood : {"head -c 5000 /dev/zero", "yes ready", "yes '10 1000'"}) {
        const auto outcomes = run({player("ready; wait_for_slice; " + flood + " >&$out; sleep 1000")}, 1h);
        EXPECT_EQ(outcomes[0].child.end, child_end::broke_protocol) << flood;
    }
}

TEST(interleaving, a_contender_that_ignores_the_slices_still_returns_its_result) {
    const auto outcomes = run({player("echo its result"), player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::exited);
    EXPECT_EQ(outcomes[0].child.output, "its result\n");
    EXPECT_TRUE(outcomes[0].slices.empty());
    EXPECT_EQ(outcomes[1].slices.size(), 3U);
}

TEST(interleaving, a_contender_can_end_while_the_other_contenders_still_work) {
    const auto outcomes =
        run({player("ready; wait_for_slice; echo '10 1000' >&$out; wait_for_slice; echo result"),
             player(well_behaved)});
    EXPECT_EQ(outcomes[0].slices.size(), 1U);
    EXPECT_EQ(outcomes[0].child.output, "result\n");
    EXPECT_EQ(outcomes[1].slices.size(), 3U);
}

TEST(interleaving, contenders_that_the_common_time_limit_ends_are_distinguished_from_slow_contenders) {
    const auto unending = player("ready; while wait_for_slice; do echo '10 1' >&$out; done");
    const std::vector all{unending, unending, unending};
    for (const auto& each : bench::run_interleaved(all, {.seed = 1, .enough = 1h, .limit = 300ms})) {
        EXPECT_EQ(each.child.end, child_end::timed_out);
        EXPECT_TRUE(each.out_of_time);
    }
}

TEST(interleaving, a_contender_that_is_not_ready_within_its_own_time_limit_is_reported_as_too_slow) {
    auto slow = player("exec sleep 1000");
    slow.limit = 100ms;
    const auto outcomes = run({slow, player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::timed_out);
    EXPECT_FALSE(outcomes[0].out_of_time);
    EXPECT_EQ(outcomes[1].slices.size(), 3U);
}

TEST(interleaving, an_interrupt_ends_all_contenders) {
    const reports::unique_fd stop{::eventfd(1, EFD_CLOEXEC)};
    const auto outcomes = run({player("ready; sleep 1000"), player("sleep 1000")}, 3us, stop.get());
    for (const auto& each : outcomes) EXPECT_EQ(each.child.end, child_end::stopped);
    EXPECT_NE(outcomes[0].child.group, 0);
    EXPECT_EQ(outcomes[1].child.group, 0) << "the contender was started after the interrupt";
}

TEST(interleaving, no_contender_is_started_after_the_common_time_limit) {
    const std::vector both{player("sleep 1000"), player("sleep 1000")};
    const auto outcomes = bench::run_interleaved(both, {.limit = 100ms});
    for (const auto& each : outcomes) {
        EXPECT_EQ(each.child.end, child_end::timed_out);
        EXPECT_TRUE(each.out_of_time);
    }
    EXPECT_EQ(outcomes[1].child.group, 0);
}

TEST(interleaving, the_end_of_a_contender_is_reported_while_the_other_contenders_still_run) {
    std::vector<std::size_t> ended;
    const std::vector all{player(well_behaved), player("ready")};
    bench::run_interleaved(
        all, {.enough = 3us, .limit = 60s, .longest_slice = 1s, .ended = [&](std::size_t i, const auto&) {
                  ended.push_back(i);
              }});
    EXPECT_EQ(ended, (std::vector<std::size_t>{1, 0}));
}

double counted_in_slices(const char* filter, const char* counter) {
    child_request request;
    request.command = {LOOPBENCH_PLANTED_CONTENDER, filter, "--benchmark_format=json"};
    const auto outcomes = run({request});
    EXPECT_FALSE(outcomes[0].slices.empty()) << outcomes[0].child.error_tail;
    const auto result = nlohmann::json::parse(outcomes[0].child.output);
    return result.at("benchmarks").at(0).at(counter).get<double>();
}

// Google Benchmark runs a workload several times before the measured run, but not in interleaved trials.
TEST(interleaving, an_interleaved_contender_runs_its_workload_once_before_the_first_slice) {
    EXPECT_GE(counted_in_slices("--benchmark_filter=^runs", "runs"), 2);
}

// An operation takes at least 200 us, so a warm-up of 1 ms has about five operations.
TEST(interleaving, the_number_of_warm_up_operations_grows_only_as_much_as_the_missing_time_requires) {
    const double operations = counted_in_slices("--benchmark_filter=^slow", "warm_up_operations");
    EXPECT_GE(operations, 1);
    EXPECT_LE(operations, 7);
}

TEST(interleaving, each_contender_inherits_only_its_own_descriptor) {
    const std::string count = "ls /proc/self/fd | wc -l";
    const auto before = std::stoi(bench::run_child(alone(count)).output);
    const auto counting = player(count + "; ready");
    for (const auto& each : run({counting, counting})) EXPECT_EQ(std::stoi(each.child.output), before + 1);
}

TEST(concurrent, all_concurrent_contenders_run_at_the_same_time) {
    temporary_folder folder;
    const auto left = (folder.path() / "left").native(), right = (folder.path() / "right").native();
    const auto meet = [](const std::string& mine, const std::string& other) {
        return alone("touch " + mine + "; while [ ! -e " + other + " ]; do :; done; echo met");
    };
    const std::vector both{meet(left, right), meet(right, left)};
    for (const auto& each : bench::run_together(both, 60s, -1)) EXPECT_EQ(each.output, "met\n");
}

TEST(concurrent, the_end_of_each_contender_is_reported_separately) {
    const std::vector all{alone("exit 3"), alone("kill -SEGV $$"), alone("echo fine")};
    const auto outcomes = bench::run_together(all, 60s, -1);
    EXPECT_EQ(outcomes[0].code, 3);
    EXPECT_EQ(outcomes[1].end, child_end::signalled);
    EXPECT_EQ(outcomes[2].output, "fine\n");
}

TEST(concurrent, the_time_limit_ends_slow_contenders_and_finished_contenders_keep_their_results) {
    const std::vector all{alone("sleep 1000"), alone("echo fine")};
    auto limit = 100ms;
    auto outcomes = bench::run_together(all, limit, -1);
    while (outcomes[1].output.empty())
        outcomes = bench::run_together(all, limit *= 2, -1);  // a busy machine needs a longer limit
    EXPECT_EQ(outcomes[0].end, child_end::timed_out);
}

TEST(concurrent, an_interrupt_ends_all_contenders) {
    const reports::unique_fd stop{::eventfd(1, EFD_CLOEXEC)};
    const std::vector both{alone("sleep 1000"), alone("sleep 1000")};
    for (const auto& each : bench::run_together(both, 60s, stop.get()))
        EXPECT_EQ(each.end, child_end::stopped);
}

}  // namespace

}  // namespace loopbench::tests
