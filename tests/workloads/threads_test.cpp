// Tests that the workloads threads/... succeed on every kind of runtime, also with more threads than cores,
// and that their checks and metrics expose planted faults.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/catalog/workload_table.hpp"
#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/contenders/threads_main.hpp"
#include "bench/suite/floors/queue_runtimes.hpp"
#include "bench/suite/threads/asio_each.hpp"
#include "bench/suite/threads/asio_shared.hpp"
#include "bench/suite/threads/loop_each.hpp"
#include "bench/suite/workloads/all_workloads.hpp"
#include "tests/support/says.hpp"

namespace loopbench::bench {
namespace {

using namespace workloads;
using asio_shared = asio_shared_runtime<asio_ref::executor>;
using asio_strands = asio_shared_runtime<asio_strand>;
using asio_each = asio_each_runtime<asio_ref::runtime>;

template <class R>
std::unique_ptr<R> make(const thread_plan& plan) {
    if constexpr (std::derived_from<R, loop_each_runtime>) {
        return std::make_unique<R>(plan, dealing::hand_over, "loop-epoll");
    } else if constexpr (std::same_as<R, asio_each>) {
        return std::make_unique<R>(plan, dealing::reuse_port,
                                   [] { return std::make_unique<asio_ref::runtime>(); });
    } else {
        return std::make_unique<R>(plan);
    }
}

template <ThreadedRuntime R>
void run_on(void (*workload)(R&, trial&), std::size_t threads, trial& t) {
    const auto runtime = make<R>({.threads = threads});
    workload(*runtime, t);
}

template <ThreadedRuntime R>
std::string reason_of_failure(void (*workload)(R&, trial&), std::size_t threads, std::uint64_t operations) {
    trial t(workload_size::small, operations);
    run_on(workload, threads, t);
    return t.failure().value_or("");
}

template <ThreadedRuntime R>
std::map<std::string, double> metrics_of(void (*workload)(R&, trial&), std::size_t threads,
                                         std::uint64_t operations) {
    trial t(workload_size::small, operations);
    run_on(workload, threads, t);
    EXPECT_EQ(t.failure().value_or(""), "");
    return {t.reported().begin(), t.reported().end()};
}

/// Returns the workloads that R has all the features for.
template <ThreadedRuntime R>
std::vector<threaded_workload<R>> workloads_of() {
    auto all = threaded_workload_list<R>();
    std::erase_if(all, [](const auto& each) { return each.run == nullptr && !each.lacks.empty(); });
    return all;
}

template <class R>
class threads_workloads : public testing::Test {
protected:
    threads_workloads() { raise_open_files_limit(2'500); }
};
using all_kinds = testing::Types<asio_shared, asio_strands, asio_each, loop_each_runtime,
                                 floors::mutex_queue_runtime, floors::stealing_queue_runtime>;
TYPED_TEST_SUITE(threads_workloads, all_kinds);

TYPED_TEST(threads_workloads, every_workload_passes_the_check_of_its_work_with_any_number_of_threads) {
    for (const auto& each : workloads_of<TypeParam>()) {
        ASSERT_NE(each.run, nullptr) << each.front;
        for (const std::size_t threads : {1U, 4U, 8U, 32U}) {
            if (each.front == "threads/echo/conns:1000" && threads != 4) continue;
            if (each.front == "threads/serve/rate:20000") continue;  // has its own test
            EXPECT_EQ(reason_of_failure(each.run, threads, each.front == "threads/idle" ? 1 : 1000), "")
                << each.front << ", " << threads;
        }
    }
}

TYPED_TEST(threads_workloads, a_workload_with_a_calibrated_size_accepts_any_number_of_operations) {
    for (const auto& each : workloads_of<TypeParam>()) {
        const auto name = std::string(each.front) + "/threads:2";
        ASSERT_NE(find_shape(name), nullptr) << name;
        if (!find_shape(name)->calibrated()) continue;
        for (const std::uint64_t operations : {1U, 63U, 2001U})
            EXPECT_EQ(reason_of_failure(each.run, 2, operations), "") << name << ", " << operations;
    }
}

TYPED_TEST(threads_workloads, latencies_are_recorded_for_each_operation_of_the_timed_section) {
    for (const auto& each : workloads_of<TypeParam>()) {
        const workload_shape& shape = *find_shape(std::string(each.front) + "/threads:2");
        if (shape.in_flight == 0 || shape.paced != pace::its_own || each.front.ends_with(":1000")) continue;
        trial t(workload_size::small, 640);
        run_on(each.run, 2, t);
        EXPECT_EQ(t.latency().count(), t.operations_done()) << each.front;
    }
}

TYPED_TEST(threads_workloads, a_server_with_a_client_in_another_process_is_measured_or_invalid) {
    if constexpr (ThreadedSockets<TypeParam>) {
        if (usable_cores().size() < 2) GTEST_SKIP() << "the client needs a second core";
        ::setenv("LOOPBENCH_GENERATOR", LOOPBENCH_TEST_GENERATOR, 1);
        std::optional<std::string> refused;
        // On a busy machine, the client can be too late, or the server cannot sustain the rate.
        for (int attempt = 0; attempt < 5 && (attempt == 0 || refused); ++attempt) {
            trial t(workload_size::small, 2000);
            run_on(threads_serve<TypeParam>, 1, t);
            refused = t.unsupported();
            if (refused) continue;
            EXPECT_EQ(t.failure().value_or(""), "");
            EXPECT_GT(t.latency().count(), 0U);
        }
        ::unsetenv("LOOPBENCH_GENERATOR");
        if (refused) GTEST_SKIP() << *refused;
    }
}

TEST(threads_list, the_list_of_workloads_matches_the_catalog) {
    std::vector<std::string_view> fronts;
    for (const auto& each : threaded_workload_list<loop_each_runtime>()) fronts.push_back(each.front);
    std::vector<std::string_view> in_table;
    for (const workload_shape& shape : workload_table()) {
        if (shape.threads == 0) continue;
        if (in_table.empty() || in_table.back() != shape.front) in_table.push_back(shape.front);
        EXPECT_EQ(shape.name, std::string(shape.front) + "/threads:" + std::to_string(shape.threads));
        EXPECT_NE(find_workload(shape.name), nullptr) << shape.name;
    }
    EXPECT_EQ(fronts, in_table);
}

TEST(threads_plan, more_threads_than_cores_are_unsupported_unless_they_are_allowed_to_share_cores) {
    const std::size_t cores = usable_cores().size();
    ::unsetenv("LOOPBENCH_OVERSUBSCRIBE");
    trial refused(workload_size::small, 1);
    EXPECT_FALSE(plan_of_trial(cores + 1, refused));
    EXPECT_SAYS(refused.unsupported().value_or(""), "LOOPBENCH_OVERSUBSCRIBE=1");
    trial fits(workload_size::small, 1);
    EXPECT_EQ(plan_of_trial(cores, fits)->cores.size(), cores);
    EXPECT_TRUE(fits.reported().empty());
    EXPECT_EQ(fits.cores().threads, usable_cores());
    ::setenv("LOOPBENCH_OVERSUBSCRIBE", "1", 1);
    trial shares(workload_size::small, 1);
    EXPECT_TRUE(plan_of_trial(3 * cores, shares));
    ::unsetenv("LOOPBENCH_OVERSUBSCRIBE");
    ASSERT_EQ(shares.reported().size(), 1U);
    EXPECT_EQ(shares.reported().front(), (std::pair<std::string, double>("threads_per_core", 3)));
    EXPECT_FALSE(shares.unsupported());
    EXPECT_EQ(shares.cores().threads, usable_cores());
    trial one(workload_size::small, 1);
    EXPECT_TRUE(plan_of_trial(1, one));
    EXPECT_EQ(one.cores().threads, std::vector{usable_cores().front()});
}

TEST(threads_plan, a_contender_states_the_cores_of_its_threads_in_the_label) {
    ::setenv("LOOPBENCH_OPERATIONS", "10", 1);
    std::array<std::string, 3> words{"contender", "--benchmark_filter=spawn", "--benchmark_format=json"};
    std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};
    testing::internal::CaptureStdout();
    const int code = run_contender(3, argv.data(),
                                   {.name = "contender", .library = {}, .library_version = {}, .driver = {}},
                                   {{*find_shape("threads/spawn/leaves:1024/threads:1"),
                                     on_fresh_threads<loop_each_runtime>(threads_spawn<loop_each_runtime>, 1,
                                                                         make<loop_each_runtime>)}});
    const std::string output = testing::internal::GetCapturedStdout();
    ::unsetenv("LOOPBENCH_OPERATIONS");
    EXPECT_EQ(code, 0);
    EXPECT_SAYS(output, "\"label\": \"threads=" + std::to_string(usable_cores().front()) + "\"");
    EXPECT_SAYS(output, "\"thread_wait\": ");
}

TEST(threads_plan, each_thread_runs_on_its_core_and_the_calling_thread_keeps_its_cores) {
    const std::vector<int> cores = usable_cores();
    std::vector<std::vector<int>> found(3);
    std::vector<std::size_t> index(3);
    thread_crew crew({.threads = 3, .cores = cores}, {.work =
                                                          [&](std::size_t i) {
                                                              found[i] = usable_cores();
                                                              index[i] = this_thread_index();
                                                          },
                                                      .end_work = [] {}});
    crew.run();
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i], (std::vector{cores[i % cores.size()]}));
        EXPECT_EQ(index[i], i);
    }
    EXPECT_EQ(usable_cores(), cores);
}

TEST(threads_plan, a_runtime_that_the_kernel_refuses_is_unsupported_and_leaves_no_thread) {
    trial t(workload_size::small, 1);
    on_fresh_threads<loop_each_runtime>(
        threads_ping<loop_each_runtime>, 1,
        [](const thread_plan& plan) -> std::unique_ptr<loop_each_runtime> {
            thread_crew crew(plan, {.prepare =
                                        [](std::size_t) {
                                            throw std::system_error(ENOSYS, std::system_category(),
                                                                    "io_uring_setup");
                                        },
                                    .work = [](std::size_t) {},
                                    .end_work = [] {}});
            return nullptr;
        })(t);
    EXPECT_SAYS(t.unsupported().value_or(""), "io_uring_setup");
}

// The planted faults.

/// A strand that sometimes runs a function inside post(), so that two of its functions overlap.
struct overlapping_runtime : loop_each_runtime {
    using loop_each_runtime::loop_each_runtime;
    struct strand {
        loop_each_runtime::strand whole;
        std::shared_ptr<int> calls = std::make_shared<int>(0);

        template <class F>
        void post(F function) {
            ++*calls % 16 == 0 ? function() : whole.post(std::move(function));
        }
    };
    strand make_strand(std::size_t number) { return {loop_each_runtime::make_strand(number)}; }
};

TEST(threads_proof, a_strand_that_runs_two_functions_at_the_same_time_fails_the_trial) {
    EXPECT_SAYS(reason_of_failure<overlapping_runtime>(threads_strand_even, 1, 5000),
                "number of functions that were counted without a lock: expected ");
}

// ThreadSanitizer, for which these tests are built, would report this planted race.
#if !LOOPBENCH_ONLY_THREADED_TESTS

/// A strand whose next function sometimes begins in another thread before the one that posts it has returned.
struct parallel_runtime : loop_each_runtime {
    using loop_each_runtime::loop_each_runtime;
    struct strand {
        parallel_runtime* runtime;

        template <class F>
        void post(F function) {
            const std::size_t other = (this_thread_index() + 1) % runtime->homes();
            const auto has_begun = std::make_shared<std::atomic<bool>>(false);
            const auto begin = [has_begun, function = std::move(function)]() mutable {
                has_begun->store(true);
                function();
            };
            // One thread waits at a time, so the other one continues.
            const bool waits = !runtime->is_waiting.exchange(true);
            runtime->loop_each_runtime::post(other, begin);
            while (waits && !has_begun->load()) std::this_thread::yield();
            if (waits) runtime->is_waiting.store(false);
        }
    };
    strand make_strand(std::size_t) { return {this}; }
    std::atomic<bool> is_waiting{false};
};

TEST(threads_proof, a_strand_that_runs_two_functions_in_two_threads_fails_the_trial) {
    EXPECT_SAYS(reason_of_failure<parallel_runtime>(threads_strand_even, 2, 20'000),
                "number of functions that were counted without a lock: expected ");
}

#endif

/// Timers that fire at once.
struct hasty_timers_runtime : loop_each_runtime {
    using loop_each_runtime::loop_each_runtime;
    template <class F>
    timer arm(std::size_t home, time_point, F&& function) {
        function();
        return loop_each_runtime::arm(home, std::chrono::steady_clock::now() + std::chrono::hours(1), [] {});
    }
};

TEST(threads_proof, a_cancelled_timer_that_fires_fails_the_trial) {
    EXPECT_SAYS(reason_of_failure<hasty_timers_runtime>(threads_timer, 2, 500),
                "number of cancelled timers that fired: expected 0, got ");
}

/// A global lock around each post, as in a queue that all threads share. The lock is held long enough that
/// the other threads need it meanwhile, even if they share a core.
struct locked_runtime : loop_each_runtime {
    using loop_each_runtime::loop_each_runtime;
    template <class F>
    void post(std::size_t home, F&& function) {
        const std::lock_guard lock(mutex);
        ::sched_yield();
        loop_each_runtime::post(home, std::forward<F>(function));
    }
    std::mutex mutex;
};

TEST(threads_metrics, a_global_lock_around_posts_makes_threads_sleep) {
    const auto free = metrics_of<loop_each_runtime>(threads_post_stay, 4, 20'000);
    const auto locked = metrics_of<locked_runtime>(threads_post_stay, 4, 20'000);
    EXPECT_LT(free.at("switches"), 0.01);
    EXPECT_GT(locked.at("switches"), 2 * free.at("switches") + 0.01);
}

/// The first strand gets only one of many turns.
struct starving_runtime : loop_each_runtime {
    using loop_each_runtime::loop_each_runtime;
    struct strand {
        loop_each_runtime::strand whole;
        int turns;

        template <class F>
        void post(F function) {
            post_later(std::move(function), turns);
        }
        template <class F>
        void post_later(F function, int left) {
            whole.post([*this, function = std::move(function), left]() mutable {
                left == 0 ? function() : post_later(std::move(function), left - 1);
            });
        }
    };
    strand make_strand(std::size_t number) {
        return {loop_each_runtime::make_strand(number), number == 0 ? 50 : 0};
    }
};

TEST(threads_metrics, a_strand_that_starves_has_the_least_share) {
    for (const std::size_t threads : {1U, 4U}) {
        const auto starving = metrics_of<starving_runtime>(threads_strand_even, threads, 20'000);
        EXPECT_LT(starving.at("least_share"), 0.2) << threads;
    }
    // With one thread, the shares do not depend on the kernel.
    EXPECT_GT(metrics_of<loop_each_runtime>(threads_strand_even, 1, 20'000).at("least_share"), 0.9);
}

/// The first loop keeps all connections that it accepts.
struct only_first {
    static loop::listener listen_at(loop::event_loop& here, loop::unique_fd listening) {
        return loop_sockets::listen_at(here, std::move(listening));
    }
};
struct greedy_runtime : each_runtime<loop::event_loop, only_first> {
    explicit greedy_runtime(const thread_plan& plan)
        : each_runtime(plan, dealing::hand_over, [] { return loop::make_loop("loop-epoll"); }) {}
};

TEST(threads_metrics, a_listener_that_gives_all_connections_to_one_thread_is_unfair_to_the_threads) {
    EXPECT_NEAR(metrics_of<greedy_runtime>(threads_accept, 4, 320).at("thread_fairness"), 0.25, 1e-9);
    EXPECT_NEAR(metrics_of<loop_each_runtime>(threads_accept, 4, 320).at("thread_fairness"), 1, 0.05);
}

TEST(threads_metrics, the_least_share_is_that_of_the_slowest_relative_to_the_mean) {
    using shares = std::vector<std::uint64_t>;
    using workloads::detail::least_share;
    EXPECT_DOUBLE_EQ(least_share(shares{5, 5, 5}), 1);
    EXPECT_DOUBLE_EQ(least_share(shares{1, 4, 4}), 1.0 / 3);
    EXPECT_DOUBLE_EQ(least_share(shares{0, 4}), 0);
    EXPECT_DOUBLE_EQ(least_share(shares{0, 0}), 1);
}

}  // namespace
}  // namespace loopbench::bench
