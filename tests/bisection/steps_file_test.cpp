// Tests the file with which a bisection is continued.
#include "bench/harness/bisection/steps_file.hpp"

#include <gtest/gtest.h>

#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/require_format.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using bench::commit_info;
using bench::commit_verdict;
using bench::steps_file;
using bench::steps_record;

commit_info commit(char digit, std::string subject) {
    return {std::string(40, digit), std::move(subject), 1};
}

bench::bisect_request request() {
    bench::bisect_request all;
    all.folder = "/somewhere";
    all.good = commit('a', "first");
    all.commits = {commit('b', "second \"one\""), commit('c', "thïrd")};
    all.build = "make -j2";
    all.program = "build/bench";
    all.workloads = {"BM_*"};
    all.pairing = reports::pairing::sequential;
    all.seed = 7;
    return all;
}

std::string text_in(const temporary_folder& folder) {
    return content_of(folder / "steps.jsonl");
}

std::string complaint_about(const std::string& text) {
    return complaint_of<reports::format_error>([&] { bench::read_steps(text, "steps.jsonl"); });
}

TEST(steps_file, everything_that_was_written_is_read_again) {
    const temporary_folder folder;
    {
        steps_file file{folder.path(), request()};
        file.add(bench::build_line{std::string(40, 'b'), 1.5, "exit code 1"});
        file.add(bench::step_line{.step = std::string(40, 'b'),
                                  .verdict = commit_verdict::skipped,
                                  .reason = "it does not build",
                                  .blocks = 12,
                                  .ratio = 0.5,
                                  .error = 0.007,
                                  .seconds = 3});
    }
    const auto found = bench::read_steps(text_in(folder), "steps.jsonl");
    EXPECT_EQ(found.request.commits[1].subject, "thïrd");
    EXPECT_EQ(found.request.bad().id, std::string(40, 'c'));
    EXPECT_EQ(found.request.pairing, reports::pairing::sequential);
    EXPECT_EQ(found.request.seed, 7U);
    ASSERT_EQ(found.builds.size(), 1U);
    EXPECT_EQ(found.builds[0].failure, "exit code 1");
    ASSERT_EQ(found.steps.size(), 1U);
    EXPECT_EQ(found.steps[0].verdict, commit_verdict::skipped);
    EXPECT_EQ(found.steps[0].blocks, 12U);
    EXPECT_EQ(found.steps[0].ratio, 0.5);
}

TEST(steps_file, a_line_that_a_kill_cut_short_is_removed) {
    const temporary_folder folder;
    { steps_file file{folder.path(), request()}; }
    reports::write_file_atomically(folder / "steps.jsonl", text_in(folder) + R"({"step":"bbbb)");
    steps_record found;
    steps_file file{folder.path(), found};
    file.add(bench::build_line{std::string(40, 'c'), 1, {}});
    EXPECT_EQ(bench::read_steps(text_in(folder), "steps.jsonl").builds.size(), 1U);
}

TEST(steps_file, another_format_or_a_wrong_value_is_refused_with_its_line) {
    const temporary_folder folder;
    { steps_file file{folder.path(), request()}; }
    const auto text = text_in(folder);
    EXPECT_SAYS(complaint_about(""), "no complete line");
    EXPECT_SAYS(complaint_about("{\"schema\":\"loopbench-steps/9\"}\n"), "newer version");
    EXPECT_SAYS(complaint_about(text + "{\"step\":\"" + std::string(40, 'd') + "\"}\n"), "line 2");
    const auto with = [&](const std::string& old, const std::string& other) {
        auto changed = text;
        return changed.replace(changed.find(old), old.size(), other);
    };
    EXPECT_SAYS(complaint_about(with(std::string(40, 'a'), "--upload-pack=x")), "hash of a commit");
    EXPECT_SAYS(complaint_about(with("\"time\"", "\"speed\"")), "unknown metric");
    EXPECT_SAYS(complaint_about(with("\"blocks\":20", "\"blocks\":0")), "from 1 to");
}

TEST(steps_file, a_folder_is_used_by_one_bisection_at_a_time) {
    const temporary_folder folder;
    const steps_file file{folder.path(), request()};
    EXPECT_SAYS(complaint_of<reports::file_error>([&] { steps_file{folder.path(), request()}; }), "-o");
}

TEST(steps_file, continuing_needs_an_earlier_bisection) {
    const temporary_folder folder;
    steps_record found;
    EXPECT_SAYS(complaint_of<bench::usage_error>([&] { steps_file{folder.path(), found}; }), "--resume");
}

}  // namespace

}  // namespace loopbench::tests
