// Tests the comparison of counts with tools that return planted counts.
#include "bench/harness/counting/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "tests/support/says.hpp"

namespace loopbench::bench {
namespace {

using namespace std::chrono_literals;
using reports::count_kind;

/// The counts of an operation. A function with this type receives the build ("base" or "next") and the number
/// of the count (0 or 1).
using planted_counts = std::function<named_counts(const std::string& build, int number)>;

/// The batches of a process that does this number of operations.
using planted_batches = std::function<double(const std::string& build, double operations)>;

/// The time of an operation in the counted processes.
using planted_time = std::function<reports::operation_time(const std::string& build, int number)>;

/// A tool that runs no process.
class fake_tool : public count_tool {
public:
    explicit fake_tool(planted_counts counts, planted_batches batches = {}, planted_time time = {})
        : counts_{std::move(counts)}, batches_{std::move(batches)}, time_{std::move(time)} {}

    process_counts count(const counted_benchmark& of, const amount_of_work& amount) const override {
        // Each count of a build has two processes.
        const auto number = processes_[&of]++ / 2;
        const double operations = 1000 * static_cast<double>(amount.operations.value_or(1));
        const bool is_base = processes_.begin()->first == &of;
        const std::string build = is_base ? "base" : "next";
        process_counts found{counts_(build, number), {operations, 1}};
        if (batches_) found.work.batches = batches_(build, operations);
        for (auto& [key, value] : found.counts) value = 1000 + value * operations;
        if (!time_) return found;
        const auto each = time_(build, number);
        found.time = {each.wall_ns * operations + 2e9, each.user_ns * operations + 1e9,
                      each.system_ns * operations};
        return found;
    }

private:
    planted_counts counts_;
    planted_batches batches_;
    planted_time time_;
    mutable std::map<const counted_benchmark*, int> processes_;
};

class compared_counts : public testing::Test {
protected:
    reports::slowdown_cause compare(const planted_counts& counts, const planted_batches& batches = {},
                                    const planted_time& time_of = {}, const measured_times& times = {}) {
        auto choices = choice_without_tools();
        choices[0].tools.push_back(std::make_unique<fake_tool>(counts, batches, time_of));
        return compare(choices, times);
    }

    reports::slowdown_cause compare(std::vector<tool_choice>& choices, const measured_times& times = {}) {
        reports::slowdown_cause found{.workload = workload, .contender = "next"};
        compare_counts(found, {planted, planted, workload, time}, choices, times);
        return found;
    }

    static std::vector<tool_choice> choice_without_tools() {
        std::vector<tool_choice> choices(1);
        choices[0].what = "system calls";
        choices[0].remedy = "install a tool";
        return choices;
    }

    const count_key read{count_kind::system_call, "read"};
    const std::string workload = "yield/plain";
    const contender planted{
        .name = "planted", .path = LOOPBENCH_PLANTED_CONTENDER, .workloads = {}, .problem = {}};
    const time_for_pass time{time_for_pass::clock::now() + 5min, -1};
};

TEST_F(compared_counts, a_count_that_changes_in_both_counts_is_reported) {
    const auto found = compare([&](const std::string& build, int number) -> named_counts {
        return {{read, build == "base" ? 1 : 3 + 0.1 * number}};
    });
    ASSERT_EQ(found.changed.size(), 1U);
    EXPECT_EQ(found.changed[0].name, "read");
    EXPECT_NEAR(found.changed[0].before, 1, 1e-6);
    EXPECT_NEAR(found.changed[0].after, 3.05, 1e-6);
    EXPECT_EQ(found.compared, std::vector{count_kind::system_call});
    EXPECT_TRUE(found.unstable.empty());
}

TEST_F(compared_counts, a_count_that_varies_between_two_counts_is_not_reported_as_changed) {
    const auto found = compare([&](const std::string& build, int number) -> named_counts {
        return {{read, build == "base" ? 1 : number == 0 ? 3 : 1}};
    });
    EXPECT_TRUE(found.changed.empty());
    EXPECT_EQ(found.unstable, std::vector<std::string>{"read(2)"});
}

TEST_F(compared_counts, a_difference_within_the_slack_is_no_change) {
    const auto found = compare([&](const std::string& build, int) -> named_counts {
        return {{read, build == "base" ? 1000 : 1004}, {{count_kind::allocations, ""}, 0.01}};
    });
    EXPECT_TRUE(found.changed.empty() && found.unstable.empty());
    EXPECT_EQ(found.compared.size(), 2U);
}

TEST_F(compared_counts, a_kind_that_only_one_build_has_is_not_compared) {
    const auto found = compare([&](const std::string& build, int) -> named_counts {
        named_counts counts{{read, 1}};
        if (build == "next") counts[{count_kind::allocations, ""}] = 5;
        return counts;
    });
    EXPECT_TRUE(found.changed.empty());
    EXPECT_EQ(found.compared, std::vector{count_kind::system_call});
}

TEST_F(compared_counts, a_rare_event_is_a_change) {
    const auto found = compare([&](const std::string& build, int) -> named_counts {
        return {{read, build == "base" ? 0 : 0.01}};
    });
    ASSERT_EQ(found.changed.size(), 1U);
    EXPECT_NEAR(found.changed[0].after, 0.01, 1e-9);
}

TEST_F(compared_counts, a_count_far_below_zero_is_unknown) {
    const auto found = compare([&](const std::string& build, int) -> named_counts {
        return {{read, build == "base" ? -1 : 1}};
    });
    EXPECT_TRUE(found.changed.empty());
    EXPECT_EQ(found.unstable, std::vector<std::string>{"read(2)"});
}

TEST_F(compared_counts, the_set_up_must_be_separated_from_both_builds_or_from_none) {
    const auto one_more = [&](const std::string& build, int) -> named_counts {
        return {{read, build == "base" ? 1 : 2}};
    };
    const auto without = compare(one_more, [](const std::string& build, double operations) {
        return build == "base" ? 1 : operations;
    });
    EXPECT_TRUE(without.compared.empty() && without.changed.empty());
    ASSERT_EQ(without.missing.size(), 1U);
    EXPECT_SAYS(without.missing[0], "outside the loop");
    const auto with = compare(one_more, [](const std::string&, double operations) { return operations; });
    EXPECT_EQ(with.changed.size(), 1U);
    EXPECT_TRUE(with.set_up_included);
}

class times_of_operations : public compared_counts {
protected:
    /// Compares builds whose operations took 40 ns and 100 ns in the trials.
    reports::slowdown_cause compare_times(const planted_time& time_of,
                                          const measured_times& times = {40, 100},
                                          const planted_batches& batches = {}) {
        return compare(
            [&](const std::string&, int) -> named_counts {
                return {{read, 1}};
            },
            batches, time_of, times);
    }

    static bool is_unknown(const reports::slowdown_cause& found) {
        return !found.time_before && !found.time_after;
    }
};

/// Returns the times of a build that waits for half of its time, and of one that waits for 70 %.
reports::operation_time waiting(const std::string& build, int) {
    return build == "base" ? reports::operation_time{40, 20, 0} : reports::operation_time{110, 22, 11};
}

/// Returns the times of builds that compute for nearly all of their time.
reports::operation_time computing(const std::string& build, int) {
    return build == "base" ? reports::operation_time{41, 39, 0} : reports::operation_time{110, 106, 0};
}

TEST_F(times_of_operations, waiting_is_a_share_of_the_measured_time) {
    const auto waits = compare_times(waiting);
    ASSERT_TRUE(waits.time_before && waits.time_after);
    EXPECT_NEAR(waits.time_before->waiting_ns(), 20, 1e-6);
    EXPECT_NEAR(waits.time_after->waiting_ns(), 70, 1e-6);
    EXPECT_NEAR(waits.time_after->system_ns, 10, 1e-6);
}

TEST_F(times_of_operations, a_computing_benchmark_does_not_wait) {
    for (const auto& busy : {compare_times(computing), compare_times(waiting, {40, 100, true})}) {
        ASSERT_TRUE(busy.time_before && busy.time_after);
        EXPECT_NEAR(busy.time_before->waiting_ns(), 0, 1e-6);
        EXPECT_NEAR(busy.time_after->waiting_ns(), 0, 1e-6);
    }
}

TEST_F(times_of_operations, waiting_in_only_one_of_two_counts_is_a_disturbance) {
    const auto found = compare_times([](const std::string& build, int number) {
        return number == 0 ? waiting(build, 0) : computing(build, 0);
    });
    ASSERT_TRUE(found.time_after);
    EXPECT_NEAR(found.time_after->waiting_ns(), 0, 1e-6);
    EXPECT_TRUE(is_unknown(compare_times([](const std::string&, int number) {
        return reports::operation_time{40, number == 0 ? 10.0 : 25.0, 0};
    })));
}

TEST_F(times_of_operations, times_that_have_another_meaning_than_those_of_the_trials_are_unknown) {
    EXPECT_TRUE(is_unknown(compare_times(waiting, {}))) << "the trials have no time";
    EXPECT_TRUE(is_unknown(compare_times(waiting, {20, 50}))) << "the benchmark pauses its timer";
    EXPECT_TRUE(is_unknown(compare_times([](const std::string&, int) {
        return reports::operation_time{40, 80, 0};
    }))) << "two threads compute";
    EXPECT_TRUE(is_unknown(compare_times(computing, {40, 100}, [](const std::string&, double operations) {
        return operations;
    }))) << "the set-up is included";
}

TEST_F(compared_counts, the_next_tool_is_used_if_a_tool_does_not_work) {
    auto choices = choice_without_tools();
    const auto broken = [](const std::string&, int) -> named_counts { throw unusable_tool{"not permitted"}; };
    choices[0].tools.push_back(std::make_unique<fake_tool>(broken));
    choices[0].tools.push_back(
        std::make_unique<fake_tool>([&](const std::string& build, int) -> named_counts {
            return {{read, build == "base" ? 1 : 2}};
        }));
    EXPECT_EQ(compare(choices).changed.size(), 1U);
    EXPECT_EQ(choices[0].tools.size(), 1U) << "the broken tool is not tried again";
    choices[0].tools.clear();
    choices[0].tools.push_back(std::make_unique<fake_tool>(broken));
    for (int benchmark = 0; benchmark < 2; ++benchmark) {
        const auto without = compare(choices);
        ASSERT_EQ(without.missing.size(), 1U);
        EXPECT_SAYS(without.missing[0], "system calls were not counted: not permitted; install a tool");
        EXPECT_TRUE(without.compared.empty());
    }
}

TEST_F(compared_counts, a_tool_that_fails_with_one_benchmark_is_used_for_the_next) {
    auto choices = choice_without_tools();
    int counted = 0;
    choices[0].tools.push_back(
        std::make_unique<fake_tool>([&](const std::string& build, int) -> named_counts {
            if (counted++ == 0) throw uncountable{"the program failed"};
            return {{read, build == "base" ? 1 : 2}};
        }));
    const auto why = compare(choices).missing.at(0);
    EXPECT_SAYS(why, "the program failed");
    EXPECT_FALSE(tests::says(why, "install a tool")) << "the tool works on this machine";
    EXPECT_EQ(compare(choices).changed.size(), 1U);
}

TEST_F(compared_counts, a_missing_tool_is_reported_with_a_remedy_only_if_it_is_important) {
    auto choices = choice_without_tools();
    EXPECT_SAYS(compare(choices).missing.at(0), "install a tool");
    choices[0].is_important = false;
    EXPECT_TRUE(compare(choices).missing.empty());
}

TEST(perf_stat, the_instructions_of_all_kinds_of_cores_are_summed_up) {
    EXPECT_EQ(instructions_in_perf_stat("# started on\n\n1234,,instructions:u,100,100.00,,\n"), 1234);
    EXPECT_EQ(instructions_in_perf_stat("1000,,cpu_atom/instructions:u/,9,10.00,,\n"
                                        "7,,cycles:u,1,1.00,,\n"
                                        "200,,cpu_core/instructions:u/,9,90.00,,"),
              1200);
    EXPECT_EQ(instructions_in_perf_stat("<not counted>,,cpu_atom/instructions:u/,0,0.00,,\n"
                                        "200,,cpu_core/instructions:u/,9,90.00,,\n"),
              200);
    EXPECT_THROW(instructions_in_perf_stat("<not supported>,,instructions:u,0,100.00,,\n"), uncountable);
    EXPECT_THROW(instructions_in_perf_stat(""), uncountable);
}

TEST_F(compared_counts, counts_without_a_second_count_are_unknown) {
    reports::slowdown_cause found{.workload = workload, .contender = "next"};
    std::vector<tool_choice> choices(1);
    choices[0].tools.push_back(
        std::make_unique<fake_tool>([&](const std::string& build, int number) -> named_counts {
            if (number > 0) throw out_of_time{"the time was over"};
            return {{read, build == "base" ? 1 : 2}};
        }));
    EXPECT_THROW(compare_counts(found, {planted, planted, workload, time}, choices), out_of_time);
    EXPECT_TRUE(found.compared.empty() && found.changed.empty());
}

}  // namespace
}  // namespace loopbench::bench
