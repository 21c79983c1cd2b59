// Tests that a baseline file fits its schema and is read back unchanged, and that other files are refused.
#include "bench/harness/gate/baseline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/metrics.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"
#include "tests/support/schema_check.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using nlohmann::json;

bench::expectations sample_baseline() {
    bench::expectations all;
    all.slack = {0.05, 4, 1};
    all.counts = {{"echo/rtt/tcp/conns:1/bytes:64", "loop-epoll", "syscalls", 6},
                  {"echo/rtt/tcp/conns:1/bytes:64", "loop-epoll", "allocations", 0.125},
                  {"yield", "a \"quoted\"\nname", "syscalls", 0}};
    all.times = bench::expected_times{"asio-epoll",
                                      bench::workload_size::small,
                                      "A processor, 2 cores, Linux",
                                      {{"yield", "loop-epoll", 2, 1.9, 2.1, reports::pairing::interleaved}}};
    return all;
}

json sample_document() {
    return json::parse(bench::write_baseline(sample_baseline()));
}

class baseline : public testing::Test {
protected:
    std::string file() const { return (folder_ / "baseline.json").native(); }

    bench::expectations read(const std::string& text) {
        reports::write_file_atomically(file(), text);
        return bench::read_baseline(file());
    }

    std::string refusal_of(const std::string& text) {
        try {
            read(text);
        } catch (const bench::usage_error& error) {
            EXPECT_SAYS(error.what(), file());
            EXPECT_SAYS(error.what(), "check --update");
            return error.what();
        }
        return "it was read";
    }

    std::string refusal_with(const char* place, const json& value) {
        auto document = sample_document();
        document[json::json_pointer{place}] = value;
        return refusal_of(document.dump());
    }

private:
    temporary_folder folder_;
};

TEST_F(baseline, a_written_baseline_file_is_read_back_unchanged) {
    const auto text = bench::write_baseline(sample_baseline());
    EXPECT_EQ(bench::write_baseline(read(text)), text);
    auto without_times = sample_baseline();
    without_times.times.reset();
    EXPECT_FALSE(read(bench::write_baseline(without_times)).times);
}

TEST_F(baseline, each_number_of_a_baseline_file_has_its_own_line) {
    const auto text = bench::write_baseline(sample_baseline());
    EXPECT_SAYS(text,
                "\n  {\"workload\":\"echo/rtt/tcp/conns:1/bytes:64\",\"contender\":\"loop-epoll\","
                "\"metric\":\"allocations\",\"per_op\":0.125},\n");
    EXPECT_SAYS(text,
                "\n   "
                "{\"workload\":\"yield\",\"contender\":\"loop-epoll\",\"metric\":\"time\",\"median\":2.0,"
                "\"low\":1.9,\"high\":2.1,"
                "\"pairing\":\"interleaved\"}\n");
}

TEST_F(baseline, a_baseline_file_fits_the_schema_and_every_field_is_required) {
    const auto document = sample_document();
    EXPECT_TRUE(fits(document, LOOPBENCH_BASELINE_SCHEMA));
    for (const auto* place : {"", "/slack", "/counts/0", "/times", "/times/ratios/0"}) {
        const json fields = document[json::json_pointer{place}];
        for (const auto& [key, value] : fields.items()) {
            if (key == "version") continue;
            auto lacking = document;
            lacking[json::json_pointer{place}].erase(key);
            EXPECT_FALSE(fits(lacking, LOOPBENCH_BASELINE_SCHEMA)) << place << "/" << key;
            EXPECT_SAYS(refusal_of(lacking.dump()), fmt::format("\"{}\" is missing", key));
        }
    }
}

TEST_F(baseline, exactly_the_deterministic_metrics_are_accepted_as_counts_of_a_baseline_file) {
    for (const auto& metric : reports::known_metrics()) {
        auto document = sample_document();
        document["counts"][2]["metric"] = metric.name;
        EXPECT_EQ(fits(document, LOOPBENCH_BASELINE_SCHEMA), metric.deterministic) << metric.name;
        if (!metric.deterministic) continue;
        EXPECT_EQ(read(document.dump()).counts[2].metric, metric.name);
    }
}

TEST_F(baseline, the_projects_own_baseline_file_fits_the_schema_and_has_only_counts) {
    EXPECT_TRUE(fits(json::parse(content_of(LOOPBENCH_OWN_BASELINE)), LOOPBENCH_BASELINE_SCHEMA));
    const auto own = bench::read_baseline(LOOPBENCH_OWN_BASELINE);
    EXPECT_FALSE(own.counts.empty());
    EXPECT_FALSE(own.times) << "ratios are valid on one machine";
    const auto lines_after_version = [](const std::string& text) {
        return text.substr(text.find("\n \"slack\""));
    };
    EXPECT_EQ(lines_after_version(bench::write_baseline(own)),
              lines_after_version(content_of(LOOPBENCH_OWN_BASELINE)));
}

TEST_F(baseline, an_invalid_baseline_file_is_refused_with_the_reason) {
    EXPECT_THROW(bench::read_baseline(file()), bench::usage_error) << "missing";
    EXPECT_THROW(bench::read_baseline("/"), bench::usage_error);
    EXPECT_SAYS(refusal_of("{allocations: 3}\n"), "line 1, column 2: invalid or incomplete JSON");
    const auto text = bench::write_baseline(sample_baseline());
    EXPECT_SAYS(refusal_of(text.substr(0, text.size() / 2)), "incomplete JSON");
    EXPECT_SAYS(refusal_of("[]"), "expected an object");
}

TEST_F(baseline, the_error_for_a_wrong_value_in_a_baseline_file_names_the_field) {
    EXPECT_SAYS(refusal_with("/counts/1/metric", "time"),
                "counts[1].metric: \"time\" is not a count; expected one of waits");
    EXPECT_SAYS(refusal_with("/counts/1/metric", "syscalls"),
                "syscalls of loop-epoll on echo/rtt/tcp/conns:1/bytes:64 occurs twice");
    EXPECT_SAYS(refusal_with("/counts/0/per_op", -1), "counts[0].per_op: -1 is below zero");
    EXPECT_SAYS(refusal_with("/counts/0/contender", ""), "counts[0].contender: the name is empty");
    EXPECT_SAYS(refusal_with("/slack/pct", "2%"), "slack.pct: expected a number");
    EXPECT_SAYS(refusal_with("/times/ratios/0/low", 0), "times.ratios[0].low: 0 is not above zero");
    EXPECT_SAYS(refusal_with("/times/ratios/0/low", 3), "times.ratios[0]: low, median and high");
    EXPECT_SAYS(refusal_with("/times/ratios/0/contender", "asio-epoll"), "a ratio of asio-epoll to itself");
    EXPECT_SAYS(refusal_with("/times/size", "huge"), "times.size: \"huge\"");
    auto nothing = sample_document();
    nothing["counts"] = json::array();
    nothing["times"] = nullptr;
    EXPECT_SAYS(refusal_of(nothing.dump()), "neither counts nor ratios");
}

TEST_F(baseline, an_update_rounds_new_counts_and_keeps_counts_without_a_new_value) {
    auto all = sample_baseline();
    bench::expect_counts(
        all, {{"echo/rtt/tcp/conns:1/bytes:64", "loop-epoll", {{"syscalls", 7.00049}, {"waits", 1}}, {}},
              {"yield", "loop-uring", {{"syscalls", -0.0004}, {"allocated_bytes", 40}}, {}}});
    ASSERT_EQ(all.counts.size(), 5U);
    EXPECT_EQ(all.counts[0].per_op, 7);
    EXPECT_EQ(all.counts[1].per_op, 0.125) << "there is no new count for this line";
    EXPECT_EQ(all.counts[3].metric, "syscalls");
    EXPECT_EQ(fmt::format("{}", all.counts[3].per_op), "0");
    EXPECT_EQ(all.counts[4].metric, "allocated_bytes");
}

TEST_F(baseline, counts_of_several_threads_are_neither_written_nor_read) {
    auto all = sample_baseline();
    const auto before = all.counts.size();
    bench::expect_counts(all, {{"threads/ping/threads:2", "loop-epoll", {{"syscalls", 7}}, {}},
                               {"threads/spawn/leaves:1024/threads:1", "loop-epoll", {{"syscalls", 7}}, {}}});
    ASSERT_EQ(all.counts.size(), before + 1);
    EXPECT_EQ(all.counts.back().workload, "threads/spawn/leaves:1024/threads:1");
    EXPECT_SAYS(refusal_with("/counts/0/workload", "threads/ping/threads:2"), "has several threads");
}

TEST_F(baseline, an_update_writes_only_ratios_with_an_interval) {
    auto times = *sample_baseline().times;
    times.ratios.push_back({"timer/periodic", "loop-tick", 1, 1, 1, reports::pairing::sequential});
    auto report = sample_report();
    auto late = report.results.back();
    for (const auto& item : report.results)
        if (item.contender == "loop-tick") late = item;
    late.metric = "late_p50";
    report.results.push_back(late);
    bench::expect_ratios(times, report);
    ASSERT_EQ(times.ratios.size(), 3U) << "the deadlines determine the time of a periodic timer";
    EXPECT_EQ(times.ratios[1].workload, "echo/rtt/tcp/conns:1");
    EXPECT_DOUBLE_EQ(times.ratios[1].median, 1.5);
    EXPECT_EQ(times.ratios[2].metric, "late_p50");
    EXPECT_DOUBLE_EQ(times.ratios[2].low, 0.9);
}

TEST_F(baseline, a_ratio_of_an_unknown_or_counted_metric_and_a_repeated_ratio_are_refused) {
    EXPECT_SAYS(refusal_with("/times/ratios/0/metric", "lateness"), "lateness");
    EXPECT_SAYS(refusal_with("/times/ratios/0/metric", "syscalls"), "syscalls");
    auto two = sample_document();
    two["times"]["ratios"].push_back(two["times"]["ratios"][0]);
    EXPECT_SAYS(refusal_of(two.dump()), "time of loop-epoll on yield occurs twice");
    two["times"]["ratios"][1]["metric"] = "cpu";
    EXPECT_EQ(read(two.dump()).times->ratios.size(), 2U);
}

TEST_F(baseline, each_ratio_in_a_baseline_file_is_stored_with_its_pairing) {
    EXPECT_EQ(read(sample_document().dump()).times->ratios[0].made, reports::pairing::interleaved);
    EXPECT_SAYS(refusal_with("/times/ratios/0/pairing", "sideways"), "pairing: \"sideways\"");
    auto report = sample_report();
    for (auto& item : report.results) item.made = reports::pairing::concurrent;
    auto times = *sample_baseline().times;
    bench::expect_ratios(times, report);
    EXPECT_EQ(times.ratios.back().made, reports::pairing::concurrent);
}

TEST_F(baseline, the_difference_of_two_baseline_files_lists_the_changed_lines) {
    const auto old = bench::write_baseline(sample_baseline());
    auto all = sample_baseline();
    all.counts[1].per_op = 0.25;
    all.counts.pop_back();
    const auto changes = bench::changed_lines(old, bench::write_baseline(all));
    EXPECT_EQ(std::ranges::count(changes, '\n'), 3) << changes;
    for (const auto* front :
         {"-  {\"workload\":\"echo", "+  {\"workload\":\"echo", "-  {\"workload\":\"yield\""})
        EXPECT_SAYS(changes, front);
    EXPECT_EQ(bench::changed_lines(old, old), "");
}

}  // namespace

}  // namespace loopbench::tests
