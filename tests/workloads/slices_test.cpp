// Tests the contender's side of the protocol for slices.
#include "bench/suite/workloads/trial/slices.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/suite/workloads/echo.hpp"
#include "bench/suite/workloads/gather.hpp"
#include "bench/suite/workloads/pipe.hpp"
#include "bench/suite/workloads/schedule.hpp"
#include "bench/suite/workloads/stream.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "tests/support/says.hpp"
#include "tests/support/suite_of_slices.hpp"
#include "tests/workloads/breakable_runtime.hpp"

namespace loopbench::bench {
namespace {

using tests::suite_of_slices;

/// A fake harness in another process. It starts a slice only when the contender has written a line, so that
/// the contender waits for each slice. Before the last slice, it pauses for `before_last`.
class process_of_the_suite {
public:
    explicit process_of_the_suite(int slice_count, std::chrono::seconds before_last = {}) {
        for (auto* ends : {&to_, &from_})
            if (::pipe2(ends->data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
        process_ = ::fork();
        if (process_ != 0) return;
        for (const int fd : {to_[0], from_[1]}) ::close(fd);
        std::array<char, 256> line;
        for (int given = 0; given <= slice_count && ::read(from_[0], line.data(), line.size()) > 0; ++given) {
            if (given + 1 == slice_count) ::sleep(static_cast<unsigned>(before_last.count()));
            if (::write(to_[1], given < slice_count ? "t" : "e", 1) != 1) break;
        }
        ::_exit(0);
    }
    process_of_the_suite(const process_of_the_suite&) = delete;
    process_of_the_suite& operator=(const process_of_the_suite&) = delete;
    ~process_of_the_suite() {
        for (const int fd : {to_[0], to_[1], from_[0], from_[1]}) ::close(fd);
        ::waitpid(process_, nullptr, 0);
    }

    slice_settings settings(std::chrono::microseconds untimed) const {
        return {to_[0], from_[1], untimed, std::chrono::microseconds(400)};
    }

private:
    std::array<int, 2> to_{}, from_{};
    pid_t process_ = -1;
};

volatile std::uint64_t sink = 0;

/// Runs a loop that the compiler cannot remove, because its variable is volatile.
void work(std::uint64_t operations) {
    for (std::uint64_t i = 0; i < operations; ++i) sink = i;
}

std::uint64_t operations_in(const std::vector<std::string>& answers) {
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < answers.size(); ++i) sum += std::stoull(answers[i]);
    return sum;
}

TEST(slicer, a_trial_works_until_the_end_command_and_reports_the_timed_part_of_each_slice) {
    suite_of_slices says("ttte");
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 0, says.settings());
    std::uint64_t done = 0;
    t.begin();
    while (const std::uint64_t count = t.next()) {
        work(count);
        done += count;
    }
    t.end();
    const auto answers = says.answers();
    ASSERT_EQ(answers.size(), 4u);
    EXPECT_EQ(answers[0], "ready");
    EXPECT_EQ(operations_in(answers), t.operations_timed());
    EXPECT_LT(t.operations_timed(), done);
    EXPECT_EQ(t.operations(), done);
    EXPECT_EQ(t.operations_done(), done);
    EXPECT_GE(t.cost().wall, 3 * says.settings().timed);
    t.prove("operations", done, t.operations());
    EXPECT_EQ(t.failure(), std::nullopt);
}

TEST(slicer, a_trial_ends_if_the_process_that_assigns_its_slices_has_ended) {
    suite_of_slices says("t");
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 0, says.settings());
    t.begin();
    while (const std::uint64_t count = t.next()) work(count);
    t.end();
    EXPECT_EQ(says.answers().size(), 2u);
}

TEST(slicer, a_trial_with_a_fixed_number_of_operations_can_be_ended_early) {
    suite_of_slices says("te");
    constexpr std::uint64_t very_many = std::uint64_t{1} << 61;
    trial t(workload_size::small, very_many, true, 0, says.settings());
    std::uint64_t done = 0;
    t.begin();
    while (const std::uint64_t count = t.next()) {
        work(count);
        done += count;
    }
    t.end();
    EXPECT_LT(done, very_many);
    EXPECT_EQ(t.operations_done(), done);
    EXPECT_EQ(operations_in(says.answers()), t.operations_timed());
}

// Without an early end, the requested number of operations would take a day.
TEST(slicer, a_workload_that_is_ended_early_checks_the_operations_that_it_has_done) {
    using runtime_type = breakable_runtime;
    const std::map<std::string, task_of<runtime_type> (*)(runtime_type&, trial&)> all{
        {"echo over one connection", workloads::echo_rtt_tcp<runtime_type, 1>},
        {"echo over a hundred", workloads::echo_rtt_tcp<runtime_type, 100>},
        {"gathers of echoes", workloads::gather_echo<runtime_type>},
        {"a stream", workloads::stream_throughput<runtime_type>},
        {"a pipe", workloads::pipe_read<runtime_type>},
        {"connections that come and go", workloads::accept_churn<runtime_type>},
        {"a broadcast", workloads::fanout_broadcast<runtime_type>},
    };
    for (const auto& [name, workload] : all) {
        suite_of_slices says("tte");
        constexpr std::uint64_t very_many = 10'000'000'000;
        trial t(workload_size::small, very_many, true, 0, says.settings());
        runtime_type runtime;
        runtime.run(workload(runtime, t));
        EXPECT_EQ(t.failure(), std::nullopt) << name;
        EXPECT_LT(t.operations_done(), very_many) << name;
        EXPECT_GE(t.operations_done(), t.operations_timed()) << name;
    }
}

TEST(slicer, a_trial_fails_if_it_ends_before_its_first_timed_part_is_complete) {
    for (const std::uint64_t rounds : {1U, 2U}) {  // 2 untimed steps, then 4 timed ones
        suite_of_slices says("t");
        trial t(workload_size::small, 1000 * rounds, true, 0, says.settings());
        t.begin({.operations = 1000, .untimed = 2, .timed = 4});
        while (const std::uint64_t count = t.next()) work(100'000 * count);
        t.end();
        t.prove("operations", 1000 * rounds, t.operations_done());
        EXPECT_EQ(says.answers().size(), 1u);
        EXPECT_EQ(t.operations_timed(), 0u);
        EXPECT_SAYS(t.failure().value_or(""), "first timed part") << rounds;
    }
}

TEST(slicer, a_timed_part_that_has_begun_is_completed_even_if_all_operations_are_done) {
    for (const std::uint64_t rounds : {3U, 5U}) {
        suite_of_slices says("tt");
        trial t(workload_size::small, 1000 * rounds, true, 0, says.settings());
        t.begin({.operations = 1000, .untimed = 2, .timed = 4});
        while (const std::uint64_t count = t.next()) {
            work(100'000 * count);
            for (std::uint64_t i = 0; i < count; ++i) t.record_latency(t.start_of_latency());
        }
        t.end();
        t.prove("operations", 6000, t.operations_done());
        EXPECT_EQ(t.operations_timed(), 4000u);
        EXPECT_EQ(t.latency().count(), 4000) << "latencies of the timed part only, and all of them";
        EXPECT_EQ(t.failure(), std::nullopt) << rounds;
    }
}

TEST(slicer, the_number_of_operations_of_a_slice_is_a_multiple_of_the_step) {
    suite_of_slices says("tte");
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 0, says.settings());
    t.begin({.operations = 1000});
    while (const std::uint64_t count = t.next()) {
        work(count);
        EXPECT_EQ(count % 1000, 0u);
    }
    t.end();
    EXPECT_EQ(t.operations_timed() % 1000, 0u);
}

// Each step takes longer than a part of a slice. Without a minimum number of steps, each part would therefore
// end after one step.
TEST(slicer, each_timed_or_untimed_part_of_a_slice_has_the_requested_number_of_steps) {
    suite_of_slices says("ttte");
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 0, says.settings());
    t.begin({.operations = 3, .untimed = 2, .timed = 4});
    std::uint64_t done = 0;
    while (const std::uint64_t count = t.next()) {
        EXPECT_EQ(count % 3, 0u);
        const auto until = std::chrono::steady_clock::now() + 2 * says.settings().timed;
        while (std::chrono::steady_clock::now() < until) {
        }
        done += count;
    }
    t.end();
    const auto answers = says.answers();
    ASSERT_EQ(answers.size(), 4u);
    for (std::size_t slice = 1; slice < answers.size(); ++slice)
        EXPECT_EQ(std::stoull(answers[slice]), 4u * 3) << slice;
    EXPECT_EQ(done, 3u * (2 + 4) * 3);
}

TEST(slicer, a_latency_that_ends_in_an_untimed_part_is_not_recorded) {
    suite_of_slices says("ttttte");
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 0, says.settings());
    std::uint64_t done = 0;
    t.begin();
    while (const std::uint64_t count = t.next())
        for (std::uint64_t i = 0; i < count; ++i, ++done) t.record_latency(t.start_of_latency());
    t.end();
    EXPECT_EQ(t.latency().count(), t.operations_timed());
    EXPECT_LT(t.latency().count(), done);
}

// The slices have no untimed part. In an untimed part, a latency that contains a wait for a slice would not
// be recorded, and the test would not find it.
TEST(slicer, no_latency_of_an_echo_contains_a_wait_for_a_slice) {
    constexpr auto waited = std::chrono::seconds(1);
    const process_of_the_suite says(2, waited);
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 0, says.settings({}));
    breakable_runtime runtime;
    runtime.run(workloads::echo_rtt_tcp<breakable_runtime, 100>(runtime, t));
    EXPECT_EQ(t.failure(), std::nullopt);
    EXPECT_EQ(t.latency().count(), t.operations_timed());
    EXPECT_LT(t.latency().max_ns(), std::chrono::nanoseconds(waited).count());
}

TEST(slicer, the_time_between_two_slices_does_not_count_as_cost_of_the_work) {
    constexpr int slice_count = 40;
    const process_of_the_suite says(slice_count);
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 0,
            says.settings(std::chrono::microseconds(200)));
    t.begin();
    while (const std::uint64_t count = t.next()) work(count);
    t.end();
    EXPECT_GE(t.cost().wall, slice_count * std::chrono::microseconds(400));
    EXPECT_LT(t.cost().voluntary_switches, slice_count / 2);
}

std::vector<std::uint64_t> operations_of_slices(task_of<breakable_runtime> (*workload)(breakable_runtime&,
                                                                                       trial&)) {
    suite_of_slices says("tttttte");
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 0, says.settings());
    breakable_runtime runtime;
    runtime.run(workload(runtime, t));
    EXPECT_EQ(t.failure(), std::nullopt);
    EXPECT_EQ(t.operations_done() % workloads::detail::batch_size, 0u);
    std::vector<std::uint64_t> all;
    const auto answers = says.answers();
    for (std::size_t i = 1; i < answers.size(); ++i) all.push_back(std::stoull(answers[i]));
    EXPECT_EQ(all.size(), 6u);
    return all;
}

// Batches must be complete, because a partial batch has fewer live coroutine frames, but the same cost at its
// end.
TEST(slicer, each_slice_contains_only_complete_batches_of_queued_functions) {
    for (const auto workload :
         {workloads::spawn<breakable_runtime>, workloads::post_batch<breakable_runtime>})
        for (const std::uint64_t operations : operations_of_slices(workload))
            EXPECT_EQ(operations % workloads::detail::batch_size, 0u) << operations;
}

TEST(slicer, a_slowdown_makes_each_slice_longer) {
    suite_of_slices says("ttte");
    trial t(workload_size::small, std::uint64_t{1} << 62, true, 1.0, says.settings());
    t.begin();
    while (const std::uint64_t count = t.next()) work(count);
    t.end();
    EXPECT_GE(t.cost().wall, 6 * says.settings().timed);
}

TEST(trial, a_trial_without_slices_does_all_operations_in_one_step) {
    trial t(workload_size::small, 2500);
    t.begin({.operations = 1000});
    EXPECT_EQ(t.next(), 3000u);
    EXPECT_EQ(t.next(), 0u);
    t.end();
    EXPECT_EQ(t.operations_done(), 3000u);
    EXPECT_EQ(t.operations_timed(), 3000u);
}

TEST(parse_slices, the_error_for_invalid_slice_settings_names_the_environment_variable) {
    for (const char* text : {"", "3", "3,4", "3,4,500", "3,4,500,", "3,4,500,0", "3,4,500,1500,1",
                             "a,4,500,1500", "-1,4,5,6", "3,4,5,99999999999"})
        EXPECT_SAYS(tests::complaint_of<std::invalid_argument>([&] { parse_slices(text); }),
                    "LOOPBENCH_SLICES")
            << text;
    const auto good = parse_slices("3,4,500,1500");
    EXPECT_EQ(good.in, 3);
    EXPECT_EQ(good.out, 4);
    EXPECT_EQ(good.untimed.count(), 500);
    EXPECT_EQ(good.timed.count(), 1500);
}

}  // namespace
}  // namespace loopbench::bench
