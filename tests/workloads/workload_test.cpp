// Every workload proves its work on a runtime that does it, and says so when a runtime does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "bench/catalog.hpp"
#include "bench/contenders/contender_main.hpp"
#include "bench/workloads/list.hpp"
#include "loop/designs.hpp"
#include "tests/workloads/broken_runtimes.hpp"

namespace loopbench::bench {
namespace {

/// The reason why a workload failed on this runtime, or "" when its work is proved.
template <Runtime R>
std::string reason_of_failure(task_of<R> (*workload)(R&, trial&), std::uint64_t operations) {
    trial t(trial_size::smoke, operations);
    {
        R runtime;
        runtime.run(workload(runtime, t));
    }
    return t.failure().value_or("");
}

template <class R>
class every_workload : public testing::Test {};
using runtimes = testing::Types<asio_ref::runtime, loop::epoll_runtime>;
TYPED_TEST_SUITE(every_workload, runtimes);

TYPED_TEST(every_workload, proves_its_work) {
    for (const auto& each : workload_list<TypeParam>()) {
        const std::uint64_t operations =
            each.calibrated() ? 2500 : std::min<std::uint64_t>(each.operations(trial_size::smoke), 2000);
        EXPECT_EQ(reason_of_failure<TypeParam>(each.run, operations), "") << each.name;
    }
}

TYPED_TEST(every_workload, that_is_calibrated_takes_any_number_of_operations) {
    for (const auto& each : workload_list<TypeParam>()) {
        if (!each.calibrated()) continue;
        for (const std::uint64_t operations : {1u, 2u, 999u, 10'001u})
            EXPECT_EQ(reason_of_failure<TypeParam>(each.run, operations), "")
                << each.name << ", " << operations;
    }
}

TEST(workload_list, has_each_workload_of_the_catalog_in_its_order_and_no_other) {
    const auto catalog = workload_catalog();
    auto described = catalog.begin();
    const auto describes = [](const workload_info& info, std::string_view name) {
        return name == info.name || name.starts_with(std::string(info.name) + "/");
    };
    for (const auto& each : workload_list<asio_ref::runtime>()) {
        ASSERT_NE(described, catalog.end()) << each.name;
        if (!describes(*described, each.name)) ++described;
        ASSERT_NE(described, catalog.end()) << each.name;
        EXPECT_TRUE(describes(*described, each.name)) << each.name << " is not " << described->name;
    }
    EXPECT_EQ(std::next(described), catalog.end());
}

TEST(echo, patterns_differ_by_connection_and_by_round_trip) {
    using workloads::detail::echo_pattern;
    EXPECT_EQ(echo_pattern(3, 4), echo_pattern(3, 4));
    EXPECT_NE(echo_pattern(3, 4), echo_pattern(3, 5));
    EXPECT_NE(echo_pattern(3, 4), echo_pattern(4, 4));
    EXPECT_NE(echo_pattern(3, 4), echo_pattern(4, 3));
}

// Only what a test needs of a broken runtime is compiled, hence the functions and not the list.
using namespace workloads;

testing::AssertionResult has(const std::string& reason, std::string_view part) {
    if (reason.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "\"" << reason << "\" does not say \"" << part << "\"";
}

TEST(proof, fails_when_a_reply_has_a_wrong_bit) {
    constexpr auto reason = "replies that are not the bytes sent: expected 0, got ";
    EXPECT_TRUE(has(reason_of_failure(echo_rtt_tcp<corrupting_runtime, 1>, 100), reason));
    EXPECT_TRUE(has(reason_of_failure(echo_rtt_tcp<corrupting_runtime, 100>, 2000), reason));
}

TEST(proof, fails_when_a_connection_is_lost) {
    EXPECT_TRUE(
        has(reason_of_failure(echo_rtt_tcp<dropping_runtime, 1>, 100), "a client's connection failed: "));
}

TEST(proof, fails_when_timers_fire_a_microsecond_early) {
    EXPECT_TRUE(has(reason_of_failure(timer_periodic<early_runtime<1>>, 100), "fired early"));
}

// Further ahead, because few timers are seen and a preempted thread can be late again.
TEST(proof, fails_when_any_sleep_ends_early) {
    using runtime = early_runtime<20'000>;
    EXPECT_TRUE(has(reason_of_failure(sleep_serial<runtime>, 1), "2 of 2 timers fired early"));
    EXPECT_TRUE(has(reason_of_failure(sleep_concurrent<runtime>, 1), "fired early"));
    EXPECT_TRUE(has(reason_of_failure(idle_timer<runtime>, 1), "fired early"));
}

TEST(proof, fails_when_a_sleep_does_not_sleep) {
    EXPECT_NE(reason_of_failure(sleep_serial<sleepless_runtime>, 1), "");
    EXPECT_NE(reason_of_failure(sleep_concurrent<sleepless_runtime>, 1), "");
    EXPECT_NE(reason_of_failure(timer_periodic<sleepless_runtime>, 10), "");
    EXPECT_NE(reason_of_failure(idle_timer<sleepless_runtime>, 1), "");
    EXPECT_NE(reason_of_failure(gather_sleep<sleepless_runtime>, 1), "");
}

TEST(proof, fails_when_a_gather_skips_a_child) {
    EXPECT_EQ(reason_of_failure(gather_yield<skipping_runtime>, 2500),
              "children that ended: expected 3000, got 2997");
    EXPECT_EQ(reason_of_failure(gather_sleep<skipping_runtime>, 2),
              "children that woke: expected 2000, got 1998");
    EXPECT_EQ(reason_of_failure(sleep_concurrent<skipping_runtime>, 1),
              "sleeps that ended: expected 2, got 1");
}

TEST(proof, fails_when_a_gather_does_not_join) {
    EXPECT_NE(reason_of_failure(gather_yield<hasty_runtime>, 2500), "");
    EXPECT_NE(reason_of_failure(gather_sleep<hasty_runtime>, 2), "");
    EXPECT_NE(reason_of_failure(sleep_concurrent<hasty_runtime>, 1), "");
}

TEST(proof, fails_when_a_posted_function_is_lost) {
    EXPECT_EQ(reason_of_failure(post_chain<losing_runtime>, 2500),
              "functions that ran, of those posted before a yield: expected 1000, got 990");
}

TEST(proof, fails_when_a_spawned_task_is_lost) {
    EXPECT_EQ(reason_of_failure(workloads::spawn<dropping_spawn_runtime>, 2500),
              "spawned coroutines that ran: expected 2500, got 2475");
}

TEST(proof, fails_when_a_yield_does_not_let_others_run) {
    EXPECT_NE(reason_of_failure(workloads::yield<greedy_runtime>, 100), "");
}

template <Runtime R>
void run_bound(trial& t) {
    with_runtime(workload<R>{{"yield"}, workloads::yield<R>}).run(t);
}

TEST(contender_workload, is_unsupported_where_the_kernel_refuses_the_runtime) {
    trial t(trial_size::smoke, 1);
    run_bound<refused_runtime<ENOSYS>>(t);
    EXPECT_TRUE(has(t.unsupported().value_or(""), "io_uring_setup"));
}

TEST(contender_workload, fails_when_the_runtime_cannot_be_made_for_another_reason) {
    trial t(trial_size::smoke, 1);
    EXPECT_THROW(run_bound<refused_runtime<EMFILE>>(t), std::system_error);
}

}  // namespace
}  // namespace loopbench::bench
