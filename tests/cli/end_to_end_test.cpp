// Tests the main use case: the real command measures real contenders and writes the reports.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/trial/process/child_process.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/schema_check.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using nlohmann::json;

class end_to_end : public testing::Test {
protected:
    static bench::child_outcome loopbench(std::vector<std::string> arguments) {
        bench::child_request request;
        request.command = std::move(arguments);
        request.command.insert(request.command.begin(), LOOPBENCH_REAL_COMMAND);
        request.limit = std::chrono::minutes{4};
        request.error_tail_bytes = 65536;
        return bench::run_child(request);
    }

    bench::child_outcome run(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"run",         "--quick",    "--contender", "loop-epoll",
                                     "--contender", "asio-epoll", "-o",          folder.path().native()};
        all.insert(all.end(), more.begin(), more.end());
        return loopbench(all);
    }

    /// Returns true for the exit codes 0 and 5. A run ends with code 5 (unreliable) if other tests keep the
    /// machine busy.
    static bool is_fine(int code) { return code == 0 || code == 5; }

    json report() const { return json::parse(content_of(folder / "report.json")); }

    static std::set<std::string> headline() {
        std::set<std::string> names;
        const auto listed = json::parse(loopbench({"list", "--json"}).output);
        for (const auto& who : listed["contenders"])
            if (who["name"] == "asio-epoll")
                for (const std::string name : who["workloads"])
                    if (bench::is_headline_workload(name)) names.insert(name);
        return names;
    }

    temporary_folder folder;
};

TEST_F(end_to_end, a_quick_run_reports_both_contenders_on_every_default_workload) {
    const auto ran = run({"--blocks", "1", "--verbose"});
    ASSERT_TRUE(is_fine(ran.code)) << ran.code << ran.error_tail << ran.output;
    const auto found = report();
    EXPECT_TRUE(fits_the_schema(found));
    EXPECT_EQ(found["complete"], true);
    std::map<std::string, json> times;
    std::set<std::string> rows;
    for (const auto& item : found["results"]) {
        const auto cell =
            item["workload"].get<std::string>() + "," + item["contender"].get<std::string>() + ",";
        EXPECT_TRUE(rows.insert(cell + item["metric"].get<std::string>() + ",").second)
            << item << " occurs twice";
        if (item["metric"] == "time") times[cell] = item;
    }
    const auto workloads = headline();
    EXPECT_EQ(workloads.size(), 9U);
    EXPECT_EQ(times.size(), 2 * workloads.size());
    for (const auto& name : workloads) {
        for (const auto* who : {"loop-epoll", "asio-epoll"}) {
            auto time = times[name + "," + who + ","];
            EXPECT_EQ(time["status"], "ok") << time;
            EXPECT_GT(time["median"].get<double>(), 0) << time;
        }
        auto ratio = times[name + ",loop-epoll,"]["ratio"];
        EXPECT_EQ(ratio["to"], "asio-epoll");
        EXPECT_GT(ratio["median"].get<double>(), 0) << name;
        EXPECT_NE(ran.output.find(name), std::string::npos) << name << " is not in the table";
    }

    std::istringstream csv{content_of(folder / "report.csv")};
    std::string line;
    std::getline(csv, line);
    EXPECT_TRUE(line.starts_with("workload,contender,metric,unit,")) << line;
    while (std::getline(csv, line)) {
        auto end = line.find(',');
        for (int comma = 1; comma < 3; ++comma) end = line.find(',', end + 1);
        EXPECT_EQ(rows.erase(line.substr(0, end + 1)), 1U) << line;
    }
    EXPECT_TRUE(rows.empty()) << *rows.begin() << " is not in report.csv";
}

TEST_F(end_to_end, a_run_of_six_blocks_gives_intervals_for_every_basic_metric) {
    const auto ran = run({"--blocks", "6", "--workload", "yield", "--workload", "timer/periodic"});
    ASSERT_TRUE(is_fine(ran.code)) << ran.code << ran.error_tail << ran.output;
    std::set<std::string> metrics;
    const auto written = report();
    std::set<std::string> disturbed;  // workloads whose trials other tests disturbed; these have no verdict
    for (const std::string name : written["disturbances"].value("workloads", json::array()))
        disturbed.insert(name);
    for (const auto& item : written["results"]) {
        metrics.insert(item["metric"]);
        if (item["metric"] != "time") continue;
        EXPECT_LE(item["low"].get<double>(), item["median"].get<double>()) << item;
        EXPECT_GE(item["high"].get<double>(), item["median"].get<double>()) << item;
        EXPECT_EQ(item["samples"].size(), 6U);
        if (item["contender"] == "asio-epoll") continue;
        EXPECT_LE(item["ratio"]["low"].get<double>(), item["ratio"]["median"].get<double>()) << item;
        EXPECT_TRUE(item["verdict"].is_string() || disturbed.contains(item["workload"])) << item;
    }
    for (const auto* name :
         {"time", "late_p50", "late_p99", "late_max", "early", "cpu_user", "cpu_system", "spin", "wakeups"})
        EXPECT_TRUE(metrics.contains(name)) << name;
}

TEST_F(end_to_end, four_shards_can_be_merged_although_one_shard_was_killed_and_resumed) {
    constexpr auto script = R"sh(
set -eu
shard() {
  "$loopbench" run --quick --workload yield --workload timer/periodic --contender loop-epoll \
    --contender asio-epoll --blocks 8 --budget 10min --seed 7 --shard "$1/4" -o "$folder/s$1" >/dev/null 2>&1
}
for number in 1 2 4; do shard $number; done
shard 3 &
until grep -q attempt "$folder/s3/journal.jsonl" 2>/dev/null; do sleep 0.01; done
child=$(cat /proc/$!/task/$!/children)
kill -9 $child
wait || true
! "$loopbench" merge "$folder"/s? -o "$folder/merged" >/dev/null 2>"$folder/refusal"
"$loopbench" run --resume "$folder/s3" >/dev/null 2>&1
"$loopbench" merge "$folder"/s? -o "$folder/merged"
)sh";
    bench::child_request request;
    request.command = {"/bin/sh", "-c", script};
    request.environment = {{"loopbench", LOOPBENCH_REAL_COMMAND}, {"folder", folder.path().native()}};
    request.limit = std::chrono::minutes{4};
    const auto ran = bench::run_child(request);
    ASSERT_TRUE(is_fine(ran.code)) << ran.code << ran.error_tail << ran.output;
    EXPECT_NE(content_of(folder / "refusal").find("shard 3 of 4 has "), std::string::npos)
        << content_of(folder / "refusal");
    const auto merged = json::parse(content_of(folder / "merged/report.json"));
    EXPECT_TRUE(fits_the_schema(merged));
    EXPECT_EQ(merged["complete"], true);
    EXPECT_FALSE(merged.contains("hosts"));
    std::map<std::uint64_t, std::set<std::string>> blocks;
    for (const auto& line : journal_lines(folder / "merged/journal.jsonl"))
        if (line.contains("attempt"))
            blocks[line["block"].get<std::uint64_t>()].insert(line["workload"].dump() +
                                                              line["contender"].dump());
    EXPECT_EQ(blocks.size(), 8U);
    for (const auto& [block, cells] : blocks) EXPECT_EQ(cells.size(), 6U) << block;

    const auto at_once = run({"--workload", "yield", "--workload", "timer/periodic", "--blocks", "8",
                              "--budget", "10min", "--seed", "7"});
    ASSERT_TRUE(is_fine(at_once.code)) << at_once.error_tail;
    const auto whole = report();
    std::map<std::string, std::size_t> wanted, found;
    for (const auto& [from, to] : {std::pair{&whole, &wanted}, std::pair{&merged, &found}})
        for (const auto& item : (*from)["results"])
            (*to)[item["workload"].dump() + item["contender"].dump() + item["metric"].dump()] =
                item["samples"].size();
    EXPECT_EQ(found, wanted);
}

}  // namespace

}  // namespace loopbench::tests
