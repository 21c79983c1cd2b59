// Tests a run in shards, from the first `run --shard` to the merged report.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class shard_command : public testing::Test {
protected:
    shard_command() {
        loopbench.add_contender("asio-epoll", R"(row '"real_time": 10')");
        loopbench.add_contender("loop-epoll", R"sh([ ! -e "$0.kills" ] || [ "$(trials)" -lt 5 ] || {
  rm "$0.kills"
  kill -9 $PPID
  exit 1
}
row '"real_time": 5')sh");
    }

    bench::child_outcome run_shard(const std::string& which, const std::string& name,
                                   const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"run",    "--shard", which, "--blocks", "12",
                                       "--seed", "7",       "-o",  at(name)};
        words.insert(words.end(), more.begin(), more.end());
        return loopbench(words);
    }

    bench::child_outcome merge(const std::vector<std::string>& names,
                               const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"merge"};
        for (const auto& name : names) words.push_back(at(name));
        words.insert(words.end(), {"-o", loopbench.out()});
        words.insert(words.end(), more.begin(), more.end());
        return loopbench(words);
    }

    std::string at(const std::string& name) const { return loopbench.path(name).native(); }

    static std::map<std::uint64_t, std::vector<std::string>> orders_in(const fs::path& folder) {
        std::map<std::uint64_t, std::vector<std::string>> all;
        for (const auto& line : journal_lines(folder / "journal.jsonl"))
            if (line.value("attempt", 1) == 0)
                all[line["block"].get<std::uint64_t>()].push_back(line["workload"].dump() +
                                                                  line["contender"].dump());
        return all;
    }

    static std::set<std::string> structure_of(const json& report) {
        std::set<std::string> all;
        for (const auto& item : report["results"])
            all.insert(item["workload"].dump() + item["contender"].dump() + item["metric"].dump() +
                       item["status"].dump() + std::to_string(item["samples"].size()) +
                       (item["ratio"].is_null() ? "" : " with a ratio"));
        return all;
    }

    static std::vector<std::string> codes_of(const json& report) {
        std::vector<std::string> all;
        for (const auto& item : report["warnings"]) all.push_back(item["code"]);
        return all;
    }

    loopbench_command loopbench;
};

TEST_F(shard_command, four_merged_shards_equal_a_whole_run_although_one_shard_was_killed_and_resumed) {
    for (const std::string number : {"1", "2", "4"})
        EXPECT_EQ(run_shard(number + "/4", "s" + number).code, 0) << number;
    // The file contains the number of trials of the contender. Without it, the contender counts from 0 again.
    fs::remove(loopbench.path("bin/contenders/loop-epoll.trials"));
    reports::write_file_atomically(loopbench.path("bin/contenders/loop-epoll.kills"), "");
    const auto died = run_shard("3/4", "s3");
    ASSERT_EQ(died.end, bench::child_end::signalled);
    EXPECT_EQ(died.code, 9);

    const auto refused = merge({"s1", "s2", "s3", "s4"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_SAYS(refused.error_tail, "shard 3 of 4 has ");
    EXPECT_FALSE(fs::exists(loopbench.out()));

    const auto resumed = loopbench({"run", "--resume", at("s3")});
    EXPECT_EQ(resumed.code, 0) << resumed.error_tail;
    EXPECT_SAYS(resumed.error_tail, "shard 3 of 4, with 3 of 12 blocks");
    const auto merged = merge({"s4", "s3", "s2", "s1"});
    EXPECT_EQ(merged.code, 0) << merged.error_tail;
    const auto report = loopbench.report();
    EXPECT_TRUE(fits_the_schema(report));

    ASSERT_EQ(loopbench({"run", "--blocks", "12", "--seed", "7", "-o", at("whole")}).code, 0);
    const auto whole = json::parse(content_of(loopbench.path("whole/report.json")));
    EXPECT_EQ(orders_in(loopbench.out()), orders_in(loopbench.path("whole")));
    EXPECT_EQ(structure_of(report), structure_of(whole));
    for (const auto* field : {"plan", "seed", "baseline", "complete", "workloads", "judging"})
        EXPECT_EQ(report[field], whole[field]) << field;
    EXPECT_FALSE(report.contains("hosts")) << "all shards ran on one machine";
    EXPECT_EQ(codes_of(report), codes_of(whole));
    EXPECT_EQ(time_of(report, "loop-epoll")["ratio"], time_of(whole, "loop-epoll")["ratio"]);
    EXPECT_EQ(time_of(report, "loop-epoll")["samples"].size(), 12U);

    const auto file = loopbench.out() + "/journal.jsonl";
    const auto again = loopbench({"report", file, "--format", "json"});
    EXPECT_EQ(json::parse(again.output), report);
    EXPECT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 2) << "only its shards can be resumed";
}

TEST_F(shard_command, a_merge_is_refused_if_a_shard_is_missing_unless_the_option_partial_is_given) {
    ASSERT_EQ(run_shard("1/3", "a").code, 0);
    ASSERT_EQ(run_shard("3/3", "c").code, 0);
    const auto refused = merge({"a", "c"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_SAYS(refused.error_tail, "shard 2 of 3 is missing");
    EXPECT_FALSE(fs::exists(loopbench.out()));
    const auto taken = merge({"a", "c"}, {"--partial"});
    EXPECT_EQ(taken.code, 4) << taken.error_tail;
    EXPECT_EQ(codes_of(loopbench.report()), std::vector<std::string>{"missing_shards"});
    EXPECT_EQ(loopbench.report()["complete"], false);
    ASSERT_EQ(run_shard("2/3", "b").code, 0);
    EXPECT_EQ(merge({"a", "b", "c"}, {"--partial"}).code, 0) << "nothing is missing";
    EXPECT_EQ(loopbench.report()["complete"], true);
}

TEST_F(shard_command, merging_shards_with_different_plans_or_builds_is_refused_and_writes_nothing) {
    ASSERT_EQ(run_shard("1/2", "a").code, 0);
    ASSERT_EQ(run_shard("2/2", "b", {"--threshold", "2%"}).code, 0);
    const auto refused = merge({"a", "b"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_SAYS(refused.error_tail, "\"threshold_pct\" is 1.0");
    EXPECT_EQ(merge({"a", "a"}).code, 2);
    loopbench.add_contender("loop-epoll", R"(row '"real_time": 6')");
    ASSERT_EQ(run_shard("2/2", "c").code, 0);
    const auto other_build = merge({"a", "c"});
    EXPECT_EQ(other_build.code, 2);
    EXPECT_SAYS(other_build.error_tail, "checksum of the file loop-epoll");
    EXPECT_EQ(loopbench({"merge", at("a"), "-o", at("a")}).code, 2) << "it would overwrite a shard";
    EXPECT_FALSE(fs::exists(loopbench.out()));
}

TEST_F(shard_command, a_shard_succeeds_although_a_contender_fails_and_the_merge_reports_the_failure) {
    loopbench.add_contender("loop-epoll", "exit 3");
    EXPECT_EQ(run_shard("1/2", "a").code, 0) << "all of its blocks are done";
    EXPECT_EQ(run_shard("2/2", "b").code, 0);
    EXPECT_EQ(merge({"a", "b"}).code, 1) << "a contender failed";
    EXPECT_EQ(time_of(loopbench.report(), "loop-epoll")["status"], "failed");
}

TEST_F(shard_command, options_that_shards_cannot_support_are_refused) {
    const auto refusal = [&](const std::vector<std::string>& words) {
        const auto ran = loopbench(words);
        EXPECT_EQ(ran.code, 2) << ran.error_tail;
        return ran.error_tail;
    };
    const auto out = loopbench.out();
    for (const std::string which : {"0/4", "5/4", "1", "1/", "/4", "a/b", "1/0", "-1/4", "1/999999999"})
        EXPECT_SAYS(refusal({"run", "--shard", which, "--seed", "1", "-o", out}), "expected I/N") << which;
    EXPECT_SAYS(refusal({"run", "--shard", "1/4", "-o", out}), "requires --seed");
    EXPECT_SAYS(refusal({"run", "--shard", "1/4", "--seed", "1"}), "requires --output");
    EXPECT_SAYS(refusal({"run", "--shard", "1/4", "--seed", "1", "-o", out, "--blocks", "3"}),
                "4 shards cannot share 3 blocks");
    EXPECT_SAYS(
        refusal({"run", "--shard", "1/4", "--seed", "1", "-o", out, "--precision", "1%", "--budget", "9s"}),
        "--precision");
    EXPECT_SAYS(refusal({"merge", at("nowhere"), "-o", out}), "nowhere");
    EXPECT_FALSE(fs::exists(out));
}

TEST_F(shard_command, a_merge_keeps_the_histograms_of_all_shards_and_the_counts_of_the_first_shard) {
    loopbench.add_contender("loop-epoll", R"sh(
printf '{"schema": "loopbench-histogram-file/1", "contender": "x", "histograms": [
  {"workload": "%s", "metric": "latency", "unit": "ns", "count": 1, "min": 9, "max": 9, "mean": 9,
   "buckets": [[9, 9, 1]]}]}' "${workload%/real_time}" > "$LOOPBENCH_HISTOGRAM_FILE"
row '"real_time": 5')sh");
    ASSERT_EQ(run_shard("1/2", "a").code, 0);
    ASSERT_EQ(run_shard("2/2", "b").code, 0);
    const auto lines = [&](const std::string& name) {
        return journal_lines(loopbench.path(name) / "histograms.jsonl").size() - 1;
    };
    reports::write_file_atomically(loopbench.path("a/counts.json"), "{\"of\": \"the first\"}\n");
    reports::write_file_atomically(loopbench.path("b/counts.json"), "{\"of\": \"the second\"}\n");
    ASSERT_EQ(merge({"b", "a"}).code, 0);
    EXPECT_EQ(lines("out"), lines("a") + lines("b"));
    EXPECT_EQ(lines("out"), 24U);
    EXPECT_EQ(loopbench({"report", loopbench.out() + "/report.json", "--format", "hgrm"}).code, 0);
    EXPECT_EQ(content_of(loopbench.path("out/counts.json")), "{\"of\": \"the first\"}\n");
    fs::remove(loopbench.path("a/counts.json"));
    fs::remove(loopbench.path("b/histograms.jsonl"));
    const auto without = merge({"a", "b"});
    EXPECT_EQ(without.code, 0);
    EXPECT_SAYS(without.error_tail, "b has no histograms.jsonl");
    EXPECT_EQ(lines("out"), lines("a"));
    EXPECT_FALSE(fs::exists(loopbench.path("out/counts.json"))) << "it belongs to another record";
}

}  // namespace

}  // namespace loopbench::tests
