// Tests `loopbench bisect` on small repositories.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/bisection/git_history.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using names = std::vector<std::string>;

names times(std::size_t fast, std::size_t slow) {
    names all(fast, "10");
    all.insert(all.end(), slow, "20");
    return all;
}

class bisect : public testing::Test {
protected:
    loopbench_command loopbench;
};

TEST_F(bisect, the_commit_that_made_the_program_slower_is_named_first) {
    const git_history history{loopbench, times(14, 7)};
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_EQ(history.suspects(), names{"change 14"});
    const auto first_line = ran.output.substr(0, ran.output.find('\n'));
    EXPECT_SAYS(first_line, "FOUND: ");
    EXPECT_SAYS(first_line, "\"change 14\"");
    EXPECT_SAYS(first_line, "BM_sort");
    EXPECT_SAYS(first_line, "2.0 times as slow");
    EXPECT_SAYS(ran.error_tail, "at most 5 %") << "the error rate is stated";
    const auto result = history.result();
    EXPECT_EQ(result["outcome"], "found");
    EXPECT_NEAR(result["own"]["median"].get<double>(), 0.5, 1e-9);
    EXPECT_NEAR(result["total"]["median"].get<double>(), 0.5, 1e-9);
    EXPECT_LE(result["steps"].size(), 5U);
    EXPECT_EQ(history.builds().size(), result["steps"].size() + 2) << "each measured commit is built once";
    EXPECT_TRUE(std::filesystem::exists(loopbench.path("out/last/report.html")));
}

TEST_F(bisect, the_tree_and_the_branch_of_the_user_stay_as_they_are) {
    const git_history history{loopbench, times(5, 5)};
    const auto before = history.shell("echo mine > time; git status --porcelain; git rev-parse HEAD main");
    ASSERT_EQ(history.bisect().code, 3);
    EXPECT_EQ(history.suspects(), names{"change 5"});
    EXPECT_EQ(history.shell("git status --porcelain; git rev-parse HEAD main"), before);
    EXPECT_EQ(history.shell("cat time"), "mine\n");
}

TEST_F(bisect, the_first_and_the_last_candidate_can_be_found) {
    for (const std::size_t fast : {1U, 8U}) {
        const loopbench_command other;
        const git_history history{other, times(fast, 9 - fast)};
        EXPECT_EQ(history.bisect().code, 3);
        EXPECT_EQ(history.suspects(), names{"change " + std::to_string(fast)});
    }
}

TEST_F(bisect, commits_that_cannot_be_measured_are_skipped_with_their_reason) {
    for (const auto& [kind, reason] : {std::pair{"broken", "no such thing"},
                                       {"crash", "out of luck"},
                                       {"missing", "out/bench"},
                                       {"renamed", "BM_sort"}}) {
        const loopbench_command other;
        auto all = times(6, 11);
        all[8] = kind;  // the first commit that a bisection of 16 candidates measures
        const git_history history{other, all};
        const auto ran = history.bisect();
        EXPECT_EQ(ran.code, 3) << kind << ran.error_tail;
        EXPECT_EQ(history.suspects(), names{"change 6"}) << kind;
        const auto step = history.result()["steps"][0];
        EXPECT_EQ(step["verdict"], "skipped") << kind;
        EXPECT_SAYS(step["reason"].get<std::string>(), reason);
        EXPECT_SAYS(ran.output, reason);
        EXPECT_EQ((ran.output + ran.error_tail).find('\x1b'), std::string::npos) << "no escape sequences";
    }
}

TEST_F(bisect, a_skipped_commit_next_to_the_step_leaves_two_suspects) {
    auto all = times(6, 6);
    all[6] = "broken";
    const git_history history{loopbench, all};
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_EQ(history.result()["outcome"], "several");
    EXPECT_EQ(history.suspects(), (names{"change 6", "change 7"}));
    EXPECT_SAYS(ran.output, "ONE OF THESE");
    EXPECT_SAYS(ran.output, "no such thing") << "the last line of the failed build";
}

TEST_F(bisect, a_commit_that_is_on_neither_side_is_undecided) {
    const git_history history{loopbench, {"10", "unclear", "20"}};
    EXPECT_EQ(history.bisect().code, 4);
    const auto step = history.result()["steps"][0];
    EXPECT_EQ(step["verdict"], "undecided");
    EXPECT_EQ(step["blocks"], 100);
    EXPECT_EQ(history.suspects().size(), 2U);
}

TEST_F(bisect, a_commit_is_not_blamed_if_the_commit_before_it_is_equally_fast) {
    const git_history history{loopbench, {"10", "10", "fading 10", "20"}};
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_EQ(history.result()["outcome"], "unconfirmed");
    EXPECT_EQ(history.suspects(), names{"change 2"});
    EXPECT_SAYS(ran.output, "UNDECIDED");
}

TEST_F(bisect, a_program_that_did_not_become_slower_is_reported_as_such) {
    const git_history history{loopbench, {"10", "20", "10"}};
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_EQ(history.result()["outcome"], "no_slowdown");
    EXPECT_SAYS(ran.output, "NO SLOWDOWN");
    EXPECT_EQ(history.builds().size(), 2U);
}

TEST_F(bisect, a_slowdown_that_is_not_ruled_out_is_undecided) {
    const git_history history{loopbench, {"10", "10", "unclear"}};
    EXPECT_EQ(history.bisect().code, 4);
    EXPECT_EQ(history.result()["outcome"], "undecided");
}

TEST_F(bisect, a_killed_bisection_continues_with_the_next_step_and_builds_no_commit_twice) {
    auto all = times(10, 11);
    all[9] = "once 10";  // the fifth and last commit that the bisection measures
    const git_history history{loopbench, all};
    reports::write_file_atomically(loopbench.path("once"), "kill -9 $(cat $folder/pid); exit 1");
    ASSERT_NE(history.bisect().code, 3) << "the build of change 9 kills loopbench";
    ASSERT_TRUE(std::filesystem::exists(loopbench.path("happened")));
    const auto ran = loopbench.in_shell("cd / && $loopbench bisect --resume $out");
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "step 5 of about 5");
    EXPECT_EQ(ran.error_tail.find("step 1 of"), std::string::npos) << "finished steps are not repeated";
    EXPECT_EQ(history.suspects(), names{"change 10"});
    const auto result = history.result();
    EXPECT_EQ(result["steps"].size(), 5U);
    EXPECT_EQ(result["builds"].size(), 7U);
    EXPECT_EQ(history.builds().size(), 8U) << "only the killed build ran twice";
}

TEST_F(bisect, a_bisection_that_is_killed_during_a_trial_continues) {
    auto all = times(4, 5);
    all[4] = "deadly";  // the first commit that a bisection of 8 candidates measures
    const git_history history{loopbench, all};
    ASSERT_NE(history.bisect().code, 3);
    ASSERT_TRUE(std::filesystem::exists(loopbench.path("happened"))) << "the program killed loopbench";
    EXPECT_EQ(loopbench.in_shell("$loopbench bisect --resume $out").code, 3);
    EXPECT_EQ(history.suspects(), names{"change 4"});
    EXPECT_EQ(std::ranges::count(history.builds(), "deadly"), 1) << "a finished build is not repeated";
}

TEST_F(bisect, an_interrupted_bisection_says_how_to_continue) {
    auto all = times(4, 5);
    all[4] = "once 20";
    const git_history history{loopbench, all};
    reports::write_file_atomically(loopbench.path("once"), "kill -INT $(cat $folder/pid); sleep 60");
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 130);
    EXPECT_SAYS(ran.error_tail, "--resume");
    EXPECT_EQ(loopbench.in_shell("$loopbench bisect --resume $out").code, 3);
    EXPECT_EQ(history.suspects(), names{"change 4"});
}

TEST_F(bisect, a_second_bisection_in_the_same_folder_builds_nothing) {
    const git_history history{loopbench, times(5, 6)};
    ASSERT_EQ(history.bisect().code, 3);
    const auto builds = history.builds().size();
    const auto ran = history.bisect();
    ASSERT_EQ(ran.code, 3);
    EXPECT_EQ(history.builds().size(), builds);
    EXPECT_SAYS(ran.error_tail, "reuses the build");
    EXPECT_SAYS(ran.output, std::to_string(builds) + " of an earlier bisection");
    const auto result = history.result();
    EXPECT_EQ(result["builds"].size(), builds);
    for (const auto& build : result["builds"]) EXPECT_EQ(build["reused"], true);
    EXPECT_EQ(history.suspects(), names{"change 5"});
    ASSERT_EQ(history.bisect("first HEAD --program out/bench -- 'sh build.sh; true'").code, 3);
    EXPECT_EQ(history.builds().size(), 2 * builds) << "another command builds all of them again";
}

TEST_F(bisect, a_new_bisection_does_not_continue_the_sessions_of_an_older_one) {
    const git_history history{loopbench, times(2, 2)};
    ASSERT_EQ(history.bisect().code, 3);
    ASSERT_TRUE(std::filesystem::exists(loopbench.path("out/first/journal.jsonl")));
    ASSERT_NE(history.bisect("first HEAD --program out/bench -- 'kill -9 $(cat $folder/pid)'").code, 3);
    for (const auto* old : {"first", "last", "steps", "bisect.json"})
        EXPECT_FALSE(std::filesystem::exists(loopbench.path("out") / old)) << old;
}

TEST_F(bisect, a_merge_is_one_candidate_and_its_branch_can_be_bisected_next) {
    const git_history history{loopbench, times(3, 0)};
    history.shell(
        "git checkout -qb side first; echo 20 > time; git commit -qam slower; echo x > x; git add x; git "
        "commit -qm x; "
        "git checkout -q main; git merge -qX theirs -m merged side; echo y > y; git add y; git commit -qm y");
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_EQ(history.suspects(), names{"merged"});
    EXPECT_SAYS(ran.output, "^2");
    ASSERT_EQ(history.bisect("first side --program out/bench -- sh build.sh").code, 3);
    EXPECT_EQ(history.suspects(), names{"slower"});
}

TEST_F(bisect, json_is_the_whole_output_if_requested) {
    const git_history history{loopbench, times(2, 2)};
    const auto ran = history.bisect("first HEAD --json --program out/bench -- sh build.sh");
    ASSERT_EQ(ran.code, 3);
    EXPECT_EQ(nlohmann::json::parse(ran.output), history.result());
}

TEST_F(bisect, a_folder_with_layouts_is_measured_like_a_program) {
    const git_history history{loopbench, times(3, 3)};
    const auto with_layouts = [](const std::string& count) {
        return "first HEAD --program layouts -- 'sh build.sh; mkdir layouts; read -r number < number; for i "
               "in $(seq -w " +
               count + "); do (cat out/bench; echo \"# $i\") > layouts/$i; chmod +x layouts/$i; done'";
    };
    for (const auto* count : {"8", "$((number > 0 ? 20 : 8))", "$((number < 5 ? 20 : 8))"}) {
        const auto few = history.bisect(with_layouts(count));
        EXPECT_EQ(few.code, 2) << count;
        EXPECT_SAYS(few.error_tail, "layouts");
    }
    const auto enough = history.bisect(with_layouts("12"));
    EXPECT_EQ(enough.code, 3);
    EXPECT_SAYS(enough.error_tail, "build 20 layouts");
    EXPECT_EQ(history.suspects(), names{"change 3"});
    ASSERT_EQ(history.bisect(with_layouts("$((number == 2 ? 8 : 12))")).code, 4);
    EXPECT_EQ(history.suspects(), (names{"change 2", "change 3"}));
    EXPECT_SAYS(history.result()["steps"][0]["reason"].get<std::string>(), "8 executables");
}

TEST_F(bisect, a_step_has_at_most_as_many_blocks_as_layouts) {
    const git_history history{loopbench, {"10", "10", "20"}};
    const auto ran = history.bisect(
        "first HEAD --program layouts -- 'sh build.sh; mkdir layouts; read -r number < number; for i in "
        "$(seq -w 12); do time=$((number == 0 ? 10 : number == 2 ? 20 : 10 + 10 * (1$i % 2))); (sed "
        "\"s/^time=.1 /time=$time /\" out/bench; echo \"# $i\") > layouts/$i; chmod +x layouts/$i; done'");
    ASSERT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_EQ(history.result()["steps"][0]["verdict"], "undecided") << "half of its layouts are slow";
    EXPECT_EQ(history.result()["steps"][0]["blocks"], 12);
}

// The peak memory of a command does not depend on other load.
TEST_F(bisect, a_command_is_measured_in_the_tree_of_each_commit) {
    std::filesystem::create_symlink(LOOPBENCH_COMMAND_RUNNER, loopbench.path("bin/loopbench-command"));
    const git_history history{loopbench, {"1M", "1M", "1M", "64M", "64M"}};
    for (const std::string before : {"", "true & wait; "}) {
        const auto ran =
            history.bisect("first HEAD --metric rss_peak --run '" + before +
                           "read -r size < time; dd if=/dev/zero of=/dev/null bs=$size count=1'");
        EXPECT_EQ(ran.code, 3) << before << ran.error_tail;
        EXPECT_EQ(history.suspects(), names{"change 3"});
    }
}

TEST_F(bisect, a_program_opens_the_files_of_its_commit) {
    const git_history history{loopbench, {"data 10", "data 10", "data 20"}};
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_EQ(history.suspects(), names{"change 2"});
}

TEST_F(bisect, the_program_gets_the_arguments) {
    const git_history history{loopbench, times(2, 2)};
    const auto ran = history.bisect(
        "first HEAD --program out/checks --args='\"a b\" c' -- 'sh build.sh; printf "
        "\"%s\\n\" \"#!/bin/sh\" \"[ \\\"\\$1,\\$2\\\" = \\\"a b,c\\\" ] || exit 3\" \"shift 2\" \"exec "
        "$PWD/out/bench \\\"\\$@\\\"\" > out/checks; chmod +x out/checks'");
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_EQ(history.suspects(), names{"change 2"});
}

TEST_F(bisect, the_default_folder_is_invisible_to_git_and_no_hook_runs) {
    const git_history history{loopbench, times(2, 2)};
    history.shell(
        "printf '#!/bin/sh\n: > $folder/hooked\n' > .git/hooks/post-checkout; chmod +x .git/hooks/*");
    history.shell(
        "$loopbench bisect first HEAD --blocks 6 --min-time 1ms --program out/bench -- sh build.sh || "
        "[ $? = 3 ]");
    EXPECT_TRUE(std::filesystem::exists(loopbench.path("repo/loopbench-bisect/bisect.json")));
    EXPECT_EQ(history.shell("git status --porcelain; git add .; git status --porcelain"), "");
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("hooked")));
}

TEST_F(bisect, a_folder_with_other_files_is_refused_and_kept) {
    const git_history history{loopbench, times(2, 2)};
    history.shell("mkdir steps; echo mine > steps/file");
    const auto ran = loopbench.in_shell(
        "cd $folder/repo; $loopbench bisect first HEAD -o . --program out/bench -- sh build.sh");
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "not empty");
    EXPECT_EQ(history.shell("cat steps/file"), "mine\n");
}

TEST_F(bisect, a_benchmark_of_one_end_is_named_and_a_missing_result_is_undecided) {
    const git_history renamed{loopbench, {"two 10 10", "10"}};
    const auto ran = renamed.bisect();
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_SAYS(ran.output, "Only in GOOD: BM_find (removed or");
    EXPECT_EQ(renamed.result()["only_in_good"], nlohmann::json({"BM_find"}));
    EXPECT_TRUE(renamed.result()["only_in_bad"].empty());
    const loopbench_command other;
    const git_history failing{other, {"two 10 10", "two 10 error"}};
    const auto undecided = failing.bisect();
    EXPECT_EQ(undecided.code, 4) << undecided.output << undecided.error_tail;
    EXPECT_SAYS(undecided.output, "nothing found");
}

TEST_F(bisect, further_benchmarks_that_became_slower_are_named) {
    const git_history history{loopbench, {"two 10 10", "two 10 10", "two 20 15"}};
    const auto ran = history.bisect(git_history::building(), 12);
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_EQ(history.result()["benchmark"], "BM_sort");
    EXPECT_EQ(history.result()["also_slower"], nlohmann::json({"BM_find"}));
    EXPECT_SAYS(ran.output, "Also slower in BAD: BM_find");
    ASSERT_EQ(history.bisect("first HEAD --workload BM_find --program out/bench -- sh build.sh").code, 3);
    EXPECT_EQ(history.result()["benchmark"], "BM_find");
}

TEST_F(bisect, the_last_comparison_measures_no_other_benchmark) {
    const git_history history{loopbench, {"sizes 10", "sizes 10", "sizes 20", "sizes 20"}};
    const auto ran = history.bisect(git_history::building(), 12);
    EXPECT_EQ(ran.code, 3) << "BM_sort/8 fails in the last comparison: " << ran.output;
    EXPECT_EQ(history.suspects(), names{"change 2"});
    EXPECT_EQ(history.result()["benchmark"], "BM_sort");
}

TEST_F(bisect, a_commit_that_explains_less_than_half_of_the_slowdown_is_not_blamed) {
    const loopbench_command one, two;
    const git_history small{one, {"10", "10", "fading 10.15", "10.5"}};
    EXPECT_EQ(small.bisect().code, 4);
    EXPECT_EQ(small.result()["outcome"], "unconfirmed");
    for (const auto* part : {"1.5 %", "5.0 %", "several commits", "--blocks"})
        EXPECT_SAYS(small.result()["reason"].get<std::string>(), part);
    const git_history half{two, {"10", "10", "fading 14.15", "20"}};
    EXPECT_EQ(half.bisect().code, 3);
    const git_history history{loopbench, {"10", "10", "fading 10.5", "20"}};
    EXPECT_EQ(history.bisect("first HEAD --threshold 8% --program out/bench -- sh build.sh").code, 4);
    EXPECT_SAYS(history.result()["reason"].get<std::string>(), "no significant slowdown");
}

TEST_F(bisect, a_slowdown_below_the_threshold_is_ignored) {
    const git_history history{loopbench, {"10", "10", "10.4"}};
    EXPECT_EQ(history.bisect("first HEAD --threshold 10% --program out/bench -- sh build.sh").code, 0);
    EXPECT_EQ(history.bisect().code, 3);
}

TEST_F(bisect, the_rest_of_a_larger_slowdown_is_bisected_in_the_halves_that_contain_commits) {
    const git_history history{loopbench, {"10", "10", "16", "16", "20"}};
    const auto ran = history.bisect();
    EXPECT_EQ(history.suspects(), names{"change 2"});
    const auto note = ran.output.substr(std::min(ran.output.find("NOTE"), ran.output.size()));
    EXPECT_SAYS(note, "GOOD = " + history.shell("git rev-parse HEAD~2").substr(0, 10));
    EXPECT_SAYS(note, "BAD = " + history.shell("git rev-parse HEAD~3").substr(0, 10));
    const loopbench_command other;
    const git_history of_two{other, {"10", "16", "20"}};
    const auto short_one = of_two.bisect();
    EXPECT_SAYS(short_one.output, "GOOD = " + of_two.shell("git rev-parse HEAD~1").substr(0, 10));
    EXPECT_EQ(short_one.output.find("BAD = "), std::string::npos) << "this half contains no commit";
    const loopbench_command third;
    const git_history of_one{third, times(2, 2)};
    EXPECT_EQ(of_one.bisect().output.find("NOTE"), std::string::npos);
}

TEST_F(bisect, a_count_is_bisected_if_it_is_above_zero) {
    const git_history history{loopbench, {"count 5", "count 0", "count 5", "count 10", "count 10"}};
    const std::string words = " HEAD --metric allocations --program out/bench -- sh build.sh";
    const auto ran = history.bisect("first" + words);
    EXPECT_EQ(ran.code, 3) << ran.error_tail;
    EXPECT_EQ(history.suspects(), names{"change 3"});
    EXPECT_EQ(history.result()["metric"], "allocations");
    const auto zero = history.bisect("HEAD~3" + words);
    EXPECT_EQ(zero.code, 2);
    EXPECT_SAYS(zero.error_tail, "above 0");
}

TEST_F(bisect, a_commit_whose_value_is_zero_is_skipped_after_few_blocks) {
    const git_history history{loopbench, {"count 5", "count 0", "count 10"}};
    EXPECT_EQ(history.bisect("first HEAD --metric allocations --program out/bench -- sh build.sh").code, 4);
    const auto step = history.result()["steps"][0];
    EXPECT_SAYS(step["reason"].get<std::string>(), "is 0");
    EXPECT_LE(step["blocks"], 3);
}

TEST_F(bisect, a_pairing_can_be_chosen) {
    const git_history history{loopbench, times(2, 2)};
    EXPECT_EQ(history.bisect("first HEAD --pairing sequential --program out/bench -- sh build.sh").code, 3);
    EXPECT_EQ(history.suspects(), names{"change 2"});
}

TEST_F(bisect, an_unreliable_session_is_measured_twice_and_the_suspects_are_kept) {
    const git_history history{loopbench, {"shaky first", "20", "20"}};
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 5) << ran.error_tail;
    EXPECT_SAYS(ran.output, "UNRELIABLE");
    EXPECT_TRUE(std::filesystem::exists(loopbench.path("out/first-again/journal.jsonl")));
    EXPECT_TRUE(history.suspects().empty());
    const loopbench_command other;
    const git_history at_the_end{other, {"10", "shaky last", "20", "20"}};
    const auto last = at_the_end.bisect();
    EXPECT_EQ(last.code, 5) << last.error_tail;
    EXPECT_EQ(at_the_end.suspects(), names{"change 2"});
    EXPECT_SAYS(last.output, "change 2");
    EXPECT_FALSE(at_the_end.result()["reason"].is_null());
    EXPECT_SAYS(at_the_end.result()["page"].get<std::string>(), "report.html");
    ASSERT_NE(history.bisect("first HEAD --program out/bench -- 'kill -9 $(cat $folder/pid)'").code, 5);
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("out/first-again")));
}

TEST_F(bisect, a_trial_that_fails_once_is_repeated_by_resume) {
    for (const std::string session : {"first", "steps", "last"}) {
        const loopbench_command other;
        const auto flaky = "flaky " + session;
        const bool is_last = session == "last";
        const git_history history{other, {is_last ? "10" : flaky, is_last ? flaky : "10", "20", "20"}};
        const auto ran = history.bisect();
        EXPECT_EQ(ran.code, 1) << session << ran.error_tail;
        EXPECT_SAYS(ran.output + ran.error_tail, "--resume");
        EXPECT_SAYS(ran.output + ran.error_tail, "out of luck");
        const auto again = other.in_shell("$loopbench bisect --resume $out");
        EXPECT_EQ(again.code, 3) << session << again.error_tail;
        EXPECT_EQ(history.suspects(), names{"change 2"});
    }
}

TEST_F(bisect, a_predecessor_that_cannot_be_built_again_is_reported) {
    const git_history history{loopbench, {"10", "fragile", "20", "20"}};
    ASSERT_NE(history.bisect().code, 3);
    ASSERT_TRUE(std::filesystem::exists(loopbench.path("happened"))) << "the program killed loopbench";
    history.shell("rm -r $out/trees/$(git rev-parse HEAD~2 | cut -c 1-10)");
    const auto ran = loopbench.in_shell("$loopbench bisect --resume $out");
    EXPECT_EQ(ran.code, 1) << ran.error_tail;
    EXPECT_SAYS(ran.error_tail, "cannot be measured");
}

TEST_F(bisect, a_finished_step_that_a_kill_lost_has_the_same_number_of_blocks) {
    const git_history history{loopbench, times(2, 1)};
    ASSERT_EQ(history.bisect().code, 3);
    const auto blocks = history.result()["steps"][0]["blocks"].get<int>();
    EXPECT_GT(blocks, 3);
    history.shell("sed -i '/\"step\"/d' $out/steps.jsonl");
    ASSERT_EQ(loopbench.in_shell("$loopbench bisect --resume $out").code, 3);
    EXPECT_EQ(history.result()["steps"][0]["blocks"], blocks);
}

TEST_F(bisect, steps_in_another_order_are_refused) {
    const git_history history{loopbench, times(3, 3)};
    ASSERT_EQ(history.bisect().code, 3);
    history.shell("sed -i 's/\"not_slower\"/\"slower\"/' $out/steps.jsonl");
    const auto ran = loopbench.in_shell("$loopbench bisect --resume $out");
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "another commit");
}

TEST_F(bisect, many_skipped_commits_in_a_row_end_the_search) {
    auto all = times(1, 0);
    all.insert(all.end(), 14, "broken");
    all.emplace_back("20");
    const git_history history{loopbench, all};
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 4);
    EXPECT_SAYS(ran.output, "10 commits in a row");
    EXPECT_EQ(history.builds().size(), 12U);
    EXPECT_EQ(history.suspects().size(), 15U);
    EXPECT_SAYS(ran.output, "and 5 more");
    EXPECT_SAYS(ran.output, "\"change 3\"");
}

TEST_F(bisect, the_result_is_printed_even_if_its_file_cannot_be_written) {
    const git_history history{loopbench, times(1, 1)};
    const auto ran =
        history.bisect("first HEAD --program out/bench -- 'sh build.sh; mkdir -p $out/bisect.json/x'");
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.output, "FOUND");
    EXPECT_SAYS(ran.error_tail, "bisect.json");
}

TEST_F(bisect, a_full_disk_is_no_property_of_a_commit) {
    for (const std::string cause : {"full", "quota"}) {
        const loopbench_command other;
        const git_history history{other, {"10", cause, "20"}};
        const auto ran = history.bisect();
        EXPECT_EQ(ran.code, 1) << cause;
        EXPECT_SAYS(ran.error_tail, "full");
        EXPECT_EQ(content_of(other.path("out/steps.jsonl")).find("skipped"), std::string::npos) << cause;
    }
}

TEST_F(bisect, a_failed_build_with_submodules_names_the_command_that_checks_them_out) {
    const git_history history{loopbench, times(1, 0)};
    history.shell("touch .gitmodules; git add .; echo broken > time; git commit -qam second");
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "git submodule update --init");
}

TEST_F(bisect, a_subject_cannot_control_the_terminal) {
    const git_history history{loopbench, times(1, 0)};
    history.shell("echo 20 > time; git commit -qam \"$(printf 'red \\033[31m')\"");
    const auto ran = history.bisect();
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ((ran.output + ran.error_tail).find('\x1b'), std::string::npos);
}

class wrong_bisect : public bisect {
protected:
    /// Expects that loopbench refuses the words, with exit code 2 and a message that contains `part`.
    void refuses(const std::string& words, std::string_view part) const {
        const auto ran = history.bisect(words);
        EXPECT_EQ(ran.code, 2) << words << ran.error_tail;
        EXPECT_SAYS(ran.error_tail, part);
        EXPECT_FALSE(std::filesystem::exists(loopbench.path("builds"))) << "nothing is built: " << words;
    }

    git_history history{loopbench, times(3, 3)};
    const std::string rest = " --program out/bench -- sh build.sh";
};

TEST_F(wrong_bisect, revisions_that_cannot_be_bisected_are_refused_with_a_remedy) {
    history.shell(
        "git checkout -qb side first; echo z > z; git add z; git commit -qm side; git checkout -q main");
    refuses("first nowhere" + rest, "no commit nowhere");
    refuses("first first" + rest, "same commit");
    refuses("HEAD first" + rest, "exchange");
    refuses("side HEAD" + rest, "merge base, " + history.shell("git rev-parse first").substr(0, 10));
    history.shell("git merge -qm merged side");
    refuses("side HEAD" + rest, history.shell("git rev-parse first").substr(0, 10));
}

TEST_F(wrong_bisect, options_that_do_not_fit_together_are_refused) {
    refuses("first HEAD -- sh build.sh", "--program");
    refuses("first HEAD --program out/bench --run true -- true", "--run");
    refuses("first HEAD --program /bin/true -- true", "relative");
    refuses("first HEAD --program ../bench -- true", "relative");
    refuses("first HEAD --run true --workload x -- true", "--workload");
    refuses("first HEAD --metric speed" + rest, "speed");
    refuses("first --program out/bench", "GOOD or BAD is missing");
    refuses("first HEAD --args=-x --run true -- true", "--args");
    refuses("first HEAD --resume out" + rest, "--resume");
}

TEST_F(wrong_bisect, a_folder_without_a_repository_is_refused) {
    const auto ran = loopbench.in_shell(
        "mkdir $folder/empty; cd $folder/empty; GIT_CEILING_DIRECTORIES=$folder "
        "$loopbench bisect a b --run true");
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "not in a git repository");
}

TEST_F(wrong_bisect, a_shallow_clone_names_the_command_that_completes_it) {
    history.shell("git clone -q --depth 2 file://$folder/repo $folder/shallow");
    const auto ran = loopbench.in_shell("cd $folder/shallow; $loopbench bisect " +
                                        history.shell("git rev-parse first").substr(0, 40) + " HEAD" + rest);
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "git fetch --unshallow");
    history.shell("cd $folder/shallow; git fetch -q --depth 1 origin tag first");
    const auto with_good = loopbench.in_shell("cd $folder/shallow; $loopbench bisect first HEAD" + rest);
    EXPECT_EQ(with_good.code, 2);
    EXPECT_SAYS(with_good.error_tail, "git fetch --unshallow");
}

TEST_F(wrong_bisect, an_ambiguous_hash_is_named_as_such) {
    const auto digits = history.shell(
        "tree=$(git write-tree); for i in $(seq 1000); do git commit-tree -m $i $tree; done | cut -c 1-4 | "
        "sort | "
        "uniq -d | head -n 1");
    if (digits.empty()) GTEST_SKIP() << "all hashes differ in their first four digits";
    refuses(digits.substr(0, 4) + " HEAD" + rest, "use more digits");
}

TEST_F(bisect, both_ends_must_build_and_have_a_benchmark_in_common) {
    for (const auto& [end, code, part] : {std::tuple{"broken", 1, "no such thing"},
                                          {"missing", 1, "out/bench"},
                                          {"renamed", 2, "in common"},
                                          {"crash", 1, "exit code 3"}}) {
        const loopbench_command other;
        const git_history history{other, {"10", "10", end}};
        const auto ran = history.bisect();
        EXPECT_EQ(ran.code, code) << end << ran.error_tail;
        EXPECT_SAYS(ran.error_tail + ran.output, part);
    }
}

}  // namespace

}  // namespace loopbench::tests
