// Who works when, with real processes: shell scripts that speak the protocol of
// bench/workloads/trial/turns.hpp.
#include "bench/trial/turns.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/trial/process/child_process.hpp"
#include "reports/files/posix_io.hpp"
#include "tests/support/scratch_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::child_end;
using bench::child_request;

/// In front of each script: the descriptors as $in and $out, and wait_for_turn, which fails when there is
/// none.
constexpr const char* protocol = R"sh(
in=${LOOPBENCH_TURNS%%,*}; rest=${LOOPBENCH_TURNS#*,}; out=${rest%%,*}
wait_for_turn() { what=$(dd bs=1 count=1 <&$in 2>/dev/null); [ "$what" = t ]; }
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
    "ready; while wait_for_turn; do echo '10 1000' >&$out; done; echo result";

auto run(const std::vector<child_request>& all, std::chrono::nanoseconds enough = 3us, int stop_fd = -1) {
    return bench::run_in_turns(all,
                               {.seed = 1, .enough = enough, .limit = 60s, .stop_fd = stop_fd, .turn = 1s});
}

TEST(turns, are_given_until_there_is_enough_and_each_is_told) {
    const auto outcomes = run({player(well_behaved), player(well_behaved)});
    for (const auto& each : outcomes) {
        EXPECT_EQ(each.operation_ns, (std::vector<double>{100, 100, 100}));
        EXPECT_EQ(each.child.end, child_end::exited);
        EXPECT_EQ(each.child.output, "result\n");
    }
}

TEST(turns, are_as_long_as_is_asked_for) {
    const std::vector all{player("ready; echo ${rest#*,}")};
    const auto outcomes = bench::run_in_turns(all, {.limit = 60s, .lengths = {250us, 4ms}});
    EXPECT_EQ(outcomes[0].child.output, "250,4000\n");
}

TEST(turns, are_of_one_at_a_time) {
    scratch_folder folder;
    const auto log = (folder.path() / "log").native();
    const auto script = "ready; while wait_for_turn; do echo begin $$ >> " + log + "; echo end $$ >> " + log +
                        "; echo '10 1000' >&$out; done; echo begin $$ >> " + log + "; echo end $$ >> " + log;
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

TEST(turns, are_in_another_order_from_round_to_round) {
    scratch_folder folder;
    const auto log = (folder.path() / "log").native();
    const auto logging = [&](const std::string& name) {
        return player("ready; while wait_for_turn; do echo " + name + " >> " + log +
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

// Who is last in one round and first in the next works twice in a row, and another one waits for nearly two
// rounds.
TEST(turns, come_again_after_a_round_and_at_most_one_other) {
    scratch_folder folder;
    const auto log = (folder.path() / "log").native();
    const std::string names = "abcdef";
    std::vector<bench::child_request> all;
    for (const char name : names)
        all.push_back(player(std::string{"ready; while wait_for_turn; do echo "} + name + " >> " + log +
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

TEST(turns, are_lost_by_who_keeps_one_and_the_others_go_on) {
    const auto outcomes = run({player("ready; wait_for_turn; exec sleep 1000"), player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::kept_turn);
    EXPECT_TRUE(outcomes[0].operation_ns.empty());
    EXPECT_EQ(outcomes[1].operation_ns.size(), 3U);
}

TEST(turns, are_lost_by_who_is_stopped_in_one) {
    const auto outcomes = run({player("ready; wait_for_turn; kill -STOP $$"), player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::kept_turn);
    EXPECT_EQ(outcomes[1].operation_ns.size(), 3U);
}

TEST(turns, are_lost_by_who_dies_in_one_and_by_who_dies_while_it_waits) {
    const auto outcomes = run({player("ready; wait_for_turn; kill -SEGV $$"), player("ready; kill -KILL $$"),
                               player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::signalled);
    EXPECT_EQ(outcomes[0].child.code, SIGSEGV);
    EXPECT_EQ(outcomes[1].child.code, SIGKILL);
    EXPECT_EQ(outcomes[2].operation_ns.size(), 3U);
}

TEST(turns, are_lost_by_who_answers_with_something_else) {
    for (const std::string answer :
         {"'10 -5'", "'1 9223372036854775807'", "'0 1000'", "'10'", "'10 1000 5'", "hello", "''"}) {
        const auto outcomes = run({player("ready; wait_for_turn; echo " + answer + " >&$out; sleep 1000")});
        EXPECT_EQ(outcomes[0].child.end, child_end::broke_protocol) << answer;
    }
    for (const std::string flood : {"head -c 5000 /dev/zero", "yes ready", "yes '10 1000'"}) {
        const auto outcomes = run({player("ready; wait_for_turn; " + flood + " >&$out; sleep 1000")}, 1h);
        EXPECT_EQ(outcomes[0].child.end, child_end::broke_protocol) << flood;
    }
}

TEST(turns, need_not_be_known) {
    const auto outcomes = run({player("echo its result"), player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::exited);
    EXPECT_EQ(outcomes[0].child.output, "its result\n");
    EXPECT_TRUE(outcomes[0].operation_ns.empty());
    EXPECT_EQ(outcomes[1].operation_ns.size(), 3U);
}

TEST(turns, may_end_before_there_is_enough) {
    const auto outcomes =
        run({player("ready; wait_for_turn; echo '10 1000' >&$out; wait_for_turn; echo result"),
             player(well_behaved)});
    EXPECT_EQ(outcomes[0].operation_ns.size(), 1U);
    EXPECT_EQ(outcomes[0].child.output, "result\n");
    EXPECT_EQ(outcomes[1].operation_ns.size(), 3U);
}

TEST(turns, end_with_the_time_of_all_and_that_is_nobodys_fault) {
    const auto unending = player("ready; while wait_for_turn; do echo '10 1' >&$out; done");
    const std::vector all{unending, unending, unending};
    for (const auto& each : bench::run_in_turns(all, {.seed = 1, .enough = 1h, .limit = 300ms})) {
        EXPECT_EQ(each.child.end, child_end::timed_out);
        EXPECT_TRUE(each.out_of_time);
    }
}

TEST(turns, are_not_given_to_who_is_not_ready_within_its_own_time_and_that_is_its_own_fault) {
    auto slow = player("exec sleep 1000");
    slow.limit = 100ms;
    const auto outcomes = run({slow, player(well_behaved)});
    EXPECT_EQ(outcomes[0].child.end, child_end::timed_out);
    EXPECT_FALSE(outcomes[0].out_of_time);
    EXPECT_EQ(outcomes[1].operation_ns.size(), 3U);
}

TEST(turns, end_for_all_with_an_interrupt) {
    const reports::unique_fd stop{::eventfd(1, EFD_CLOEXEC)};
    const auto outcomes = run({player("ready; sleep 1000"), player("sleep 1000")}, 3us, stop.get());
    for (const auto& each : outcomes) EXPECT_EQ(each.child.end, child_end::stopped);
    EXPECT_NE(outcomes[0].child.group, 0);
    EXPECT_EQ(outcomes[1].child.group, 0) << "it was started after the interrupt";
}

TEST(turns, are_for_nobody_who_would_be_started_after_the_time_of_all) {
    const std::vector both{player("sleep 1000"), player("sleep 1000")};
    const auto outcomes = bench::run_in_turns(both, {.limit = 100ms});
    for (const auto& each : outcomes) {
        EXPECT_EQ(each.child.end, child_end::timed_out);
        EXPECT_TRUE(each.out_of_time);
    }
    EXPECT_EQ(outcomes[1].child.group, 0);
}

TEST(turns, tell_of_each_end_while_the_others_are_alive) {
    std::vector<std::size_t> ended;
    const std::vector all{player(well_behaved), player("ready")};
    bench::run_in_turns(all,
                        {.enough = 3us, .limit = 60s, .turn = 1s, .ended = [&](std::size_t i, const auto&) {
                             ended.push_back(i);
                         }});
    EXPECT_EQ(ended, (std::vector<std::size_t>{1, 0}));
}

/// A counter that the planted contender prints of a workload which has taken turns.
double counted_in_turns(const char* filter, const char* counter) {
    child_request request;
    request.command = {LOOPBENCH_PLANTED_CONTENDER, filter, "--benchmark_format=json"};
    const auto outcomes = run({request});
    EXPECT_FALSE(outcomes[0].operation_ns.empty()) << outcomes[0].child.error_tail;
    const auto result = nlohmann::json::parse(outcomes[0].child.output);
    return result.at("benchmarks").at(0).at(counter).get<double>();
}

// Without turns, Google Benchmark has run a workload several times before the run that counts.
TEST(turns, are_taken_by_a_workload_that_has_run_before_in_its_process) {
    EXPECT_GE(counted_in_turns("--benchmark_filter=^runs", "runs"), 2);
}

// An operation takes 200 microseconds at least, and a warm-up a millisecond: seven are more than enough.
TEST(turns, are_taken_after_a_warm_up_that_grows_by_what_is_missing) {
    const double operations = counted_in_turns("--benchmark_filter=^slow", "warm_up_operations");
    EXPECT_GE(operations, 1);
    EXPECT_LE(operations, 7);
}

TEST(turns, give_each_one_descriptor_more_and_none_of_the_others) {
    const std::string count = "ls /proc/self/fd | wc -l";
    const auto before = std::stoi(bench::run_child(alone(count)).output);
    const auto counting = player(count + "; ready");
    for (const auto& each : run({counting, counting})) EXPECT_EQ(std::stoi(each.child.output), before + 1);
}

TEST(together, all_are_alive_at_once) {
    scratch_folder folder;
    const auto left = (folder.path() / "left").native(), right = (folder.path() / "right").native();
    // Each ends only when it has seen the other.
    const auto meet = [](const std::string& mine, const std::string& other) {
        return alone("touch " + mine + "; while [ ! -e " + other + " ]; do :; done; echo met");
    };
    const std::vector both{meet(left, right), meet(right, left)};
    for (const auto& each : bench::run_together(both, 60s, -1)) EXPECT_EQ(each.output, "met\n");
}

TEST(together, each_ends_as_it_ends) {
    const std::vector all{alone("exit 3"), alone("kill -SEGV $$"), alone("echo fine")};
    const auto outcomes = bench::run_together(all, 60s, -1);
    EXPECT_EQ(outcomes[0].code, 3);
    EXPECT_EQ(outcomes[1].end, child_end::signalled);
    EXPECT_EQ(outcomes[2].output, "fine\n");
}

TEST(together, what_takes_too_long_is_ended_and_what_has_ended_keeps_its_result) {
    const std::vector all{alone("sleep 1000"), alone("echo fine")};
    auto limit = 100ms;
    auto outcomes = bench::run_together(all, limit, -1);
    while (outcomes[1].output.empty())
        outcomes = bench::run_together(all, limit *= 2, -1);  // beside a busy neighbour
    EXPECT_EQ(outcomes[0].end, child_end::timed_out);
}

TEST(together, an_interrupt_ends_all) {
    const reports::unique_fd stop{::eventfd(1, EFD_CLOEXEC)};
    const std::vector both{alone("sleep 1000"), alone("sleep 1000")};
    for (const auto& each : bench::run_together(both, 60s, stop.get()))
        EXPECT_EQ(each.end, child_end::stopped);
}

}  // namespace

}  // namespace loopbench::tests
