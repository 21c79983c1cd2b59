// Tests that every workload succeeds and passes the check of its work on runtimes without a fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/workloads/all_workloads.hpp"
#include "loop/coro/event.hpp"
#include "loop/designs.hpp"
#include "loop/net/pipe.hpp"
#include "loop/net/stream.hpp"
#include "tests/support/says.hpp"
#include "tests/workloads/breakable_runtime.hpp"
#include "tests/workloads/reason_of_failure.hpp"

namespace loopbench::bench {
namespace {

std::unique_ptr<breakable_runtime> make(breakable_runtime*) {
    return std::make_unique<breakable_runtime>();
}
std::unique_ptr<loop::event_loop> make(loop::event_loop*) {
    return loop::make_loop("loop-epoll");
}

template <Runtime R>
class every_workload : public testing::Test {
protected:
    static std::string reason_of_failure(const workload<R>& tried, std::uint64_t operations) {
        return bench::reason_of_failure(tried.run, operations, make(static_cast<R*>(nullptr)));
    }
};
// All workloads succeed on breakable_runtime. If a workload fails in proof_test.cpp, the planted fault is
// therefore the cause.
using runtimes = testing::Types<breakable_runtime, loop::event_loop>;
TYPED_TEST_SUITE(every_workload, runtimes);

/// Returns true for all workloads. A build with only the threaded tests is for ThreadSanitizer, so it returns
/// true for workloads with a second thread: `serve` reads the output of its generator in one.
bool is_tested(const workload_shape& shape) {
    return !LOOPBENCH_ONLY_THREADED_TESTS || shape.needed.has(need::other_threads) ||
           shape.name.starts_with("serve/");
}

TYPED_TEST(every_workload, every_workload_passes_the_check_of_its_work_on_a_working_runtime) {
    for (const auto& each : workload_list<TypeParam>()) {
        ASSERT_NE(each.run, nullptr) << each.name;
        const workload_shape& shape = *find_shape(each.name);
        if (!is_tested(shape)) continue;
        const std::uint64_t operations =
            shape.calibrated() ? 2500 : std::min<std::uint64_t>(shape.operations(workload_size::small), 2000);
        EXPECT_EQ(this->reason_of_failure(each, operations), "") << each.name;
    }
}

TYPED_TEST(every_workload, a_workload_with_a_calibrated_size_accepts_any_number_of_operations) {
    for (const auto& each : workload_list<TypeParam>()) {
        const workload_shape& shape = *find_shape(each.name);
        if (!shape.calibrated() || !is_tested(shape)) continue;
        for (const std::uint64_t operations : {1u, 2u, 999u, 2'001u})
            EXPECT_EQ(this->reason_of_failure(each, operations), "") << each.name << ", " << operations;
    }
}

TEST(workload_list, the_list_of_workloads_matches_the_catalog_in_the_same_order) {
    const auto catalog = workload_catalog();
    auto described = catalog.begin();
    const auto describes = [](const workload_info& info, std::string_view name) {
        return name == info.name || name.starts_with(std::string(info.name) + "/");
    };
    for (const auto& each : workload_list<breakable_runtime>()) {
        ASSERT_NE(described, catalog.end()) << each.name;
        if (!describes(*described, each.name)) ++described;
        ASSERT_NE(described, catalog.end()) << each.name;
        EXPECT_TRUE(describes(*described, each.name)) << each.name << " is not " << described->name;
    }
    // The workloads for several threads follow; see threads_test.cpp.
    for (++described; described != catalog.end(); ++described)
        EXPECT_TRUE(described->name.starts_with("threads/")) << described->name;
}

TEST(catalog, every_workload_is_described_completely) {
    for (const auto& info : workload_catalog())
        for (const std::string_view text : {info.summary, info.timed, info.dominated})
            EXPECT_GT(text.size(), 10u) << info.name;
}

TEST(catalog, the_catalog_finds_a_workload_by_its_full_name) {
    EXPECT_EQ(find_workload("echo/rtt/tcp/conns:1/bytes:64")->name, "echo/rtt/tcp");
    EXPECT_EQ(find_workload("yield")->name, "yield");
    EXPECT_EQ(find_workload("yielding"), nullptr);
}

TEST(catalog, nine_workloads_of_the_catalog_are_measured_by_default) {
    const auto list = workload_list<breakable_runtime>();
    EXPECT_EQ(std::ranges::count_if(list, [](const auto& each) { return is_headline_workload(each.name); }),
              9);
    EXPECT_TRUE(is_headline_workload("a/third_party/workload"));
}

using namespace workloads;

TEST(echo, messages_differ_between_connections_and_between_round_trips) {
    const workloads::detail::echo_messages messages(1024);
    const auto same = [&](auto a, auto b) {
        return std::ranges::equal(messages.message(a[0], a[1]), messages.message(b[0], b[1]));
    };
    using numbers = std::array<std::uint64_t, 2>;
    EXPECT_TRUE(same(numbers{3, 4}, numbers{3, 4}));
    EXPECT_FALSE(same(numbers{3, 4}, numbers{3, 5}));
    EXPECT_FALSE(same(numbers{3, 4}, numbers{4, 4}));
    EXPECT_FALSE(same(numbers{3, 4}, numbers{4, 3}));
}

/// A runtime that does a part of the work of each cancellation in a later turn, as Asio does.
struct late_paying_runtime : breakable_runtime {
    void cancel(asio_ref::call_handle& call) override {
        breakable_runtime::cancel(call);
        ++cancelled;
        post([this] { ++paid; });
    }
    std::uint64_t cancelled = 0;
    std::uint64_t paid = 0;
};

TEST(timer_churn, the_first_batch_is_not_timed_and_the_trial_waits_for_the_work_of_every_cancellation) {
    trial t(workload_size::small, 300);
    late_paying_runtime runtime;
    runtime.run(workloads::timer_churn<breakable_runtime, 100>(runtime, t));
    EXPECT_EQ(t.failure(), std::nullopt);
    EXPECT_EQ(t.operations_done(), 300u);
    EXPECT_EQ(runtime.cancelled, 400u);
    EXPECT_EQ(runtime.paid, 400u);
}

TEST(same_bytes, same_bytes_returns_true_only_for_equal_bytes_of_equal_length) {
    std::vector<std::byte> one(100);
    std::vector<std::byte> other(100);
    EXPECT_TRUE(workloads::same_bytes(one, other));
    EXPECT_TRUE(workloads::same_bytes({}, {}));
    EXPECT_FALSE(workloads::same_bytes(one, std::span(other).first(99)));
    EXPECT_FALSE(workloads::same_bytes(std::span(one).first(99), other));
    for (std::byte& each : other) {
        each = std::byte{1};
        EXPECT_FALSE(workloads::same_bytes(one, other));
        each = std::byte{0};
    }
}

TEST(echo, the_reported_fairness_is_jains_index) {
    using shares = std::vector<std::uint64_t>;
    using workloads::detail::jain_index;
    EXPECT_DOUBLE_EQ(jain_index(shares{5, 5, 5, 5}), 1);
    EXPECT_DOUBLE_EQ(jain_index(shares{8, 0, 8, 0}), 0.5);
    EXPECT_DOUBLE_EQ(jain_index(shares{9, 0, 0}), 1.0 / 3);
    EXPECT_DOUBLE_EQ(jain_index(shares{1, 2, 3}), 36.0 / (3 * 14));
    EXPECT_DOUBLE_EQ(jain_index(shares{0, 0}), 1);
}

template <Runtime R>
usage cost_of_sleeping(std::unique_ptr<R> runtime) {
    trial t(workload_size::small, 100);
    runtime->run(timer_ladder<R, 5000>(*runtime, t));
    runtime.reset();
    EXPECT_EQ(t.failure(), std::nullopt);
    return t.cost();
}

double spin_of(const usage& cost) {
    return std::chrono::duration<double>(cost.cpu) / std::chrono::duration<double>(cost.wall);
}

// The CPU time of a polling loop depends on other processes, so the strict bounds apply to voluntary context
// switches. A polling loop makes none. A sleeping loop makes one for every sleep, except for the few
// deadlines that pass while its thread is preempted.
TEST(spin, the_spin_metric_distinguishes_a_polling_loop_from_loops_that_sleep) {
    const usage polling = cost_of_sleeping(loop::make_loop("loop-round-robin"));
    for (const usage& sleeping :
         {cost_of_sleeping(loop::make_loop("loop-epoll")), cost_of_sleeping(loop::make_loop("loop-layered")),
          cost_of_sleeping(std::make_unique<asio_ref::runtime>())}) {
        EXPECT_GE(sleeping.voluntary_switches, 50);
        // The bound is not 0, because the code of a sanitizer waits, which gives the polling loop a few
        // switches.
        EXPECT_LT(2 * polling.voluntary_switches, sleeping.voluntary_switches);
        EXPECT_LT(spin_of(sleeping), 0.1);
        EXPECT_GT(spin_of(polling), spin_of(sleeping));
    }
}

TEST(spin, a_loop_that_sleeps_for_fixed_ticks_spins_little_and_fires_timers_late) {
    trial t(workload_size::small, 4);
    {
        const auto runtime = loop::make_loop("loop-tick");
        runtime->run(timer_ladder<loop::event_loop, 5000>(*runtime, t));
    }
    EXPECT_EQ(t.failure(), std::nullopt);
    EXPECT_LT(t.cost().cpu * 20, t.cost().wall);
    EXPECT_GT(t.lateness().percentile_ns(50), 50'000'000);  // ticks are 100 ms apart
}

void run_where_the_kernel_says(int error, trial& t) {
    on_fresh_runtime<loop::event_loop>(workloads::yield, [error]() -> std::unique_ptr<loop::event_loop> {
        throw std::system_error(error, std::system_category(), "io_uring_setup");
    })(t);
}

TEST(contender_workload, a_workload_is_unsupported_if_the_kernel_refuses_a_feature_that_the_runtime_needs) {
    trial t(workload_size::small, 1);
    run_where_the_kernel_says(ENOSYS, t);
    EXPECT_SAYS(t.unsupported().value_or(""), "io_uring_setup");
}

TEST(contender_workload, a_workload_fails_if_the_runtime_cannot_be_created_for_another_reason) {
    trial t(workload_size::small, 1);
    EXPECT_THROW(run_where_the_kernel_says(EMFILE, t), std::system_error);
}

}  // namespace
}  // namespace loopbench::bench
