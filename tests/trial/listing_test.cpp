// Tests how names of benchmarks are told apart from other text that a program prints.
#include "bench/harness/trial/listing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/harness/trial/contender_list.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using benchmark_names = std::vector<std::string>;

/// Lists the benchmarks of a script. `script` can use the function `benchmarks NAME...`, which prints names
/// as Google Benchmark does: nothing if the filter is ^$ or ^(nothing). `$count` is the number of this start.
bench::contender contender_of(const temporary_folder& folder, const std::string& script,
                              const std::string& filter = {}, std::chrono::nanoseconds limit = 60s) {
    write_script(folder / "contender", R"sh(
printf . >> "$0.starts"
read -r starts < "$0.starts"
count=${#starts}
benchmarks() { case "$2$3" in *'=^$'|*'=^(nothing)') ;; *) shift 3; printf '%s\n' "$@";; esac }
)sh" + script);
    bench::contender who{"contender", folder / "contender", {}, {}};
    bench::list_workloads(who, bench::workload_size::small, limit, -1, filter);
    return who;
}

benchmark_names listed(const std::string& script, const std::string& filter = {}) {
    const temporary_folder folder;
    const auto who = contender_of(folder, script, filter);
    EXPECT_EQ(who.problem, "");
    return who.workloads;
}

std::string problem_of(const std::string& script) {
    const temporary_folder folder;
    return contender_of(folder, script).problem;
}

std::string printing(const std::string& noise, const std::string& after = ":") {
    return fmt::format("{}\nbenchmarks \"$1\" \"$2\" \"$3\" a 'b <c>'\n{}\n", noise, after);
}

struct noise_case {
    const char* what;
    const char* before;
    const char* after = ":";
};

/// Text that programs print to their standard output in addition to the names (arborx/ArborX#207,
/// open-telemetry/opentelemetry-cpp#3917, matepek/vscode-catch2-test-adapter#253).
constexpr noise_case noises[] = {
    {"nothing", ":"},
    {"a sentence", "echo Hello from my benchmark v1.2"},
    {"one word, which looks like a name", "echo ready"},
    {"a rule, and text at the end", "echo =====", "echo done, bye"},
    {"a log with the time", R"sh(echo "[12:00:0$count] loading tables")sh"},
    {"a word that changes", "echo pid=$count", "echo took:${count}ms"},
    {"empty lines", "echo; echo"},
    {"a line that occurs twice", "echo loading; echo loading"},
};

class noise : public testing::TestWithParam<noise_case> {};

TEST_P(noise, text_on_standard_output_is_not_listed_as_a_benchmark) {
    EXPECT_EQ(listed(printing(GetParam().before, GetParam().after)), (benchmark_names{"a", "b <c>"}))
        << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(listing, noise, testing::ValuesIn(noises));

TEST(listing, a_program_that_ignores_the_filter_keeps_its_names) {
    EXPECT_EQ(listed("printf 'a\nb c\n'"), (benchmark_names{"a", "b c"}));
    EXPECT_EQ(listed("printf 'a\nb c\n'; echo \"started at $count\""), (benchmark_names{"a", "b c"}))
        << "the line with the number of the start differs from start to start";
}

TEST(listing, a_filter_that_selects_nothing_lists_all_benchmarks_but_not_the_noise) {
    EXPECT_EQ(listed(printing("echo ready"), "^(nothing)"), (benchmark_names{"a", "b <c>"}));
    EXPECT_EQ(listed(printing("echo pid=$count"), "^(nothing)"), (benchmark_names{"a", "b <c>"}));
    EXPECT_EQ(listed("printf 'a\nb c\n'", "^(nothing)"), (benchmark_names{"a", "b c"}));
}

TEST(listing, a_second_listing_that_fails_is_reported_and_does_not_hide_benchmarks) {
    const std::string noisy = "echo pid=$count; ";
    EXPECT_SAYS(problem_of(noisy + "[ $count = 3 ] && echo a && exit 7; benchmarks \"$1\" \"$2\" \"$3\" a b"),
                "exit code 7");
    EXPECT_SAYS(problem_of(noisy + "[ $count = 3 ] || benchmarks \"$1\" \"$2\" \"$3\" a b"), "in common");
}

TEST(listing, a_listing_of_the_noise_that_takes_too_long_is_a_failure) {
    const temporary_folder folder;
    const auto who =
        contender_of(folder, "case $2 in *'=^$') sleep 60 ;; esac; echo pid=$count a", {}, 500ms);
    EXPECT_SAYS(who.problem, "no result within");
}

TEST(listing, other_lines_are_kept_for_a_note) {
    const temporary_folder folder;
    const auto who = contender_of(folder, "echo other/a; benchmarks \"$1\" \"$2\" \"$3\" a b");
    EXPECT_EQ(who.workloads, (benchmark_names{"a", "b"}));
    EXPECT_EQ(who.other_text, benchmark_names{"other/a"});
}

TEST(listing, a_layout_with_other_benchmarks_is_found_with_one_start) {
    const temporary_folder folder, others;
    const auto with = [](const char* names) {
        return fmt::format("benchmarks \"$1\" \"$2\" \"$3\" {}\n", names);
    };
    const auto who = contender_of(folder, with("a b b"));
    const auto difference = [&](const char* names) {
        contender_of(others, with(names));
        const auto starts = others / "contender.starts";
        std::filesystem::remove(starts);
        auto found = bench::check_layout(who, others / "contender", bench::workload_size::small, 60s, -1, {});
        EXPECT_EQ(std::filesystem::file_size(starts), 1U);
        EXPECT_FALSE(found.failure && found.difference);
        return found.failure ? "failure: " + *found.failure : found.difference.value_or("");
    };
    EXPECT_EQ(difference("a b b"), "");
    EXPECT_EQ(difference("b a b"), "");
    EXPECT_SAYS(difference("a b"), "lacks the benchmark b");
    EXPECT_SAYS(difference("a b b c"), "has the benchmark c");
    EXPECT_SAYS(difference("a b b; exit 3"), "failure: exit code 3");
}

TEST(listing, a_benchmark_with_the_text_of_the_noise_keeps_its_name) {
    EXPECT_EQ(listed("echo a; benchmarks \"$1\" \"$2\" \"$3\" a b"), (benchmark_names{"a", "b"}));
}

TEST(shared_limit, processes_share_a_time_limit_and_each_gets_at_least_100_ms) {
    using bench::shared_limit;
    const auto now = shared_limit::clock::now();
    EXPECT_EQ(shared_limit{now - 1s}.left(), 100ms);
    EXPECT_TRUE(shared_limit{now - 1s}.is_over());
    EXPECT_LE(shared_limit{now + 1h}.left(), 1h);
    EXPECT_GT(shared_limit{1h}.left(), 100ms);
    EXPECT_FALSE(shared_limit{1h}.is_over());
}

}  // namespace

}  // namespace loopbench::tests
