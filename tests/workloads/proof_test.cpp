// Tests every check that the workloads make of their own work. Each test uses a runtime with a fault that the
// check must detect.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "bench/suite/workloads/all_workloads.hpp"
#include "loop/coro/event.hpp"
#include "loop/designs.hpp"
#include "loop/net/stream.hpp"
#include "tests/support/says.hpp"
#include "tests/workloads/broken_connections.hpp"
#include "tests/workloads/broken_runtimes.hpp"
#include "tests/workloads/reason_of_failure.hpp"

namespace loopbench::bench {
namespace {

using namespace workloads;

TEST(proof, a_wrong_bit_in_a_servers_reply_to_a_workloads_client_fails_the_trial) {
    constexpr auto reason = "number of replies that differ from the bytes sent: expected 0, got ";
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(echo_rtt_tcp<breakable_runtime, 1>, 100), reason);
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(echo_rtt_tcp<breakable_runtime, 100>, 2000), reason);
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(mixed_server, 1000), reason);
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(timer_under_load, 30), reason);
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(gather_echo, 1000),
                "number of round trips with the right reply: expected 1800, got ");
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(accept_churn, 100),
                "number of connections with the right reply: expected 132, got ");
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(fanout_broadcast, 10),
                "number of messages that arrived with the bytes that were sent: expected 1000, got ");
}

template <class Fault>
void serve(const std::string& generator, trial& t) {
    ::setenv("LOOPBENCH_GENERATOR", generator.c_str(), 1);
    {
        Fault runtime;
        runtime.run(serve_open_loop<breakable_runtime, 50>(runtime, t));
    }
    ::unsetenv("LOOPBENCH_GENERATOR");
}

struct trial_end {
    std::string unsupported;
    std::string failure;
    bool lacks_a_core;
};

bool lacks_a_core(const trial& t) {
    return t.unsupported() &&
           t.unsupported()->find("needs a core that the contender does not use") != std::string::npos;
}

TEST(proof, a_wrong_bit_in_a_servers_reply_to_the_load_generator_fails_the_trial) {
    trial t(workload_size::small, 500);
    serve<corrupting_runtime>(LOOPBENCH_TEST_GENERATOR, t);
    if (lacks_a_core(t)) GTEST_SKIP() << *t.unsupported();
    EXPECT_SAYS(t.failure().value_or(""),
                "number of replies that differ from the bytes sent: expected 0, got ");
    EXPECT_EQ(t.unsupported(), std::nullopt);
}

/// Serves a generator that is the shell script `line`. In `line`, "$@" are the generator's arguments.
template <class Fault = breakable_runtime>
trial_end served_by(const std::string& line, std::uint64_t requests = 500) {
    const std::string script = testing::TempDir() + "planted-generator-" + std::to_string(::getpid());
    std::ofstream(script) << "#!/bin/sh\n" << line << '\n';
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    trial t(workload_size::small, requests);
    serve<Fault>(script, t);
    std::filesystem::remove(script);
    return {t.unsupported().value_or(""), t.failure().value_or(""), lacks_a_core(t)};
}

// All 60,000 requests fall due within six milliseconds. Sending them takes several times as long.
TEST(proof, a_generator_that_cannot_keep_its_rate_invalidates_the_trial) {
    const auto end =
        served_by("exec '" LOOPBENCH_TEST_GENERATOR "' \"$@\" --look-seconds=0 --rate=10000000", 60'000);
    if (end.lacks_a_core) GTEST_SKIP() << end.unsupported;
    EXPECT_TRUE(end.unsupported.starts_with("invalid: the ")) << end.unsupported << end.failure;
}

// The test also accepts a reason that names the server instead of the generator, because on busy cores, all
// replies in the second half of the run can be late.
TEST(proof, the_trial_is_invalid_if_the_generator_sends_late_because_its_process_was_stopped) {
    const auto end = served_by<stopping_runtime>("exec '" LOOPBENCH_TEST_GENERATOR
                                                 "' \"$@\" --look-seconds=0 --rate=1000");
    if (end.lacks_a_core) GTEST_SKIP() << end.unsupported;
    EXPECT_TRUE(end.unsupported.starts_with("invalid: the ")) << end.unsupported << end.failure;
}

TEST(proof, a_generator_that_dies_without_a_result_fails_the_trial) {
    const auto killed = served_by("kill -KILL $$");
    if (killed.lacks_a_core) GTEST_SKIP() << killed.unsupported;
    EXPECT_EQ(killed.failure, "the generator was killed by SIGKILL before it printed a result");
    EXPECT_EQ(served_by("exit 3").failure, "the generator ended with exit code 3 before it printed a result");
}

TEST(proof, a_generator_that_does_not_offer_the_load_makes_the_trial_unsupported) {
    const auto end =
        served_by(R"(echo '{"failure":"","not_offered":"planted","io_uring_refused":"refused"}')");
    if (end.lacks_a_core) GTEST_SKIP() << end.unsupported;
    EXPECT_EQ(end.unsupported,
              "the contender was not measured at this load: planted; the generator uses epoll here: "
              "refused");
}

TEST(proof, the_load_generator_process_inherits_no_socket_of_the_server) {
    const auto end = served_by(
        "printf '{\"failure\":\"\",\"not_offered\":\"%s sockets\",\"io_uring_refused\":null}'"
        " $(ls -l /proc/$$/fd | grep -c socket:)");
    if (end.lacks_a_core) GTEST_SKIP() << end.unsupported;
    EXPECT_SAYS(end.unsupported, ": 0 sockets");
}

TEST(proof, a_server_that_starves_half_of_its_connections_fails_the_trial) {
    EXPECT_SAYS(reason_of_failure<starving_runtime>(echo_rtt_tcp<breakable_runtime, 10>, 2000), "Jain");
}

// The trials must end immediately. If the other clients continued to wait, each trial would run until the
// test's time limit.
TEST(proof, an_exception_of_a_client_ends_the_trial_immediately_and_its_message_is_the_reason) {
    constexpr auto reason = "a client failed: out of buffers";
    EXPECT_EQ(reason_of_failure<throwing_runtime>(echo_rtt_tcp<breakable_runtime, 10>, 1000), reason);
    EXPECT_EQ(reason_of_failure<throwing_runtime>(gather_echo, 10'000), reason);
    EXPECT_EQ(reason_of_failure<throwing_runtime>(mixed_server, 1000), reason);
    EXPECT_EQ(reason_of_failure<throwing_runtime>(timer_under_load, 100), reason);
}

TEST(proof, a_server_that_cannot_accept_connections_ends_the_trial_immediately) {
    EXPECT_SAYS(reason_of_failure<refusing_runtime>(echo_rtt_tcp<breakable_runtime, 100>, 1000),
                "the server cannot accept: ");
}

TEST(proof, a_broadcast_that_loses_a_connection_fails_the_trial) {
    EXPECT_SAYS(reason_of_failure<dropping_runtime>(fanout_broadcast, 100), "a connection failed: ");
}

TEST(proof, a_stream_that_delivers_wrong_bytes_fails_the_trial) {
    constexpr auto reason = "number of received pieces that differ from the bytes sent: expected 0, got ";
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(stream_throughput, 100), reason);
    EXPECT_SAYS(reason_of_failure<corrupting_runtime>(pipe_read, 100), reason);
}

TEST(proof, a_stream_that_loses_bytes_fails_the_trial) {
    EXPECT_EQ(reason_of_failure<losing_bytes_runtime>(stream_throughput, 100),
              "number of bytes received: expected 10747904, got 10682368");
    EXPECT_EQ(reason_of_failure<losing_bytes_runtime>(pipe_read, 100),
              "number of bytes received: expected 671744, got 667648");
}

TEST(proof, a_connection_that_makes_no_round_trip_in_the_timed_section_fails_the_trial) {
    EXPECT_EQ(reason_of_failure<skipping_once_runtime<4>>(echo_rtt_tcp<breakable_runtime, 10>, 1000),
              "number of connections on which every round trip was made: expected 10, got 9");
}

TEST(proof, the_trial_fails_if_the_server_reports_fewer_bytes_than_its_clients_received) {
    EXPECT_EQ(reason_of_failure<misreporting_runtime<100 + warm_up_round_trips>>(
                  echo_rtt_tcp<breakable_runtime, 1>, 100),
              "number of connections on which the server echoed every byte: expected 1, got 0");
}

TEST(proof, the_trial_fails_if_the_server_does_not_serve_some_connections) {
    EXPECT_EQ(reason_of_failure<hasty_runtime>(accept_churn, 100),
              "number of connections that were served: expected 132, got 0");
}

TEST(proof, the_trial_fails_if_an_idle_connection_receives_bytes_or_is_closed) {
    EXPECT_EQ(reason_of_failure<imagining_runtime<1>>(idle_sockets, 1),
              "number of bytes received on silent connections: expected 0, got 10");
    EXPECT_EQ(reason_of_failure<imagining_runtime<0>>(idle_sockets, 1),
              "number of silent connections that stayed open until the end: expected 1000, got 990");
    EXPECT_EQ(reason_of_failure<beheading_runtime<1001>>(idle_sockets, 1),
              "number of silent connections for which the loop waited: expected 1000, got 999");
}

TEST(proof, timers_under_load_fail_the_trial_if_the_load_makes_no_round_trip) {
    EXPECT_EQ(reason_of_failure<deaf_runtime<20>>(timer_under_load, 20),
              "the load made no round trip on its connections");
}

TEST(proof, a_mixed_server_that_prevents_a_coroutine_from_counting_fails_the_trial) {
    EXPECT_EQ(reason_of_failure<beheading_runtime<3>>(mixed_server, 2000),
              "one of the two counting coroutines never counted");
    EXPECT_SAYS(reason_of_failure<one_sleep_runtime>(mixed_server, 5000),
                "the counts of the two counting coroutines differ by ");
}

TEST(proof, a_pause_at_the_start_of_the_two_counting_coroutines_does_not_fail_the_trial) {
    EXPECT_EQ(reason_of_failure<halted_runtime>(mixed_server, 2000), "");
}

TEST(proof, timers_that_call_their_function_more_than_once_fail_the_trial) {
    EXPECT_EQ(reason_of_failure<stuttering_timers_runtime>(timer_churn<breakable_runtime, 100>, 1000),
              "number of due timers that fired: expected 13, got 26");
    EXPECT_SAYS(reason_of_failure<stuttering_timers_runtime>(timer_expire, 101),
                "number of timers that fired: expected 101, got ");
}

TEST(proof, timers_that_call_their_function_before_the_loop_runs_fail_the_trial) {
    EXPECT_EQ(reason_of_failure<rash_timers_runtime>(timer_expire, 1000),
              "number of timers that fired while the loop did not run: expected 0, got 100");
}

TEST(proof, the_trial_fails_if_a_cancelled_timer_fires) {
    EXPECT_SAYS(reason_of_failure<uncancellable_runtime>(timer_churn<breakable_runtime, 100>, 1000),
                "number of timers that fired although they were cancelled: expected 0, got ");
}

TEST(proof, timers_that_do_not_fire_while_the_loop_is_busy_fail_the_trial) {
    EXPECT_SAYS(reason_of_failure(timer_under_load, 20, loop::make_loop("loop-scheduler")),
                "checks its timers only when");
}

TEST(proof, a_server_that_loses_a_connection_fails_the_trial) {
    EXPECT_SAYS(reason_of_failure<dropping_runtime>(echo_rtt_tcp<breakable_runtime, 1>, 100),
                "a client's connection failed: ");
}

// In a sanitizer build, the timers are 20 us early (CMakeLists.txt), because a slow machine would hide an
// earliness of 1 us. There, more than 1 us always passes between the end of a sleep and the next reading of
// the clock.
TEST(proof, timers_that_fire_a_microsecond_early_fail_the_trial) {
    std::string reason;
    for (int i = 0; i < 20 && reason.empty(); ++i)
        reason = reason_of_failure<early_runtime<LOOPBENCH_EARLY_US>>(timer_periodic, 100);
    EXPECT_SAYS(reason, "fired early");
}

// An early timer looks late if its thread is preempted. The timers are therefore 20 ms early, and each
// workload runs up to 20 times, because it measures only a few timers.
TEST(proof, a_sleep_that_ends_before_its_deadline_fails_the_trial_of_every_sleep_workload) {
    using workload = task_of<breakable_runtime> (*)(breakable_runtime&, trial&);
    const auto expect_once = [](const workload which, const std::string& words) {
        std::string reason;
        for (int i = 0; i < 20 && reason.find(words) == std::string::npos; ++i)
            reason = reason_of_failure<early_runtime<20'000>>(which, 1);
        EXPECT_SAYS(reason, words);
    };
    expect_once(sleep_serial, "2 of 2 timers fired early");
    expect_once(sleep_concurrent, "fired early");
    expect_once(idle_timer, "fired early");
}

TEST(proof, the_trial_fails_if_a_sleep_returns_immediately) {
    constexpr auto reason = "fired early";
    EXPECT_SAYS(reason_of_failure<sleepless_runtime>(sleep_serial, 1), reason);
    EXPECT_SAYS(reason_of_failure<sleepless_runtime>(sleep_concurrent, 1), reason);
    EXPECT_SAYS(reason_of_failure<sleepless_runtime>(sleep_many, 100), reason);
    EXPECT_SAYS(reason_of_failure<sleepless_runtime>(gather_sleep, 2), reason);
    EXPECT_SAYS(reason_of_failure<sleepless_runtime>(timer_periodic, 10), reason);
    EXPECT_SAYS(reason_of_failure<sleepless_runtime>(timer_ladder<breakable_runtime, 1'000'000>, 1), reason);
    EXPECT_SAYS(reason_of_failure<sleepless_runtime>(idle_timer, 1), reason);
}

TEST(proof, sleeps_that_are_too_short_in_total_fail_the_trial) {
    EXPECT_SAYS(reason_of_failure<late_clock_runtime>(sleep_serial, 1), " ns; expected at least 12000000 ns");
    EXPECT_SAYS(reason_of_failure<late_clock_runtime>(sleep_many, 4), " ns; expected at least ");
}

TEST(proof, the_trial_fails_if_concurrent_sleeps_do_not_overlap) {
    EXPECT_EQ(reason_of_failure<serial_gather_runtime>(sleep_concurrent, 1),
              "number of sleeps that had started when the first sleep ended: expected 2, got 1");
}

TEST(proof, a_timer_that_fires_long_before_its_far_deadline_fails_the_trial) {
    EXPECT_EQ(reason_of_failure<overflowing_runtime>(idle_timer, 1),
              "number of far timers that fired: expected 0, got 1");
}

TEST(proof, the_trial_fails_if_an_awaited_task_does_not_run) {
    const auto forgetful = [] { return std::make_unique<forgetful_runtime>(); };
    EXPECT_EQ(reason_of_failure(await_leaf, 4, forgetful()),
              "sum of the values that the coroutines returned: expected 10, got 4");
    EXPECT_EQ(reason_of_failure(sleep_serial, 1, forgetful()),
              "number of sleeps that ended: expected 2, got 1");
    EXPECT_EQ(reason_of_failure(idle_timer, 1, forgetful()),
              "number of sleeps that ended: expected 1, got 0");
}

TEST(proof, a_gather_that_skips_a_child_fails_the_trial) {
    EXPECT_EQ(reason_of_failure<skipping_runtime>(gather_yield, 2500),
              "number of children that ended: expected 3000, got 2997");
    EXPECT_EQ(reason_of_failure<skipping_runtime>(gather_sleep, 2),
              "number of children that woke up: expected 2000, got 1998");
    EXPECT_EQ(reason_of_failure<skipping_runtime>(sleep_concurrent, 1),
              "number of sleeps that ended: expected 2, got 1");
    EXPECT_EQ(reason_of_failure<skipping_runtime>(gather_ready, 1000),
              "number of children that ended: expected 1000, got 999");
    EXPECT_EQ(reason_of_failure<skipping_runtime>(gather_tree<breakable_runtime, 100>, 100),
              "number of leaves that ended: expected 100, got 81");
    EXPECT_EQ(reason_of_failure<skipping_runtime>(sleep_many, 100),
              "number of sleeps that ended: expected 100, got 99");
}

TEST(proof, a_gather_that_completes_before_its_last_children_fails_the_trial) {
    EXPECT_SAYS(reason_of_failure<early_gather_runtime<2>>(gather_yield, 2500),
                "number of gathers that completed before their children: expected 0, got ");
    EXPECT_SAYS(reason_of_failure<early_gather_runtime<12>>(gather_tree<breakable_runtime, 100>, 300),
                "number of trees that completed before their leaves: expected 0, got ");
}

TEST(proof, a_gather_that_waits_for_none_of_its_children_fails_the_trial) {
    EXPECT_NE(reason_of_failure<hasty_runtime>(gather_yield, 2500), "");
    EXPECT_NE(reason_of_failure<hasty_runtime>(gather_sleep, 2), "");
    EXPECT_NE(reason_of_failure<hasty_runtime>(sleep_concurrent, 1), "");
}

TEST(proof, the_trial_fails_if_a_posted_function_never_runs) {
    EXPECT_EQ(reason_of_failure<losing_runtime>(post_chain, 2500),
              "number of functions that were posted before a yield and ran: expected 1000, got 990");
}

TEST(proof, posted_functions_that_run_in_the_wrong_order_fail_the_trial) {
    constexpr auto reason = "number of posted functions that ran out of order: expected 0, got 1000";
    EXPECT_EQ(reason_of_failure<reordering_runtime>(post_chain, 2500), reason);
    EXPECT_EQ(reason_of_failure<reordering_runtime>(post_batch, 2500), reason);
}

TEST(proof, posted_functions_that_run_twice_fail_the_trial) {
    constexpr auto reason = "number of functions that ran: expected 2501, got ";
    EXPECT_SAYS(reason_of_failure<stuttering_runtime>(post_chain, 2501), reason);
    EXPECT_SAYS(reason_of_failure<stuttering_runtime>(post_batch, 2501),
                "number of functions that ran: expected 3000, got ");
    constexpr std::uint64_t timed = 2501 - warm_up_posts(1);
    EXPECT_SAYS(reason_of_failure<stuttering_runtime>(post_cross_thread<breakable_runtime, 1>, timed),
                reason);
    EXPECT_NE(reason_of_failure<stuttering_runtime>(post_cross_thread<breakable_runtime, 1>, timed - 1), "");
}

TEST(proof, a_spawned_task_that_starts_inside_spawn_fails_the_trial) {
    EXPECT_EQ(reason_of_failure<inline_spawn_runtime>(workloads::spawn, 2500),
              "number of spawned coroutines that ran inside spawn(): expected 0, got 4000");
}

TEST(proof, the_trial_fails_if_a_spawned_task_never_runs) {
    EXPECT_EQ(reason_of_failure<dropping_spawn_runtime>(workloads::spawn, 2500),
              "number of spawned coroutines that ran: expected 3000, got 2970");
}

TEST(proof, the_trial_fails_if_a_yield_does_not_let_other_tasks_run) {
    constexpr auto reason = "number of steps that the same coroutine took twice in a row: expected 0, got ";
    EXPECT_SAYS(reason_of_failure<greedy_runtime>(workloads::yield, 100), reason);
    EXPECT_SAYS(reason_of_failure<half_greedy_runtime>(workloads::yield, 100), reason);
    EXPECT_EQ(reason_of_failure<skipping_runtime>(workloads::yield, 100),
              "number of steps of two coroutines that yield to each other: expected 2000, got 1000");
}

}  // namespace
}  // namespace loopbench::bench
