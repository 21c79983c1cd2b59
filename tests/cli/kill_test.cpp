// Tests runs that are killed repeatedly with SIGKILL. Finished trials must stay in the journal, and published
// reports must be complete.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <sstream>

#include "bench/harness/experiment/record.hpp"
#include "bench/harness/summary/summary.hpp"
#include "reports/model/json.hpp"
#include "reports/render/formats/csv.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/killed_at.hpp"
#include "tests/support/sample_report.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

struct published {
    std::string json, csv;
    bool operator==(const published&) const = default;
};

class killed_run : public testing::Test {
protected:
    using arguments = std::vector<std::string>;

    killed_run() {
        loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
        loopbench.add_contender("loop-epoll", R"(row '"real_time": 5')");
        fs::create_directory(loopbench.out());
        reports::write_file_atomically(json, reports::write_json(sample_report()));
        reports::write_file_atomically(csv, reports::write_csv(sample_report()));
    }

    arguments first_run(std::uint64_t seed) const {
        return {"run",    "--workload",         "yield", "--blocks",     "2",
                "--seed", std::to_string(seed), "-o",    loopbench.out()};
    }
    arguments rest() const { return {"run", "--resume", loopbench.out()}; }
    arguments with_path(arguments words) const {
        words.insert(words.begin(), loopbench.path("bin/loopbench").native());
        return words;
    }

    published now() const { return {content_or_nothing(json), content_or_nothing(csv)}; }

    static std::string content_or_nothing(const fs::path& file) {
        return fs::exists(file) ? content_of(file) : std::string{};
    }

    bench::session_record read_journal() const {
        return bench::read_journal(content_of(journal), journal.native());
    }

    static published of(const bench::session_record& content) {
        const auto report = bench::report_of(content);
        return {reports::write_json(report), reports::write_csv(report)};
    }

    static std::set<std::string> trials_in(const bench::session_record& content) {
        std::set<std::string> all;
        for (const auto& found : content.outcome.trials) {
            std::ostringstream trial;
            trial << found.block << ' ' << found.where.workload << ' ' << found.where.contender << ' '
                  << found.attempt;
            EXPECT_TRUE(all.insert(trial.str()).second) << "a trial was run twice: " << trial.str();
        }
        return all;
    }

    loopbench_command loopbench;
    fs::path journal = loopbench.path("out/journal.jsonl"), json = loopbench.path("out/report.json"),
             csv = loopbench.path("out/report.csv");
};

class random_kills : public killed_run {
protected:
    void survive(int kills, std::uint64_t calls) {
        constexpr int starts_max = 5000;
        while (killed_ < kills && starts_ < starts_max && !HasFatalFailure()) run_to_its_end(calls);
        EXPECT_GE(killed_, kills) << "too many runs ended before they could be killed";
        EXPECT_GT(before_header_, 0);
        EXPECT_GT(while_measuring_, 0);
        EXPECT_GT(while_publishing_, 0);
    }

private:
    std::mt19937_64 random_{20261121};
    std::uint64_t seed_ = 100;
    int starts_ = 0, killed_ = 0, before_header_ = 0, while_measuring_ = 0, while_publishing_ = 0;

    bool kill_one(const arguments& words, std::uint64_t calls) {
        std::uniform_int_distribution<std::uint64_t> call{1, calls};
        return !run_until_call(with_path(words), call(random_))->exit_code;
    }

    void run_to_its_end(std::uint64_t calls) {
        ++seed_;
        const auto old = now();
        const auto old_journal = content_or_nothing(journal);
        std::set<std::string> finished;
        bool has_begun = false, is_through = false;
        while (!is_through && !HasFatalFailure()) {
            ++starts_;
            is_through = !kill_one(has_begun ? rest() : first_run(seed_), calls);
            killed_ += is_through ? 0 : 1;
            has_begun = has_begun || content_or_nothing(journal) != old_journal;
            if (has_begun)
                look_at(old, finished, is_through);
            else
                expect_nothing_happened(old);
            if (has_begun && !is_through && killed_ % 3 == 0) cut_a_line_short();
        }
        EXPECT_EQ(read_journal().outcome.blocks_finished, 2U);
        for (const auto& entry : fs::directory_iterator{loopbench.out()})
            EXPECT_NE(entry.path().extension().native(), ".tmp") << entry.path() << " was not removed";
    }

    void expect_nothing_happened(const published& old) {
        ++before_header_;
        ASSERT_EQ(now(), old) << "a run changed the reports before it began";
    }

    void look_at(const published& old, std::set<std::string>& finished, bool is_through) {
        const auto content = read_journal();
        ASSERT_EQ(content.plan.seed, seed_);
        const auto trials = trials_in(content);
        ASSERT_TRUE(std::ranges::includes(trials, finished)) << "finished trials are lost";
        finished = trials;
        const bool has_ended = !content.outcome.interrupted;
        const auto own = of(content), found = now();
        ASSERT_TRUE(found.json == old.json || (has_ended && found.json == own.json)) << found.json;
        ASSERT_TRUE(found.csv == old.csv || (has_ended && found.csv == own.csv)) << found.csv;
        if (!is_through) ++(has_ended ? while_publishing_ : while_measuring_);
        ASSERT_TRUE(!is_through || (has_ended && found == own));
    }

    /// Appends an incomplete line to the journal. A crash of the machine can leave such a line, but SIGKILL
    /// alone almost never does.
    void cut_a_line_short() {
        auto text = content_of(journal);
        text += R"({"block": 1, "attempt": 0, "workl)";
        reports::write_file_atomically(journal, text);
        ASSERT_NO_THROW(read_journal());
    }
};

TEST_F(random_kills, kills_at_random_system_calls_lose_no_finished_trial_and_leave_complete_reports) {
    const auto whole = run_until_call(with_path(first_run(1)), 0);
    if (!whole) GTEST_SKIP() << "ptrace is refused here";
    ASSERT_EQ(whole->exit_code, 0);
    survive(100, whole->calls);
}

TEST_F(killed_run, a_kill_while_the_reports_are_written_leaves_each_report_either_old_or_new) {
    const auto old = now();
    ASSERT_EQ(loopbench(first_run(1)).code, 0);
    const auto own = now();
    const auto whole = run_until_call(with_path(rest()), 0, counted_calls::that_can_change_files);
    if (!whole) GTEST_SKIP() << "ptrace is refused here";
    ASSERT_EQ(whole->exit_code, 0);
    ASSERT_EQ(now(), own);
    std::set<std::pair<bool, bool>> seen;
    for (std::uint64_t call = 1; call <= whole->calls; ++call) {
        reports::write_file_atomically(json, old.json);
        reports::write_file_atomically(csv, old.csv);
        run_until_call(with_path(rest()), call, counted_calls::that_can_change_files);
        const auto found = now();
        ASSERT_TRUE(found.json == old.json || found.json == own.json) << call << found.json;
        ASSERT_TRUE(found.csv == old.csv || found.csv == own.csv) << call << found.csv;
        ASSERT_EQ(of(read_journal()), own) << call;
        seen.emplace(found.json == own.json, found.csv == own.csv);
    }
    EXPECT_TRUE(seen.contains({false, false}) && seen.contains({true, true}));
}

class killed_merge : public killed_run {
protected:
    killed_merge() {
        for (const std::string number : {"1", "2"}) {
            run_shard(number, "2");
            run_shard(number, "3");
        }
        run_shard("3", "3");
    }

    void run_shard(const std::string& number, const std::string& of) const {
        const auto ran = loopbench({"run", "--shard", number + "/" + of, "--workload", "yield", "--blocks",
                                    "6", "--seed", "7", "-o", shard(number, of)});
        EXPECT_EQ(ran.code, 0) << ran.error_tail;
    }
    std::string shard(const std::string& number, const std::string& of) const {
        return loopbench.path("s" + number + "of" + of).native();
    }
    arguments merge_of_two() const {
        return {"merge", shard("1", "2"), shard("2", "2"), "-o", loopbench.out()};
    }
    arguments merge_of_three() const {
        return {"merge", shard("1", "3"), shard("2", "3"), shard("3", "3"), "-o", loopbench.out()};
    }
};

TEST_F(killed_merge, a_kill_at_any_system_call_of_a_merge_leaves_either_the_old_or_the_new_record) {
    ASSERT_EQ(loopbench(merge_of_three()).code, 0);
    const auto new_journal = content_of(journal);
    const auto new_report = now();
    ASSERT_EQ(loopbench(merge_of_two()).code, 0);
    const auto old_journal = content_of(journal);
    const auto old_report = now();
    const auto whole = run_until_call(with_path(merge_of_three()), 0, counted_calls::that_can_change_files);
    if (!whole) GTEST_SKIP() << "ptrace is refused here";
    ASSERT_EQ(whole->exit_code, 0);
    std::set<bool> seen;
    for (std::uint64_t call = 1; call <= whole->calls; ++call) {
        reports::write_file_atomically(journal, old_journal);
        reports::write_file_atomically(json, old_report.json);
        reports::write_file_atomically(csv, old_report.csv);
        run_until_call(with_path(merge_of_three()), call, counted_calls::that_can_change_files);
        const auto found = content_of(journal);
        ASSERT_TRUE(found == old_journal || found == new_journal) << call;
        const auto published = now();
        ASSERT_TRUE(published.json == old_report.json || published.json == new_report.json) << call;
        ASSERT_TRUE(published.csv == old_report.csv || published.csv == new_report.csv) << call;
        seen.insert(found == new_journal);
    }
    EXPECT_EQ(seen.size(), 2U);
    ASSERT_EQ(loopbench(merge_of_three()).code, 0);
    for (const auto& entry : fs::directory_iterator{loopbench.out()})
        EXPECT_NE(entry.path().extension().native(), ".tmp") << entry.path() << " was not removed";
}

}  // namespace

}  // namespace loopbench::tests
