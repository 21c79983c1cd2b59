// Tests `history add` when it is killed at random times and system calls. Earlier runs must stay in the
// history, and the report must be stored completely or not at all. LOOPBENCH_TEST_KILLS sets the number of
// kills.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "bench/harness/history/store.hpp"
#include "reports/model/json.hpp"
#include "support.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/killed_at.hpp"

namespace loopbench::tests {

namespace {

int kills_wanted() {
    const char* number = std::getenv("LOOPBENCH_TEST_KILLS");
    return number != nullptr ? std::atoi(number) : 20;
}

class killed_add : public testing::Test {
protected:
    killed_add() {
        const auto whole = run_until_call(command(write(1)), 0);
        if (whole) calls_ = whole->calls;
        const auto timed = loopbench(words(write(0)));
        EXPECT_EQ(timed.code, 0) << timed.error_tail;
        wall_ = timed.wall;
    }

    std::string write(int number) const {
        const auto file = loopbench.path(fmt::format("{}.json", number)).native();
        auto report = large_report(0);
        report.seed = static_cast<std::uint64_t>(number);
        reports::write_file_atomically(file, reports::write_json(report));
        return file;
    }

    std::vector<std::string> words(const std::string& file) const {
        return {"history", "add", "--history", place_, file};
    }
    std::vector<std::string> command(const std::string& file) const {
        auto all = words(file);
        all.insert(all.begin(), loopbench.path("bin/loopbench").native());
        return all;
    }

    void add_and_be_killed(const std::string& file) {
        const bool at_a_call = calls_ > 0 && random_() % 2 == 0;
        if (at_a_call) {
            std::uniform_int_distribution<std::uint64_t> call{1, calls_};
            const auto end = run_until_call(command(file), call(random_));
            ASSERT_TRUE(end);
            if (!end->exit_code) ++killed_;
        } else {
            std::uniform_int_distribution<std::chrono::nanoseconds::rep> moment{0, wall_.count()};
            const auto ran = loopbench(words(file), std::chrono::nanoseconds{moment(random_)});
            EXPECT_TRUE(ran.end == bench::child_end::timed_out || ran.code == 0) << ran.error_tail;
            if (ran.end == bench::child_end::timed_out) ++killed_;
        }
    }

    void add_again(const std::string& file) {
        const auto ran = loopbench(words(file));
        ASSERT_EQ(ran.end, bench::child_end::exited);
        ASSERT_EQ(ran.code, 0) << ran.error_tail;
    }

    std::size_t whole_runs() const {
        bench::store store{place_, bench::opening::existing};
        const auto there = store.runs();
        EXPECT_EQ(store.report_of(there.back().id)->results.size(), large_report(0).results.size());
        EXPECT_FALSE(store.points_of(there.back().id).empty());
        return there.size();
    }

    const empty_history history_;
    std::string place_ = history_.place();
    loopbench_command loopbench;
    std::mt19937_64 random_{20261123};
    std::uint64_t calls_ = 0;
    std::chrono::nanoseconds wall_{};
    int killed_ = 0;
};

TEST_F(killed_add, a_kill_while_a_report_is_added_loses_no_run_and_leaves_no_partial_report) {
    const int wanted = kills_wanted();
    std::size_t kept = whole_runs();
    for (int number = 2; killed_ < wanted && number < 20 + 4 * wanted; ++number) {
        const auto file = write(number);
        add_and_be_killed(file);
        const auto now = whole_runs();
        ASSERT_TRUE(now == kept || now == kept + 1) << number;
        add_again(file);
        ASSERT_EQ(whole_runs(), ++kept) << number;
        std::filesystem::remove(file);
    }
    EXPECT_GE(killed_, wanted) << "the processes ended before they were killed";
    std::vector<std::uint64_t> seeds;
    bench::store store{place_, bench::opening::existing};
    for (const auto& run : store.runs()) seeds.push_back(store.report_of(run.id)->seed);
    std::ranges::sort(seeds);
    EXPECT_EQ(seeds.size(), kept);
    EXPECT_EQ(std::ranges::adjacent_find(seeds), seeds.end()) << "each report is stored once";
}

TEST_F(killed_add, a_history_whose_creation_was_killed_accepts_reports) {
    if (!history_.is_file()) return;
    const int wanted = std::max(kills_wanted() / 4, 1);
    const auto file = write(2);
    for (int number = 0; killed_ < wanted && number < 20 + 4 * wanted; ++number) {
        place_ = history_.path(fmt::format("{}.db", number).c_str()).native();
        add_and_be_killed(file);
        add_again(file);
        ASSERT_EQ(whole_runs(), 1) << number;
    }
    EXPECT_GE(killed_, wanted) << "the processes ended before they were killed";
}

}  // namespace

}  // namespace loopbench::tests
