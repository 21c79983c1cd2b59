// Tests that shards are merged into one record, and that journals of different runs are refused.
#include "bench/harness/experiment/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/harness/experiment/journal.hpp"
#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/machine/environment.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/json.hpp"
#include "tests/support/says.hpp"
#include "tests/support/shards_of_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using bench::missing_shards_are;
using bench::shard;
using record_change = std::function<void(bench::session_record&)>;

class shards : public testing::Test {
protected:
    shards() {
        write_script(folder / "bin/loop", "exit 0");
        write_script(folder / "bin/other", "exit 1");
    }

    std::filesystem::path add(shard part, const std::string& name, const record_change& as = {},
                              const record_change& before_it_ends = {}) const {
        bench::session_record record;
        record.plan = small_plan(12);
        for (auto& who : record.plan.contenders) who.path = folder / "bin/loop";
        record.plan.part = part;
        record.where = bench::read_environment();
        record.where.machine = "machine A";
        record.command = {"loopbench", "run", name};
        if (as) as(record);
        for (auto& who : record.plan.contenders) bench::remember_files(who);
        record.plan.machine = record.where.machine;
        record.outcome = outcome_of_shard(
            record.plan, *record.plan.part, *record.plan.machine,
            [](const auto& request) { return took_ns(1 + static_cast<double>(request.padding_bytes)); });
        if (before_it_ends) before_it_ends(record);
        std::filesystem::create_directories(folder / name);
        bench::journal written{folder / name / "journal.jsonl", record};
        for (const auto& trial : record.outcome.trials) written.append(record.plan, trial);
        if (!record.outcome.interrupted) written.end(record.outcome);
        if (!record.counted.empty()) written.append(record.counted);
        return folder / name;
    }

    static std::string text_of(const std::vector<std::filesystem::path>& folders,
                               missing_shards_are missing = missing_shards_are::refused) {
        std::vector<bench::shard_journal> all;
        for (const auto& each : folders) all.push_back(bench::read_shard(each));
        return bench::merged_journal(std::move(all), {"loopbench", "merge"}, missing);
    }

    static bench::session_record merged(const std::vector<std::filesystem::path>& folders,
                                        missing_shards_are missing = missing_shards_are::refused) {
        return bench::read_journal(text_of(folders, missing), "it");
    }

    static std::string refusal(const std::vector<std::filesystem::path>& folders,
                               missing_shards_are missing = missing_shards_are::refused) {
        return complaint_of<bench::usage_error>([&] { text_of(folders, missing); });
    }

    std::string refusal_of(const record_change& as) const {
        return refusal({add({1, 2}, "one"), add({2, 2}, "other", as)});
    }

    temporary_folder folder;
};

TEST_F(shards, merging_yields_one_record_with_each_block_once_and_in_order) {
    const auto record = merged({add({3, 3}, "c"), add({1, 3}, "a"), add({2, 3}, "b")});
    EXPECT_FALSE(record.outcome.interrupted);
    EXPECT_FALSE(record.plan.part);
    EXPECT_EQ(record.outcome.blocks_finished, 12U);
    EXPECT_EQ(record.outcome.blocks_planned, 12U);
    ASSERT_EQ(record.outcome.merged.size(), 3U);
    EXPECT_EQ(record.outcome.merged[1].command.back(), "b");
    EXPECT_EQ(record.command, (std::vector<std::string>{"loopbench", "merge"}));
    EXPECT_TRUE(std::ranges::is_sorted(record.outcome.trials, {}, &bench::trial_record::block));
    std::map<std::uint64_t, std::size_t> trials;
    for (const auto& trial : record.outcome.trials) ++trials[trial.block];
    EXPECT_EQ(trials.size(), 12U);
    for (const auto& [block, count] : trials) EXPECT_EQ(count, 4U) << block;
}

TEST_F(shards, merging_copies_the_trial_lines_of_the_journals_unchanged) {
    const auto one = add({1, 2}, "a"), other = add({2, 2}, "b");
    const auto text = text_of({one, other});
    std::istringstream lines{content_of(one / "journal.jsonl") + content_of(other / "journal.jsonl")};
    for (std::string line; std::getline(lines, line);)
        if (line.find("\"attempt\"") != std::string::npos) {
            EXPECT_SAYS(text, line + "\n");
        }
}

TEST_F(shards, merged_trials_keep_the_name_of_their_machine) {
    const auto on_b = [](bench::session_record& record) {
        record.where.machine = "machine B";
        record.where.cpu_model = "another processor";
        record.where.cores = 4;
        record.plan.cpus = {0, 1, 2, 3};
    };
    const auto record = merged({add({1, 2}, "a"), add({2, 2}, "b", on_b)});
    for (const auto& trial : record.outcome.trials)
        EXPECT_EQ(trial.machine, trial.block % 2 == 0 ? "machine A" : "machine B");
    EXPECT_FALSE(record.where.machine) << "the trials are from two machines";
    EXPECT_SAYS(record.where.cpu_model, "another processor");
    EXPECT_SAYS(record.where.cpu_model, " + ");
    EXPECT_EQ(record.outcome.merged[1].where.cores, 4);
    EXPECT_EQ(merged({add({1, 2}, "a"), add({2, 2}, "b")}).where.machine, "machine A");
}

// A history recognizes a machine by its description, so the description must always be the same.
TEST_F(shards, the_machine_description_of_a_merged_record_does_not_depend_on_the_order_of_shards) {
    const auto on_the_other = [](bench::session_record& record) {
        record.where.machine = "machine B";
        record.where.cpu_model = "another processor";
        record.where.kernel = "Linux 7";
        record.where.cores = 1;
        record.where.memory_bytes = 1 << 30;
    };
    const auto one = merged({add({1, 2}, "a"), add({2, 2}, "b", on_the_other)}).where;
    const auto other = merged({add({1, 2}, "c", on_the_other), add({2, 2}, "d")}).where;
    EXPECT_EQ(one.cpu_model, other.cpu_model);
    EXPECT_EQ(one.kernel, other.kernel);
    EXPECT_EQ(one.cores, other.cores);
    EXPECT_EQ(one.memory_bytes, other.memory_bytes);
}

TEST_F(shards, a_missing_key_in_the_header_of_a_shards_journal_counts_as_null) {
    auto one = bench::read_shard(add({1, 2}, "a")), other = bench::read_shard(add({2, 2}, "b"));
    const auto end = other.text.find('\n');
    auto header = nlohmann::ordered_json::parse(other.text.substr(0, end));
    ASSERT_TRUE(header["plan"].at("precision_pct").is_null());
    header["plan"].erase("precision_pct");
    other.text.replace(0, end, header.dump());
    EXPECT_NO_THROW(
        bench::merged_journal({std::move(one), std::move(other)}, {"merge"}, missing_shards_are::refused));
}

TEST_F(shards, the_error_for_shards_with_different_plans_states_the_difference) {
    using record = bench::session_record;
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.seed = 2; }),
                "the seed is 1 in the first and 2 in the second");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.part->of = 3; }),
                "the number of shards is 2 in the first and 3 in the second");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.blocks = 10; }), "\"blocks\" is 12 in the first and 10");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.min_time_s = 2; }), "\"min_time_s\" is 0.5 in the first");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.size = bench::workload_size::small; }),
                "\"size\" is full in the first and small in the second");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.budget = std::chrono::seconds{9}; }),
                "\"budget_s\" is absent in the first and 9.0 in the second");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.cpu = 1; }), "\"cpu\" is absent in the first and 1");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.counts = true; }), "\"counts\" is false in the first");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.slice.timed = std::chrono::milliseconds{3}; }),
                "\"slice\"");
    EXPECT_SAYS(refusal_of([](record& of) { of.plan.workloads = {"yield"}; }),
                "entry 2 in the plan's list of workloads is echo in the first and absent in the second");
    EXPECT_SAYS(
        refusal_of([](record& of) { of.plan.contenders[1].name = "libuv"; }),
        "entry 2 in the plan's list of contenders is loop-epoll in the first and libuv in the second");
    EXPECT_SAYS(refusal_of([](record& of) { add_aa_copy(of.plan); }),
                "contenders is absent in the first and asio");
    EXPECT_SAYS(refusal_of([](record& of) { of.where.loopbench_version = "0.0.9"; }),
                "the version of loopbench is ");
    EXPECT_EQ(refusal_of([](record& of) { of.where.kernel = "Linux 7"; }), "")
        << "machines may have different kernels";
}

TEST_F(shards, the_error_for_shards_with_different_pairings_names_the_workload) {
    const auto in = [](reports::pairing made) {
        return [made](bench::session_record& of) { of.plan.pairings = {reports::pairing::sequential, made}; };
    };
    EXPECT_SAYS(refusal({add({1, 2}, "a", in(reports::pairing::sequential)),
                         add({2, 2}, "b", in(reports::pairing::interleaved))}),
                "echo is sequential in the first and interleaved in the second");
}

TEST_F(shards, the_error_for_shards_of_different_builds_names_the_file_and_the_two_checksums) {
    const auto said =
        refusal_of([this](bench::session_record& of) { of.plan.contenders[1].path = folder / "bin/other"; });
    EXPECT_SAYS(said, "the checksum of the file loop of the contender loop-epoll is ");
    EXPECT_SAYS(said, " in the first and absent in the second");
    const auto changed = refusal({add({1, 2}, "a"), [this] {
                                      write_script(folder / "bin/loop", "exit 3");
                                      return add({2, 2}, "b");
                                  }()});
    EXPECT_SAYS(changed, "the checksum of the file loop ");
    EXPECT_SAYS(refusal_of([](bench::session_record& of) {
                    of.plan.contenders[0].environment = {{"LOOPBENCH_SLOWDOWN", "0.03"}};
                }),
                "the environment of the contender asio-epoll is {} in the first");
}

TEST_F(shards, a_copy_of_the_executables_in_another_folder_counts_as_the_same_build) {
    write_script(folder / "copy/loop", "exit 0");
    EXPECT_EQ(refusal_of([this](bench::session_record& of) {
                  for (auto& who : of.plan.contenders) who.path = folder / "copy/loop";
              }),
              "");
}

TEST_F(shards, duplicate_shards_are_refused) {
    const auto one = add({1, 2}, "a"), again = add({1, 2}, "b");
    const auto said = refusal({one, again});
    EXPECT_SAYS(said, "shard 1 of 2 is in both ");
    for (const auto* folder_name : {"/a ", "/b;"}) EXPECT_SAYS(said, folder_name);
    EXPECT_SAYS(refusal({one, one}), "is in both ");
}

TEST_F(shards, missing_shards_are_named_in_an_error_unless_missing_shards_are_allowed) {
    const std::vector all{add({1, 4}, "a"), add({4, 4}, "d")};
    EXPECT_SAYS(refusal(all), "shards 2, 3 of 4 are missing; run them with --shard");
    const auto record = merged(all, missing_shards_are::allowed);
    EXPECT_TRUE(record.outcome.interrupted);
    EXPECT_EQ(record.outcome.blocks_finished, 6U);
    EXPECT_EQ(bench::missing_from(record.outcome.merged), (std::vector<std::uint64_t>{2, 3}));
    EXPECT_EQ(bench::sample_table(record.plan, record.outcome).of({0, 0}).at("time").size(), 6U);
}

TEST_F(shards, the_error_for_an_unfinished_shard_contains_the_command_that_resumes_the_shard) {
    const auto die = [](bench::session_record& of) {
        of.outcome.interrupted = true;
        of.outcome.trials.resize(5);
    };
    const std::vector all{add({1, 2}, "a"), add({2, 2}, "b", {}, die)};
    const auto said = refusal(all);
    EXPECT_SAYS(said, "shard 2 of 2 has finished 1 of 6 blocks");
    EXPECT_SAYS(said, "run --resume " + (folder / "b").native());
    const auto record = merged(all, missing_shards_are::allowed);
    EXPECT_TRUE(record.outcome.interrupted);
    EXPECT_FALSE(record.outcome.merged[1].finished);
    EXPECT_EQ(record.outcome.blocks_finished, 7U);
}

TEST_F(shards, shards_that_spent_their_budget_count_as_finished) {
    const auto spend = [](bench::session_record& of) {
        of.outcome.budget_spent = true;
        of.outcome.trials.resize(8);
        of.outcome.blocks_finished = 2;
    };
    const auto record = merged({add({1, 2}, "a"), add({2, 2}, "b", {}, spend)});
    EXPECT_FALSE(record.outcome.interrupted);
    EXPECT_TRUE(record.outcome.budget_spent);
    EXPECT_EQ(record.outcome.blocks_finished, 8U);
}

TEST_F(shards, a_merged_record_has_the_counts_of_the_first_shard) {
    const auto counted = [](bench::session_record& of) {
        of.counted = {{"yield", "loop-epoll", {{"waits", 0.5}}, {}}};
    };
    const auto record = merged({add({2, 2}, "b"), add({1, 2}, "a", counted)});
    ASSERT_EQ(record.counted.size(), 1U);
    EXPECT_EQ(record.counted[0].metrics.at("waits"), 0.5);
}

TEST_F(shards, a_result_that_is_unsupported_on_one_machine_keeps_the_trials_of_the_other_machine) {
    const auto refuse_io_uring = [](bench::session_record& of) {
        for (auto& trial : of.outcome.trials)
            if (trial.where.contender == 1) {
                trial.outcome = ended(reports::result_status::unsupported, "io_uring refused");
            }
    };
    const std::vector parts{add({1, 2}, "a", {}, refuse_io_uring), add({2, 2}, "b")};
    EXPECT_FALSE(merged(parts).outcome.excluded[0][1]);
    const std::vector neither{add({1, 2}, "c", {}, refuse_io_uring), add({2, 2}, "d", {}, refuse_io_uring)};
    const auto found = merged(neither).outcome.excluded[0][1];
    ASSERT_TRUE(found);
    EXPECT_EQ(found->status, reports::result_status::unsupported);
}

TEST_F(shards, a_contender_that_is_broken_on_one_machine_is_reported_as_failed) {
    const auto broken = [](bench::session_record& of) {
        of.plan.contenders[1].problem = "cannot list the contender's workloads: exit code 127";
    };
    const auto found = merged({add({1, 2}, "a"), add({2, 2}, "b", broken)}).outcome.excluded[0][1];
    ASSERT_TRUE(found);
    EXPECT_EQ(found->status, reports::result_status::failed);
}

TEST_F(shards, journals_that_are_missing_or_invalid_or_not_from_a_shard_are_refused) {
    const auto name = [](const std::filesystem::path& of) {
        return complaint_of<std::exception>([&] { bench::read_shard(of); });
    };
    std::filesystem::create_directories(folder / "whole");
    bench::journal{folder / "whole/journal.jsonl", {.plan = small_plan(3)}};
    EXPECT_SAYS(name(folder / "whole"), "whole run");
    std::filesystem::create_directories(folder / "merged");
    reports::write_file_atomically(folder / "merged/journal.jsonl",
                                   text_of({add({1, 2}, "a"), add({2, 2}, "b")}));
    EXPECT_SAYS(name(folder / "merged"), "already merged");
    EXPECT_SAYS(name(folder / "nowhere"), "does not exist");
    reports::write_file_atomically(folder / "merged/journal.jsonl", "{}\n");
    EXPECT_SAYS(name(folder / "merged"), "is not a valid journal");
}

TEST_F(shards, a_merged_record_must_list_each_shard_once_and_its_shards_must_state_the_same_total) {
    const auto text = text_of({add({1, 2}, "a"), add({2, 2}, "b")});
    const auto complaint = [&](std::string_view old, std::string_view replacement) -> std::string {
        auto damaged = text;
        damaged.replace(damaged.rfind(old, damaged.find('\n')), old.size(), replacement);
        return complaint_of<reports::format_error>([&] { bench::read_journal(damaged, "it"); });
    };
    EXPECT_SAYS(complaint(R"("shard":{"number":2,"of":2})", R"("shard":{"number":1,"of":2})"),
                "occurs twice");
    EXPECT_SAYS(complaint(R"("shard":{"number":2,"of":2})", R"("shard":{"number":2,"of":3})"),
                "numbers of shards");
}

}  // namespace

}  // namespace loopbench::tests
