// Tests the commands with files of other tools, and with the tools themselves if they are installed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "support.hpp"
#include "tests/support/command_support.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;

constexpr auto hyperfine_file =
    R"({"results": [{"command": "make\nall", "mean": 1.5, "median": 1.5, "times": [1, 2], "exit_codes": [0, 0]}]})";

constexpr auto pytest_file_text =
    R"({"machine_info": {}, "commit_info": {"id": "cafe", "dirty": false}, "datetime": "2026-02-03T04:05:06",
        "benchmarks": [{"fullname": "test_a", "stats": {"data": [0.5]}}]})";

constexpr auto cargo_criterion_lines =
    R"({"reason":"benchmark-complete","id":"fib","iteration_count":[1],"measured_values":[5],"unit":"ns"})";

/// Returns a data.js with these commits. The date of a commit has the commit's number as minutes.
std::string data_js_of(
    const std::vector<int>& commits, const char* unit = "ns",
    int (*value_of)(int) = [](int commit) { return commit; }) {
    std::string entries;
    for (const int commit : commits)
        entries += fmt::format(
            R"({}{{"commit": {{"id": "commit{}"}}, "date": {}, "tool": "go",
                "benches": [{{"name": "fib", "value": {}, "unit": "{}"}}]}})",
            entries.empty() ? "" : ",", commit, 1'770'000'000'000 + commit * 60'000LL, value_of(commit),
            unit);
    return fmt::format(R"(window.BENCHMARK_DATA = {{"lastUpdate": 1, "entries": {{"Suite": [{}]}}}})",
                       entries);
}

class tool_files : public testing::Test {
protected:
    bench::child_outcome run(const std::string& name, std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"history", name, "--history", history.place()});
        return loopbench(more);
    }

    std::string write(const std::string& name, const std::string& text) const {
        const auto file = loopbench.path(name);
        fs::create_directories(file.parent_path());
        reports::write_file_atomically(file, text);
        return file.native();
    }

    std::string write_criterion_folder() const {
        write("criterion/fib/new/benchmark.json", R"({"group_id": "fib", "full_id": "fib"})");
        write("criterion/fib/new/sample.json", R"({"iters": [1.0, 2.0], "times": [10.0, 20.0]})");
        return loopbench.path("criterion").native();
    }

    nlohmann::json runs() const {
        const auto listed = run("list", {"--json"});
        EXPECT_EQ(listed.code, 0) << listed.error_tail;
        return nlohmann::json::parse(listed.output)["runs"];
    }

    std::vector<std::string> sources() const {
        std::vector<std::string> all;
        for (const auto& each : runs()) all.push_back(each["source"]);
        return all;
    }

    const empty_history history;
    loopbench_command loopbench;
};

TEST_F(tool_files, a_file_of_each_tool_becomes_a_run) {
    for (const auto& file : {write("hyperfine.json", hyperfine_file), write_criterion_folder(),
                             write("lines.json", cargo_criterion_lines)}) {
        const auto added = run("add", {file, "--date", "2026-01-02T03:04:05Z", "--commit", "cafe"});
        EXPECT_EQ(added.code, 0) << added.error_tail;
        EXPECT_EQ(added.error_tail, "");
    }
    EXPECT_EQ(run("add", {write("pytest.json", pytest_file_text), write("data.js", data_js_of({1}))}).code,
              0);
    EXPECT_EQ(sources(), (std::vector<std::string>{"hyperfine", "criterion", "criterion",
                                                   "github-action-benchmark", "pytest-benchmark"}));
    EXPECT_EQ(runs()[0]["commit"], "cafe");
    for (const auto* number : {"1", "2", "3", "4", "5"}) EXPECT_EQ(run("show", {number}).code, 0) << number;
    EXPECT_SAYS(run("show", {"1"}).output, "make?all") << "a line break must not break a table";
    EXPECT_SAYS(run("trend").output, "fib");
    EXPECT_EQ(run("export", {"-o", loopbench.path("points.csv").native()}).code, 0);
    EXPECT_EQ(run("export", {"5", "-o", loopbench.path("kept.json").native()}).code, 0);
    EXPECT_EQ(loopbench({"report", loopbench.path("kept.json").native(), "--format", "text"}).code, 0);
}

TEST_F(tool_files, a_stated_date_corrects_the_date_of_a_stored_run) {
    const auto file = write("hyperfine.json", hyperfine_file);
    for (const auto* date : {"2026-01-02", "2026-01-03T03:04:05+01:00"})
        EXPECT_EQ(run("add", {file, "--date", date}).code, 0);
    ASSERT_EQ(runs().size(), 1U);
    EXPECT_EQ(runs()[0]["date"], "2026-01-03T02:04:05Z");
    EXPECT_EQ(run("add", {file}).code, 2);
    EXPECT_EQ(run("add", {file, "--date", "2026-02-31"}).code, 2);
}

TEST_F(tool_files, the_data_of_github_action_benchmark_is_added_completely_or_not_at_all) {
    auto text = data_js_of({1, 2, 3});
    text.replace(text.find("1770000180000"), 13, "-770000180000");
    const auto refused = run("add", {write("data.js", text)});
    EXPECT_EQ(refused.code, 2);
    EXPECT_SAYS(refused.error_tail, "data.js");
    EXPECT_SAYS(refused.error_tail, "entries.Suite[2].date");
    EXPECT_EQ(runs().size(), 0U);
}

// The transaction fails in the middle, because the file of the history cannot grow.
TEST_F(tool_files, a_data_file_that_does_not_fit_changes_nothing) {
    if (!history.is_file()) return;
    ASSERT_EQ(run("add", {write("few.js", data_js_of({1}))}).code, 0);
    std::vector<int> commits(499);
    std::iota(commits.begin(), commits.end(), 1);
    write("data.js", data_js_of(commits));
    const auto full = loopbench.in_shell("ulimit -f 300; $loopbench history add --history '" +
                                         history.place() + "' $folder/data.js");
    EXPECT_EQ(full.code, 1) << full.error_tail;
    EXPECT_EQ(runs().size(), 1U);
    EXPECT_SAYS(run("add", {loopbench.path("data.js").native()}).output, "498 runs were added");
}

TEST_F(tool_files, adding_a_longer_data_file_again_adds_only_the_new_runs) {
    const auto first = run("add", {write("data.js", data_js_of({1, 2, 3}))});
    EXPECT_EQ(first.code, 0) << first.error_tail;
    EXPECT_SAYS(first.output, "3 runs were added");
    const auto second = run("add", {write("data.js", data_js_of({2, 3, 4, 5}))});
    EXPECT_SAYS(second.output, "2 runs were added, 2 were already stored");
    ASSERT_EQ(runs().size(), 5U);
    EXPECT_EQ(runs()[4]["commit"], "commit5");
    EXPECT_EQ(runs()[4]["date"], "2026-02-02T02:45:00Z");
    EXPECT_SAYS(run("add", {write("data.js", data_js_of({2, 3}))}).output, "0 runs were added");
}

TEST_F(tool_files, changes_in_the_values_of_other_units_are_found) {
    std::vector<int> commits(20);
    std::iota(commits.begin(), commits.end(), 1);
    const auto larger_from_13 = [](int commit) { return (commit < 13 ? 1000 : 2000) + commit % 3; };
    EXPECT_EQ(run("add", {write("data.js", data_js_of(commits, "KiB", larger_from_13))}).code, 0);
    const auto found = nlohmann::json::parse(run("changes", {"--json"}).output)["changes"];
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["metric"], "value");
    EXPECT_EQ(found[0]["unit"], "KiB");
    EXPECT_EQ(found[0]["worse"], true);
    EXPECT_EQ(found[0]["after"]["commit"], "commit13");
}

TEST_F(tool_files, other_commands_name_the_tool_and_the_right_command) {
    const std::vector<std::pair<std::string, std::string>> files{
        {write("hyperfine.json", hyperfine_file), "hyperfine"},
        {write("pytest.json", pytest_file_text), "pytest-benchmark"},
        {write("data.js", data_js_of({1})), "github-action-benchmark"},
        {write("lines.json", cargo_criterion_lines), "criterion"},
        {write_criterion_folder(), "criterion"}};
    for (const auto& [file, tool] : files)
        for (const auto& arguments :
             std::vector<std::vector<std::string>>{{"compare", file, file},
                                                   {"report", file, "--format", "text"},
                                                   {"report", file, "--format", "json"},
                                                   {"report", file, "--format", "html"},
                                                   {"check", "--against", file}}) {
            const auto refused = loopbench(arguments);
            EXPECT_EQ(refused.code, 2) << arguments[0] << ' ' << file;
            EXPECT_SAYS(refused.error_tail, tool);
            EXPECT_SAYS(refused.error_tail, "`loopbench history add");
        }
}

TEST_F(tool_files, report_converts_the_output_of_google_benchmark_to_json) {
    const auto file =
        write("bench.json", R"({"context": {"date": "2026-01-05T10:00:00+00:00", "executable": "b"},
        "benchmarks": [{"name": "a", "real_time": 5, "time_unit": "ns"}]})");
    const auto converted = loopbench({"report", file, "--format", "json"});
    EXPECT_EQ(converted.code, 0) << converted.error_tail;
    EXPECT_EQ(nlohmann::json::parse(converted.output)["results"][0]["median"], 5);
}

TEST_F(tool_files, an_unusable_file_is_refused_with_its_cause) {
    for (const auto& [text, cause] :
         {std::pair{std::string{"\xEF\xBB\xBF"} + hyperfine_file, "byte order mark"},
          {std::string{"["} + hyperfine_file + "]", "array"},
          {std::string{hyperfine_file}.substr(0, 60), "hyperfine"},
          {std::string{cargo_criterion_lines}.substr(0, 60), "criterion"},
          {data_js_of({1, 2}).substr(0, 150), "github-action-benchmark"},
          {std::string{"{\"results\": [{\"command\": \"\xFF\"}]}"}, "UTF-8"}}) {
        const auto refused = run("add", {write("file", text), "--date", "2026-01-02"});
        EXPECT_EQ(refused.code, 2) << text;
        EXPECT_SAYS(refused.error_tail, cause);
    }
    const auto folder = run("add", {history.path("").native()});
    EXPECT_EQ(folder.code, 2);
    EXPECT_SAYS(folder.error_tail, "target/criterion");
    EXPECT_EQ(runs().size(), 0U);
}

TEST_F(tool_files, old_results_of_criterion_cause_a_warning) {
    const auto folder = write_criterion_folder();
    write("criterion/removed/new/benchmark.json", R"({"group_id": "removed", "full_id": "removed"})");
    const auto sample = write("criterion/removed/new/sample.json", R"({"iters": [1.0], "times": [10.0]})");
    fs::last_write_time(sample, fs::last_write_time(sample) - std::chrono::hours{50});
    const auto added = run("add", {folder, "--date", "2026-01-02", "--commit", "cafe"});
    EXPECT_EQ(added.code, 0);
    EXPECT_SAYS(added.error_tail, "removed");
}

TEST_F(tool_files, the_export_of_the_installed_hyperfine_is_read) {
    const auto ran = loopbench.in_shell(R"(
        command -v hyperfine >/dev/null || exit 77
        cd $folder && hyperfine -N --runs 3 --export-json times.json 'sleep 0.01' 'sh -c "exit 3"' -i >/dev/null)");
    if (ran.code == 77) GTEST_SKIP() << "hyperfine is not installed";
    ASSERT_EQ(ran.code, 0) << ran.error_tail;
    const auto added = run("add", {loopbench.path("times.json").native(), "--date", "2026-01-02"});
    ASSERT_EQ(added.code, 0) << added.error_tail;
    const auto report = nlohmann::json::parse(run("export", {"1"}).output);
    for (const auto& item : report["results"])
        if (item["workload"] == "sleep 0.01" && item["metric"] == "time") {
            EXPECT_EQ(item["samples"].size(), 3U);
            EXPECT_GE(item["median"].get<double>(), 1e7);
        } else if (item["workload"] != "sleep 0.01") {
            EXPECT_EQ(item["status"], "failed");
            EXPECT_SAYS(item["reason"].get<std::string>(), "exit code 3");
        }
    EXPECT_EQ(report["results"].size(), 5U);
}

TEST_F(tool_files, the_output_of_the_installed_pytest_benchmark_is_read) {
    write("test_sum.py", "def test_sum(benchmark):\n    assert benchmark(sum, range(100)) == 4950\n");
    const auto ran = loopbench.in_shell(R"(
        for python in python3 /usr/bin/python3; do
            $python -c 'import pytest_benchmark' 2>/dev/null && break
        done || exit 77
        cd $folder && $python -m pytest -q -p no:cacheprovider --benchmark-json out.json \
            --benchmark-max-time 0.01 test_sum.py >/dev/null)");
    if (ran.code == 77) GTEST_SKIP() << "pytest-benchmark is not installed";
    ASSERT_EQ(ran.code, 0) << ran.error_tail;
    const auto added = run("add", {loopbench.path("out.json").native()});
    ASSERT_EQ(added.code, 0) << added.error_tail;
    const auto report = nlohmann::json::parse(run("export", {"1"}).output);
    ASSERT_EQ(report["results"].size(), 1U);
    EXPECT_SAYS(report["results"][0]["workload"].get<std::string>(), "test_sum.py::test_sum");
    EXPECT_GE(report["results"][0]["samples"].size(), 5U);
}

}  // namespace

}  // namespace loopbench::tests
