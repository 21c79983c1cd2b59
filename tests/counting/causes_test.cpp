// Tests the comparison of counts with tools that return planted counts, and the counter of allocations.
#include "bench/harness/counting/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "bench/harness/trial/process/child_process.hpp"
#include "tests/support/says.hpp"

namespace loopbench::bench {
namespace {

using namespace std::chrono_literals;
using reports::count_kind;

/// The counts of an operation. A function with this type receives the build ("base" or "next") and the number
/// of the count (0 or 1).
using planted_counts = std::function<named_counts(const std::string& build, int number)>;

/// A tool that runs no process.
class fake_tool : public count_tool {
public:
    explicit fake_tool(planted_counts counts) : counts_{std::move(counts)} {}

    [[nodiscard]] std::vector<count_kind> kinds() const override { return {count_kind::system_call}; }

    std::pair<named_counts, work_of_process> count(const counted_benchmark& of,
                                                   const amount_of_work& amount) const override {
        // Each count of a build has two processes.
        const auto number = processes_[&of]++ / 2;
        const auto operations = static_cast<double>(amount.operations.value_or(1));
        const auto build = processes_.begin()->first == &of ? "base" : "next";
        auto counts = counts_(build, number);
        for (auto& [key, value] : counts) value = 1000 + value * operations;
        return {std::move(counts), work_of_process{operations, 1}};
    }

private:
    planted_counts counts_;
    mutable std::map<const counted_benchmark*, int> processes_;
};

class compared_counts : public testing::Test {
protected:
    reports::slowdown_cause compare(const planted_counts& counts) {
        std::vector<tool_choice> choices(1);
        choices[0].what = "system calls";
        choices[0].remedy = "install a tool";
        choices[0].tools.push_back(std::make_unique<fake_tool>(counts));
        return compare(choices);
    }

    reports::slowdown_cause compare(std::vector<tool_choice>& choices) {
        reports::slowdown_cause found{.workload = workload, .contender = "next"};
        compare_counts(found, {planted, planted, workload, time}, choices);
        return found;
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

TEST_F(compared_counts, the_next_tool_is_used_if_a_tool_does_not_work) {
    std::vector<tool_choice> choices(1);
    choices[0].what = "system calls";
    choices[0].remedy = "install a tool";
    const auto broken = [](const std::string&, int) -> named_counts { throw uncountable{"not permitted"}; };
    choices[0].tools.push_back(std::make_unique<fake_tool>(broken));
    choices[0].tools.push_back(
        std::make_unique<fake_tool>([&](const std::string& build, int) -> named_counts {
            return {{read, build == "base" ? 1 : 2}};
        }));
    EXPECT_EQ(compare(choices).changed.size(), 1U);
    EXPECT_EQ(choices[0].tools.size(), 1U) << "the broken tool is not tried again";
    choices[0].tools.clear();
    choices[0].tools.push_back(std::make_unique<fake_tool>(broken));
    const auto without = compare(choices);
    ASSERT_EQ(without.missing.size(), 1U);
    EXPECT_SAYS(without.missing[0], "system calls were not counted: not permitted");
    EXPECT_TRUE(without.compared.empty());
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

TEST(heap_record, allocations_of_all_descendants_count_even_if_a_signal_ends_them) {
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    const auto& variables = record.environment();
    const auto run = [&](const char* script) {
        run_child({.command = {"/bin/sh", "-c", script},
                   .environment = {variables.begin(), variables.end()},
                   .cpu = {}});
        return record.content().value_or(heap_use{});
    };
    const auto one = run("kill -9 $$");
    EXPECT_GT(one.allocations, 0);
    EXPECT_GT(one.bytes, one.allocations);
    const auto three = run("/bin/sh -c 'kill -9 $$'; /bin/sh -c :; kill -9 $$");
    EXPECT_GE(three.allocations, 4 * one.allocations) << "the record sums up all processes";
}

TEST(heap_record, a_process_without_the_counter_leaves_the_counts_unknown) {
    EXPECT_FALSE(heap_record{LOOPBENCH_MALLOC_COUNTER}.content());
}

}  // namespace
}  // namespace loopbench::bench
