// Tests every floor on each of the suite's workloads.
#include "bench/suite/floors/floors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/suite/floors/workloads.hpp"
#include "tests/support/says.hpp"
#include "tests/support/suite_of_slices.hpp"

namespace loopbench::bench::floors {
namespace {

std::array<floor, 4> kernels_floors() {
    return {blocking_floor(), epoll_floor(), sleep_floor(), uring_floor()};
}

std::array<floor, 5> all_floors() {
    return {blocking_floor(), coroutine_floor(), epoll_floor(), sleep_floor(), uring_floor()};
}

bool moves_no_bytes(const floor& f) {
    return f.name == "floor-coroutine" || f.name == "floor-sleep";
}

const contender_workload& workload_named(const std::vector<contender_workload>& list, std::string_view name) {
    const auto found = std::ranges::find(list, name, [](const auto& each) { return each.shape.name; });
    if (found == list.end()) throw std::logic_error("no such workload");
    return *found;
}

std::string outcome_of(const contender_workload& workload, trial& t) {
    workload.run(t);
    if (t.unsupported()) return "unsupported: " + *t.unsupported();
    return t.failure().value_or("");
}

std::string outcome_of(const contender_workload& workload) {
    constexpr std::uint64_t when_calibrated = 1;
    const auto& shape = workload.shape;
    trial t(workload_size::small,
            shape.calibrated() ? when_calibrated : shape.operations(workload_size::small));
    return outcome_of(workload, t);
}

bool has_uring() {
    try {
        make_uring_sleeper();
    } catch (const std::system_error& error) {
        return !kernel_refuses(error.code());
    }
    return true;
}

TEST(floors, each_floor_lists_every_workload_for_one_thread_in_the_order_of_the_suite) {
    std::vector<workload_shape> suite;
    for (const workload_shape& each : workload_table())
        if (each.threads == 0) suite.push_back(each);
    for (const floor& f : all_floors()) {
        ASSERT_EQ(f.workloads.size(), suite.size()) << f.name;
        for (std::size_t i = 0; i < suite.size(); ++i) {
            EXPECT_EQ(f.workloads[i].shape.name, suite[i].name) << f.name;
            EXPECT_EQ(f.workloads[i].shape.full_operations, suite[i].full_operations) << f.name;
        }
    }
}

std::vector<std::string_view> names_of(std::string_view front) {
    std::vector<std::string_view> names;
    for (const auto& each : workload_table())
        if (each.name.starts_with(front)) names.push_back(each.name);
    return names;
}

TEST(floors, echo_floors_pass_the_check_of_their_work_at_the_small_size) {
    const auto names = names_of("echo/rtt/");
    ASSERT_EQ(names.size(), 12u);
    for (const floor& f : kernels_floors()) {
        if (f.name == "floor-sleep" || (f.name == "floor-uring" && !has_uring())) continue;
        for (const std::string_view name : names) {
            const contender_workload& workload = workload_named(f.workloads, name);
            trial t(workload_size::small, workload.shape.small_operations);
            EXPECT_EQ(outcome_of(workload, t), "") << f.name << " " << name;
            EXPECT_EQ(t.latency().count(), workload.shape.small_operations) << f.name << " " << name;
        }
    }
}

TEST(floors, stream_and_wakeup_floors_pass_the_check_of_their_work_at_the_small_size) {
    for (const floor& f : kernels_floors()) {
        if (f.name == "floor-sleep" || (f.name == "floor-uring" && !has_uring())) continue;
        for (const char* name :
             {"pipe/read/bytes:4096", "stream/throughput/bytes:65536", "post/cross_thread/cores:1"}) {
            trial t(workload_size::small, 100);
            EXPECT_EQ(outcome_of(workload_named(f.workloads, name), t), "") << f.name << " " << name;
        }
    }
}

TEST(floors, timer_floors_pass_the_check_of_their_work_at_the_small_size) {
    std::vector<std::string_view> names{"timer/periodic", "idle/timer", "gather/sleep/children:1000"};
    for (const char* family : {"sleep/", "timer/ladder/"})
        std::ranges::copy(names_of(family), std::back_inserter(names));
    ASSERT_EQ(names.size(), 14u);
    for (const floor& f : kernels_floors()) {
        if (f.name == "floor-blocking" || (f.name == "floor-uring" && !has_uring())) continue;
        for (const std::string_view name : names)
            EXPECT_EQ(outcome_of(workload_named(f.workloads, name)), "") << f.name << " " << name;
    }
}

// Without an early end, the requested number of operations would take a day.
TEST(floors, interleaved_floors_stop_after_the_last_slice_and_pass_the_check_of_their_work) {
    for (const floor& f : kernels_floors()) {
        if (f.name == "floor-sleep" || (f.name == "floor-uring" && !has_uring())) continue;
        for (const char* name : {"echo/rtt/tcp/conns:1/bytes:64", "echo/rtt/tcp/conns:100/bytes:64",
                                 "pipe/read/bytes:4096", "stream/throughput/bytes:65536"}) {
            tests::suite_of_slices says("tte");
            constexpr std::uint64_t very_many = 10'000'000'000;
            trial t(workload_size::small, very_many, true, 0, says.settings());
            EXPECT_EQ(outcome_of(workload_named(f.workloads, name), t), "") << f.name << " " << name;
            EXPECT_LT(t.operations_done(), very_many) << f.name << " " << name;
        }
    }
}

TEST(floors, the_coroutine_floor_runs_the_workloads_that_need_only_a_scheduler) {
    const floor f = coroutine_floor();
    for (const contender_workload& each : f.workloads) {
        trial t(workload_size::small, 20'000);
        if (each.shape.needed.has(need::scheduler))
            EXPECT_EQ(outcome_of(each, t), "") << each.shape.name;
        else
            EXPECT_TRUE(outcome_of(each, t).starts_with("unsupported: ")) << each.shape.name;
    }
}

TEST(floors, a_floor_gives_a_reason_for_each_workload_that_it_cannot_run) {
    for (const floor& f : kernels_floors()) {
        for (const contender_workload& each : f.workloads) {
            if (!each.shape.needed.has(need::scheduler)) continue;
            EXPECT_SAYS(outcome_of(each), "use floor-coroutine") << f.name << " " << each.shape.name;
        }
        for (const std::string_view family : {"timer/churn", "timer/expire"})
            for (const std::string_view name : names_of(family))
                EXPECT_SAYS(outcome_of(workload_named(f.workloads, name)), "timer queue")
                    << f.name << " " << name;
    }
    for (const char* name : {"echo/rtt/tcp/conns:1/bytes:64", "pipe/read/bytes:4096"})
        EXPECT_SAYS(outcome_of(workload_named(sleep_floor().workloads, name)), "data; use floor-blocking");
    EXPECT_SAYS(outcome_of(workload_named(coroutine_floor().workloads, "sleep/serial")), "use floor-epoll");
    EXPECT_SAYS(outcome_of(workload_named(sleep_floor().workloads, "post/cross_thread/cores:1")),
                "clock_nanosleep; use floor-blocking");
    EXPECT_SAYS(outcome_of(workload_named(blocking_floor().workloads, "timer/periodic")), "use floor-sleep");
}

TEST(floors, a_workload_that_the_floor_does_not_implement_gives_this_as_the_reason) {
    EXPECT_SAYS(outcome_of(workload_named(all_workloads({}, {}), "mixed/server")), "does not implement");
}

TEST(floors, a_workload_of_a_floor_is_unsupported_if_the_kernel_refuses_a_needed_feature) {
    const std::array can{floor_workload{"sleep/serial", [](trial&) {
                                            throw std::system_error(EPERM, std::generic_category(),
                                                                    "io_uring refused");
                                        }}};
    EXPECT_EQ(outcome_of(workload_named(all_workloads(can, {}), "sleep/serial")),
              "unsupported: io_uring refused: Operation not permitted");
}

TEST(floors, a_floor_that_cannot_open_a_socket_is_reported_as_failed_and_not_as_unsupported) {
    const std::array can{floor_workload{
        "sleep/serial", [](trial&) { throw std::system_error(EMFILE, std::generic_category(), "socket"); }}};
    EXPECT_THROW(outcome_of(workload_named(all_workloads(can, {}), "sleep/serial")), std::system_error);
}

TEST(floors, a_floor_for_a_workload_that_the_suite_does_not_have_is_rejected) {
    const std::array can{floor_workload{"sleep/cereal", [](trial&) {}}};
    EXPECT_THROW(all_workloads(can, {}), std::logic_error);
}

TEST(floors, floors_and_other_contenders_report_the_same_buffers) {
    for (const floor& f : all_floors())
        EXPECT_EQ(buffers_of(f),
                  moves_no_bytes(f) ? "none: this floor makes no connections" : workload_buffers())
            << f.name;
}

TEST(floors, the_context_that_a_floor_prints_contains_the_role_floor) {
    ::setenv("LOOPBENCH_DESCRIBE", "1", 1);
    testing::internal::CaptureStdout();
    std::string name = "floor-sleep";
    std::array<char*, 2> argv{name.data(), nullptr};
    const int code = floor_main(1, argv.data(), sleep_floor());
    const std::string context = testing::internal::GetCapturedStdout();
    ::unsetenv("LOOPBENCH_DESCRIBE");
    EXPECT_EQ(code, 0);
    EXPECT_NE(context.find("\"role\": \"floor\""), std::string::npos) << context;
}

TEST(floors, floors_report_the_options_of_their_own_sockets) {
    for (const floor& f : all_floors()) {
        const std::string options = f.socket_options();
        if (moves_no_bytes(f)) {
            EXPECT_TRUE(options.starts_with("none: ")) << options;
        } else {
            EXPECT_TRUE(options.starts_with("client TCP_NODELAY=1 ")) << f.name << ": " << options;
            EXPECT_NE(options.find("; server TCP_NODELAY=1 "), std::string::npos)
                << f.name << ": " << options;
        }
    }
}

}  // namespace
}  // namespace loopbench::bench::floors
