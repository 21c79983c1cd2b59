// Tests the reader of journals, also with damaged and malicious journals.
#include "bench/harness/experiment/record.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "bench/harness/counting/overhead.hpp"
#include "bench/harness/experiment/journal.hpp"
#include "bench/harness/summary/summary.hpp"
#include "reports/model/json.hpp"
#include "reports/render/terminal/text_table.hpp"
#include "tests/support/mock_executor.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

std::string journal_text() {
    const temporary_folder folder;
    const auto plan = small_plan(3);
    bench::journal written{folder / "journal.jsonl", {.plan = plan, .command = {"loopbench", "run"}}};
    written.append(plan, {0, {1, 0}, took_ns(12.5)});
    written.append(plan, {0, {1, 1}, ended(reports::result_status::failed, "why")});
    return content_of(folder / "journal.jsonl");
}

std::string complaint_about(const std::string& text) {
    return complaint_of<reports::format_error>([&] { bench::read_journal(text, "journal.jsonl"); });
}

std::string with(std::string text, std::string_view old, std::string_view replacement) {
    const auto at = text.find(old);
    if (at == std::string::npos) throw std::runtime_error{"the journal has no " + std::string{old}};
    return text.replace(at, old.size(), replacement);
}

TEST(record, reading_a_journal_returns_its_plan_and_its_trials) {
    const auto read = bench::read_journal(journal_text(), "it");
    EXPECT_EQ(read.plan.workloads, small_plan(3).workloads);
    EXPECT_EQ(read.command, (std::vector<std::string>{"loopbench", "run"}));
    ASSERT_EQ(read.outcome.trials.size(), 2U);
    EXPECT_EQ(read.outcome.trials[0].outcome.metrics.at("time"), 12.5);
    EXPECT_EQ(read.outcome.excluded[1][1]->reason, "in block 1 of 3: why");
    EXPECT_TRUE(read.outcome.interrupted) << "the journal has no end line";
}

TEST(record, reading_a_journal_returns_the_slice_lengths_and_refuses_invalid_lengths) {
    const temporary_folder folder;
    auto plan = small_plan(1);
    plan.slice = {std::chrono::microseconds{250}, std::chrono::microseconds{4000}};
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    auto outcome = took_ns(12.5);
    outcome.slices = {12.5, 12.75};
    outcome.waited = 0.25;
    written.append(plan, {0, {0, 0}, outcome});
    const auto text = content_of(folder / "journal.jsonl");
    const auto read = bench::read_journal(text, "it");
    EXPECT_EQ(read.plan.slice, plan.slice);
    EXPECT_EQ(read.outcome.trials[0].outcome.slices, outcome.slices);
    EXPECT_EQ(read.outcome.trials[0].outcome.waited, 0.25);
    EXPECT_SAYS(complaint_about(with(text, "\"timed_ns\":4000000", "\"timed_ns\":0")), "slice");
    EXPECT_SAYS(complaint_about(with(text, "[12.5,12.75]", "[12.5,0]")), "slices_ns");
    EXPECT_EQ(bench::read_journal(journal_text(), "it").plan.slice, bench::slice_lengths{});
}

TEST(record, a_report_states_the_cores_of_each_workload_once) {
    const temporary_folder folder;
    const auto plan = small_plan(3);
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    const reports::used_cores first{.threads = {0, 1}, .generator = {2}},
        second{.threads = {3}, .generator = {}};
    const std::array in_blocks{first, first, second};
    for (std::uint64_t block = 0; block < in_blocks.size(); ++block) {
        auto outcome = took_ns(12.5);
        outcome.cores = in_blocks[block];
        for (const std::size_t who : {0U, 1U}) written.append(plan, {block, {1, who}, outcome});
    }
    const auto read = bench::read_journal(content_of(folder / "journal.jsonl"), "it");
    EXPECT_EQ(read.outcome.trials.front().outcome.cores, first);
    const auto report = bench::report_of(read);
    ASSERT_EQ(report.workloads.size(), 2U);
    EXPECT_FALSE(report.workloads[0].cores);
    EXPECT_EQ(report.workloads[1].cores, (std::vector{first, second}));
    EXPECT_SAYS(reports::write_table(report),
                " echo ran on cores 0, 1, and its load generator on core 2; echo ran on core 3.");
}

TEST(record, reading_a_journal_returns_the_descriptions_and_the_counts_of_the_contenders) {
    const temporary_folder folder;
    auto plan = small_plan(3);
    plan.described = {reports::describe("asio-epoll", {{"library", "asio"}, {"b", 1}, {"a", {1, 2}}}),
                      reports::describe("loop-epoll", {{"socket_options", "none"}})};
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    for (const std::size_t who : {0U, 1U}) written.append(plan, {0, {0, who}, took_ns(12.5)});
    const std::vector<bench::counted_result> cells{{"yield",
                                                    "loop-epoll",
                                                    {{"waits", 0.1}, {"syscalls", 2}},
                                                    {"allocations: unknown here"},
                                                    false,
                                                    "a tracer"},
                                                   {"yield",
                                                    "asio-epoll",
                                                    {{"doubling", 2.0}},
                                                    {},
                                                    false,
                                                    {},
                                                    {{"doubling", {1.9, 2.0, 2.1, 2.0, 1.9, 2.1}}}}};
    written.append(cells);
    const auto read = bench::read_journal(content_of(folder / "journal.jsonl"), "it");
    ASSERT_EQ(read.plan.described.size(), 2U);
    EXPECT_EQ(read.plan.described[0].context.dump(), R"({"library":"asio","b":1,"a":[1,2]})");
    EXPECT_EQ(read.plan.described[1].socket_options, "none");
    const auto report = bench::report_of(read);
    const auto waits = std::ranges::find(report.results, "waits", &reports::result::metric);
    ASSERT_NE(waits, report.results.end());
    EXPECT_EQ(waits->contender, "loop-epoll");
    EXPECT_EQ(waits->median, 0.1);
    const auto syscalls = std::ranges::find(report.results, "syscalls", &reports::result::metric);
    ASSERT_NE(syscalls, report.results.end());
    EXPECT_EQ(syscalls->reason, "counted by a tracer");
    const auto missing = std::ranges::find(report.warnings, "counts_missing", &reports::warning::code);
    ASSERT_NE(missing, report.warnings.end());
    EXPECT_EQ(missing->message, "1 of 2 results lack counts or checks: allocations: unknown here");
    const auto doubling = std::ranges::find(report.results, "doubling", &reports::result::metric);
    ASSERT_NE(doubling, report.results.end());
    EXPECT_EQ(doubling->samples.size(), 6U);
    EXPECT_EQ(doubling->low, 1.9);
    EXPECT_EQ(doubling->high, 2.1);
}

TEST(record, only_the_counts_of_several_threads_have_samples) {
    for (const auto& [workload, is_read] :
         {std::pair{"threads/ping/threads:2", true}, std::pair{"yield", false}}) {
        const temporary_folder folder;
        auto plan = small_plan(1);
        plan.workloads = {workload};
        for (auto& who : plan.contenders) who.workloads = plan.workloads;
        bench::journal written{folder / "journal.jsonl", {.plan = plan}};
        for (const std::size_t who : {0U, 1U}) written.append(plan, {0, {0, who}, took_ns(12.5)});
        const std::vector<bench::counted_result> cells{{workload,
                                                        "loop-epoll",
                                                        {{"futex_calls", 2}},
                                                        {},
                                                        false,
                                                        "a tracer",
                                                        {{"futex_calls", {1, 2, 9}}}}};
        written.append(cells);
        const auto text = content_of(folder / "journal.jsonl");
        if (!is_read) {
            EXPECT_SAYS(complaint_about(text), "a count cannot have samples");
            continue;
        }
        const auto report = bench::report_of(bench::read_journal(text, "it"));
        const auto* const futex = reports::find_result(report, workload, "loop-epoll", "futex_calls");
        ASSERT_NE(futex, nullptr);
        EXPECT_FALSE(futex->deterministic);
        EXPECT_EQ(futex->median, 2);
        EXPECT_EQ(futex->samples.size(), 3U);
        EXPECT_FALSE(futex->low) << "three samples have no interval";
        EXPECT_EQ(futex->reason, "counted by a tracer");
        for (const char* const part : {"futex/op", " ~2.00", "A ~ marks"})
            EXPECT_SAYS(reports::write_table(report), part);
    }
}

TEST(record, a_contender_that_failed_while_counting_has_no_numbers) {
    const temporary_folder folder;
    auto plan = small_plan(1);
    plan.baseline = "asio-epoll";
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    for (const std::size_t who : {0U, 1U})
        for (const std::size_t workload : {0U, 1U}) written.append(plan, {0, {workload, who}, took_ns(12.5)});
    const std::vector<bench::counted_result> cells{
        {"yield", "asio-epoll", {}, {"echoed 3 of 4 bytes"}, true, {}}};
    written.append(cells);
    const auto text = content_of(folder / "journal.jsonl");
    const auto report = bench::report_of(bench::read_journal(text, "it"));
    const auto* const failed = reports::find_result(report, "yield", "asio-epoll");
    ASSERT_NE(failed, nullptr);
    EXPECT_EQ(failed->status, reports::result_status::failed);
    EXPECT_EQ(failed->reason, "after its trials: echoed 3 of 4 bytes");
    EXPECT_FALSE(failed->median);
    EXPECT_FALSE(reports::find_result(report, "yield", "loop-epoll")->to_baseline);
    EXPECT_TRUE(reports::find_result(report, "echo", "loop-epoll")->to_baseline);
    EXPECT_SAYS(complaint_about(with(text, R"(,"failed":true)", "")), "\"failed\" is missing");
}

TEST(record, reading_a_journal_returns_the_causes_of_slowdowns) {
    const temporary_folder folder;
    auto plan = small_plan(1);
    plan.causes = bench::cause_options{.instructions = true, .profile = false};
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    reports::slowdown_cause cause{.workload = "yield", .contender = "loop-epoll"};
    cause.changed = {{reports::count_kind::system_call, "read", 1, 3}};
    written.append({}, std::vector{cause});
    const auto text = content_of(folder / "journal.jsonl");
    const auto read = bench::read_journal(text, "it");
    EXPECT_EQ(read.plan.causes, plan.causes);
    ASSERT_TRUE(read.causes && read.causes->size() == 1);
    EXPECT_EQ(read.causes->front().changed.front().after, 3);
    EXPECT_EQ(bench::report_of(read).causes->size(), 1U);
    EXPECT_SAYS(
        complaint_about(with(text, R"("causes":[{"workload":"yield")", R"("causes":[{"workload":"x")")),
        "\"x\" is not in the plan");
    EXPECT_FALSE(bench::read_journal(journal_text(), "it").causes);
    EXPECT_FALSE(bench::read_journal(journal_text(), "it").plan.causes);
}

TEST(record, samples_are_accepted_only_for_metrics_with_a_median) {
    const auto counted = [](const std::string& metrics, const std::string& samples) {
        return complaint_about(journal_text() +
                               R"({"counted":[{"workload":"yield","contender":"loop-epoll","metrics":{)" +
                               metrics + R"(},"samples":{)" + samples +
                               R"(},"tracer":"","missing":[],"failed":false}]})" + "\n");
    };
    const std::string doubling = R"("doubling":2)";
    EXPECT_EQ(counted(doubling, R"("doubling":[2])"), "");
    std::string many = "2";
    for (std::size_t i = 0; i < bench::most_triples; ++i) many += ",2";
    for (const auto& [metrics, samples, complaint] :
         {std::array<std::string, 3>{doubling, R"("recording":[2])",
                                     "samples of a metric that is not among its metrics"},
          {doubling, R"("doubling":[])", "at least one sample"},
          {doubling, R"("doubling":[null])", "expected a number"},
          {doubling, R"("doubling":[)" + many + "]", fmt::format("at most {} samples", bench::most_triples)},
          {R"("syscalls":2)", R"("syscalls":[2])", "a count "}})
        EXPECT_SAYS(counted(metrics, samples), complaint);
}

TEST(record, the_journal_of_a_killed_run_with_a_target_precision_gives_the_number_of_planned_blocks) {
    const temporary_folder folder;
    auto plan = small_plan(100'000);
    plan.workloads = {"yield"};
    plan.precision_pct = 0.3;
    const auto planned_after = [&](std::uint64_t blocks) {
        bench::journal written{folder / "journal.jsonl", {.plan = plan}};
        for (std::uint64_t block = 0; block < blocks; ++block)
            for (const std::size_t who : {0U, 1U})
                written.append(
                    plan, {block, {0, who}, took_ns(1000 + static_cast<double>(who * (block * 7 % 31)))});
        return bench::read_journal(content_of(folder / "journal.jsonl"), "it").outcome.blocks_planned;
    };
    EXPECT_EQ(planned_after(12), 30U) << "the pilot";
    const auto wanted = planned_after(31);
    EXPECT_GT(wanted, 40U);
    EXPECT_LT(wanted, 1000U);
    EXPECT_EQ(planned_after(38), wanted);
}

std::string journal_of_a_shard(const temporary_folder& folder) {
    auto plan = small_plan(12);
    plan.part = bench::shard{2, 4};
    write_script(folder / "asio-epoll", "exit 0");
    for (auto& who : plan.contenders) {
        who.path = folder / "asio-epoll";
        bench::remember_files(who);
    }
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    for (const std::uint64_t block : {1U, 5U})
        for (const std::size_t who : {0U, 1U}) {
            bench::trial_record trial{block, {0, who}, took_ns(12.5)};
            trial.machine = "a machine";
            written.append(plan, trial);
        }
    return content_of(folder / "journal.jsonl");
}

TEST(record, a_shards_journal_names_the_shard_and_its_machine) {
    const temporary_folder folder;
    const auto read = bench::read_journal(journal_of_a_shard(folder), "it");
    EXPECT_EQ(read.plan.part, (bench::shard{2, 4}));
    EXPECT_EQ(read.outcome.blocks_planned, 3U);
    EXPECT_EQ(read.outcome.blocks_finished, 1U) << "the second block might be incomplete";
    EXPECT_EQ(read.outcome.trials.front().machine, "a machine");
    ASSERT_TRUE(read.executables.front().contents);
    EXPECT_EQ(read.executables.front().contents->front().name, "asio-epoll");
    EXPECT_EQ(read.executables.front().contents->front().checksum.size(), 36U);
    EXPECT_FALSE(bench::read_journal(journal_text(), "it").executables.front().contents);
}

TEST(record, a_shards_journal_with_a_gap_or_a_block_of_another_shard_is_refused) {
    const temporary_folder folder;
    const auto text = journal_of_a_shard(folder);
    for (const auto& [old, replacement, complaint] :
         {std::array<std::string_view, 3>{R"("block":5)", R"("block":6)",
                                          "block: the block belongs to another shard"},
          {R"("block":5)", R"("block":9)", "block: earlier blocks are missing"},
          {R"("shard":{"number":2)", R"("shard":{"number":5)", "plan.shard.number: expected a number from 1"},
          {R"("of":4)", R"("of":0)", "plan.shard.of: expected a number from 1"}})
        EXPECT_SAYS(complaint_about(with(text, old, replacement)), complaint);
}

TEST(record, the_checksum_of_a_shards_executable_depends_only_on_the_contents_of_the_file) {
    const temporary_folder one, other;
    const auto checksum = [](const temporary_folder& folder) {
        return bench::read_journal(journal_of_a_shard(folder), "it").executables.front().contents->front();
    };
    EXPECT_EQ(checksum(one), checksum(other)) << "the path and the time differ";
}

TEST(record, an_incomplete_last_line_of_a_journal_is_ignored) {
    const auto text = journal_text();
    const auto whole_lines = text.rfind('\n', text.size() - 2) + 1;
    for (std::size_t length = whole_lines; length < text.size(); length += 5)
        EXPECT_EQ(bench::read_journal(text.substr(0, length), "it").outcome.trials.size(), 1U) << length;
}

TEST(record, the_error_for_an_invalid_journal_contains_the_line_number) {
    const auto text = journal_text();
    struct damage {
        std::string_view old, replacement, complaint;
    };
    for (const auto& [old, replacement, complaint] : {
             damage{R"("schema":"loopbench-journal/2")", R"("schema":2)", "line 1: schema: "},
             damage{R"("block":0)", R"("block":3)", "line 2: block: expected a block number below 3"},
             damage{R"("block":0)", R"("block":-1)", "line 2: block: "},
             damage{R"("attempt":0)", R"("block":0)", "the key \"block\""},
             damage{R"("status":"ok")", R"("status":"fine")", "line 2: status: "},
             damage{R"("time":12.5)", R"("time":1e400)", "line 2, column"},
             damage{R"("time":12.5)", R"("time":NaN)", "line 2, column"},
             damage{R"("time":12.5)", R"("tiem":12.5)", "line 2: metrics.tiem: unknown"},
             damage{R"("contender":"asio-epoll")", R"("contender":"other")",
                    "line 2: contender: \"other\" is not in"},
             damage{R"("contender":"loop-epoll","status":"failed")",
                    R"("contender":"asio-epoll","status":"failed")", "line 3: this trial occurs twice"},
             damage{R"("block":0)", R"("block":1)", "line 2: block: earlier blocks are missing"},
             damage{R"("blocks":3)", R"("blocks":1000000000)",
                    "line 1: plan.blocks: expected a number from 0 to 100000"},
             damage{R"("min_time_s":0.5)", R"("min_time_s":-1)",
                    "line 1: plan.min_time_s: expected a number from 0"},
             damage{R"("threshold_pct":1.0)", R"("threshold_pct":-200)", "line 1: plan.threshold_pct: "},
             damage{R"("wall_ns":0)", R"("wall_ns":9223372036854775807)",
                    "line 2: wall_ns: expected a number from 0 to "},
             damage{R"(["asio-epoll","loop-epoll"])", R"(["loop-epoll","loop-epoll"])",
                    "line 1: plan.contenders: a name occurs twice"},
         })
        EXPECT_SAYS(complaint_about(with(text, old, replacement)), complaint);
}

TEST(record, plans_with_too_many_results_are_refused) {
    std::string names = "[\"asio-epoll\",\"loop-epoll\"";
    for (int i = 0; i < 60'000; ++i) names += ",\"w" + std::to_string(i) + "\"";
    EXPECT_SAYS(
        complaint_about(with(journal_text(), R"("workloads":["yield","echo")", R"("workloads":)" + names)),
        "line 1: plan: expected at most 100000 results");
}

TEST(record, a_plan_that_could_not_be_read_back_is_not_written) {
    auto plan = small_plan(1);
    // The limit on the number of results also counts the results of the A/A copy.
    plan.workloads.assign(bench::cells_max / (plan.contenders.size() + 1), "x");
    EXPECT_NO_THROW(bench::refuse_too_many_cells(plan));
    plan.workloads.emplace_back("x");
    EXPECT_THROW(bench::refuse_too_many_cells(plan), bench::usage_error);
    const temporary_folder folder;
    plan.workloads = {"yield", std::string(bench::journal_line_bytes_max, 'x')};
    EXPECT_THROW((bench::journal{folder / "journal.jsonl", {.plan = plan}}), bench::usage_error);
    EXPECT_FALSE(std::filesystem::exists(folder / "journal.jsonl"));
}

TEST(record, resuming_on_another_machine_or_with_other_environment_variables_is_refused) {
    const temporary_folder folder;
    auto plan = small_plan(3);
    plan.contenders[1].environment = {{"LOOPBENCH_SLOWDOWN", "0.03"}};
    const bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    const auto text = content_of(folder / "journal.jsonl");
    const auto read = bench::read_journal(text, "it");
    EXPECT_EQ(read.plan.contenders[1].environment, plan.contenders[1].environment);
    EXPECT_NO_THROW(bench::refuse_other_place(read, read.where));
    const auto refusal_where = [&](const auto& change) -> std::string {
        auto elsewhere = read.where;
        change(elsewhere);
        return complaint_of<bench::usage_error>([&] { bench::refuse_other_place(read, elsewhere); });
    };
    using place = reports::environment;
    EXPECT_SAYS(refusal_where([](place& at) { at.kernel = "Linux 7"; }), "is Linux 7 now");
    EXPECT_NE(refusal_where([](place& at) { at.cpu_model = "x"; }), "");
    EXPECT_NE(refusal_where([](place& at) { at.cores = 64; }), "");
    EXPECT_SAYS(refusal_where([](place& at) { at.clocksource = "hpet"; }),
                "none when the run started, but is hpet now");
    EXPECT_NE(refusal_where([](place& at) { at.governor = "powersave"; }), "");
    EXPECT_NE(refusal_where([](place& at) { at.timer_slack_ns = 1; }), "");
    EXPECT_SAYS(refusal_where([](place& at) { at.loopbench_version = "0.0.9"; }), "version of loopbench");
    EXPECT_EQ(refusal_where([](place& at) { at.load_average = {9, 9, 9}; }), "");
    auto unslowed = read;
    unslowed.plan.contenders[1].environment.clear();
    EXPECT_THROW(bench::refuse_other_place(unslowed, read.where), bench::usage_error);
    EXPECT_SAYS(complaint_about(with(text, R"(,"environment":{})", "")), "\"environment\" is missing");
}

std::string journal_of_layouts(const temporary_folder& folder) {
    auto plan = small_plan(3);
    for (auto& who : plan.contenders)
        for (const auto* layout : {"1", "2", "3"}) {
            who.layouts.push_back(folder / who.name / layout);
            write_script(who.layouts.back(), "exit");
        }
    bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    written.append(plan, {0, {1, 0}, took_ns(12.5), 0, 2});
    return content_of(folder / "journal.jsonl");
}

TEST(record, reading_a_journal_returns_the_layout_of_each_trial) {
    const temporary_folder folder;
    const auto text = journal_of_layouts(folder);
    const auto read = bench::read_journal(text, "it");
    ASSERT_EQ(read.outcome.trials.size(), 1U);
    EXPECT_EQ(read.outcome.trials[0].layout, 2U);
    EXPECT_EQ(read.plan.contenders[1].layouts[1], folder / "loop-epoll/2");
    EXPECT_EQ(read.plan.layout_pairs(), 3U);
    EXPECT_SAYS(complaint_about(with(text, R"("layout":"3")", R"("layout":"4")")), "line 2: layout: ");
    EXPECT_SAYS(complaint_about(with(text, R"("layout":"3",)", "")), "\"layout\" is missing");
    EXPECT_SAYS(complaint_about(with(text, "/loop-epoll/2", "/loop-epoll/3")),
                "layouts with different names");
}

TEST(record, resuming_with_a_changed_layout_is_refused) {
    const temporary_folder folder;
    const auto read = bench::read_journal(journal_of_layouts(folder), "it");
    EXPECT_NO_THROW(bench::refuse_other_place(read, read.where));
    write_script(folder / "loop-epoll/2", "exit 1");
    EXPECT_SAYS(complaint_of<bench::usage_error>([&] { bench::refuse_other_place(read, read.where); }),
                "loop-epoll/2 has changed");
}

TEST(record, resuming_with_a_changed_executable_or_generator_is_refused) {
    for (const std::string changed : {"loop-epoll", "loopbench-generator"}) {
        const temporary_folder folder;
        for (const auto* file : {"loop-epoll", "loopbench-generator"}) write_script(folder / file, "exit");
        auto plan = small_plan(3);
        for (auto& who : plan.contenders) who.path = folder / "loop-epoll";
        const bench::journal written{folder / "journal.jsonl", {.plan = plan}};
        const auto read = bench::read_journal(content_of(folder / "journal.jsonl"), "it");
        EXPECT_NO_THROW(bench::refuse_other_place(read, read.where));
        write_script(folder / changed, "exit 1");
        EXPECT_SAYS(complaint_of<bench::usage_error>([&] { bench::refuse_other_place(read, read.where); }),
                    changed + " has changed");
    }
}

TEST(record, resuming_with_a_changed_or_additional_library_is_refused) {
    const temporary_folder folder;
    for (const auto* file : {"loop-epoll", "libmine.so", "libother.so"}) write_script(folder / file, "exit");
    auto plan = small_plan(3);
    for (auto& who : plan.contenders) {
        who.path = folder / "loop-epoll";
        bench::remember_files(who);
        who.files.push_back(bench::state_of_file(folder / "libmine.so"));
    }
    const bench::journal written{folder / "journal.jsonl", {.plan = plan}};
    auto read = bench::read_journal(content_of(folder / "journal.jsonl"), "it");
    const auto refusal = [&]() -> std::string {
        return complaint_of<bench::usage_error>([&] { bench::refuse_other_place(read, read.where); });
    };
    read.plan.contenders = plan.contenders;
    EXPECT_EQ(refusal(), "");
    read.plan.contenders[1].files.push_back(bench::state_of_file(folder / "libother.so"));
    EXPECT_SAYS(refusal(), "libother.so has changed");
    read.plan.contenders[1].files.resize(1);
    EXPECT_SAYS(refusal(), "libmine.so has changed");
    write_script(folder / "libmine.so", "exit 1");
    read.plan.contenders[1].files.push_back(bench::state_of_file(folder / "libmine.so"));
    EXPECT_SAYS(refusal(), "libmine.so has changed");
}

TEST(record, an_error_message_about_a_long_name_is_short) {
    const auto text = complaint_about(with(journal_text(), R"("contender":"asio-epoll")",
                                           R"("contender":")" + std::string(1'000'000, 'x') + '"'));
    EXPECT_SAYS(text, "line 2: contender: ");
    EXPECT_LT(text.size(), 400U);
}

TEST(record, input_that_would_overflow_the_stack_or_the_memory_is_refused) {
    EXPECT_NE(complaint_about(std::string(100'000, '[') + std::string(100'000, ']') + "\n")
                  .find("nested more than 64 levels"),
              std::string::npos);
    const auto deep =
        with(journal_text(), R"("context":{})", R"("context":{"a":)" + std::string(100'000, '['));
    EXPECT_SAYS(complaint_about(journal_text().substr(0, 100)), "line 1: the line is incomplete");
    EXPECT_SAYS(complaint_about(deep), "line 2, column");
    EXPECT_SAYS(complaint_about(""), "is empty");
}

}  // namespace

}  // namespace loopbench::tests
