// A merge copies the shards' lines for trials and descriptions into the merged journal. It does not write the
// parsed records instead, because a parsed record lacks some fields of its line.
#include "bench/harness/experiment/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/harness/experiment/samples.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/json_node.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& value) {
    if (value.is_null()) return "absent";
    return value.is_string() ? value.get<std::string>() : reports::dump(value);
}

json header_of(const shard_journal& of) {
    return reports::parse_strictly(std::string_view{of.text}.substr(0, of.text.find('\n')));
}

using facts = std::vector<std::pair<std::string, std::string>>;

/// Adds the plan's fields to `to`. The names of workloads and contenders come first, so that an error reports
/// a different name before the differences that it causes in other fields. The value "absent" after each list
/// makes lists of different lengths differ.
void add_plan(facts& to, const json& plan) {
    for (const std::string field : {"workloads", "contenders"})
        for (std::size_t i = 0; i <= plan[field].size(); ++i)
            to.emplace_back(fmt::format("entry {} in the plan's list of {}", i + 1, field),
                            i < plan[field].size() ? text_of(plan[field][i]) : "absent");
    const auto& workloads = plan["workloads"];
    const std::set<std::string> others{"workloads", "contenders", "shard",
                                       "cpus"};  // CPU numbers can differ between machines
    for (const auto& [field, value] : plan.items()) {
        if (others.contains(field)) continue;
        if (!value.is_array() || value.size() != workloads.size())
            to.emplace_back(fmt::format("the plan's \"{}\"", field), text_of(value));
        else
            for (std::size_t i = 0; i < value.size(); ++i)
                to.emplace_back(fmt::format("the plan's \"{}\" for {}", field, text_of(workloads[i])),
                                text_of(value[i]));
    }
}

/// Adds the contenders' environments and the checksums of their files to `to`. Ignores the folders and times
/// of files, because they can differ between machines.
void add_builds(facts& to, const json& header) {
    for (std::size_t i = 0; i < header["executables"].size(); ++i) {
        const auto& executable = header["executables"][i];
        const auto who = text_of(header["plan"]["contenders"][i]);
        to.emplace_back(fmt::format("the environment of the contender {}", who),
                        text_of(executable["environment"]));
        std::map<std::string, std::vector<std::string>> checksums;
        for (const auto& file : executable.value("contents", json::array()))
            checksums[text_of(file["name"])].push_back(text_of(file["checksum"]));
        for (const auto& [file, sums] : checksums)
            to.emplace_back(fmt::format("the checksum of the file {} of the contender {}", file, who),
                            fmt::format("{}", fmt::join(sums, " ")));
    }
}

facts facts_of(const shard_journal& shard) {
    const auto header = header_of(shard);
    facts all{{"the version of loopbench", text_of(header["environment"]["loopbench_version"])},
              {"the seed", text_of(header["seed"])},
              {"the number of shards", text_of(header["plan"]["shard"]["of"])}};
    add_plan(all, header["plan"]);
    add_builds(all, header);
    return all;
}

void require_same(const shard_journal& one, const shard_journal& other) {
    const auto ours = facts_of(one), theirs = facts_of(other);
    const std::map first(ours.begin(), ours.end()), second(theirs.begin(), theirs.end());
    const auto in = [](const auto& all, const std::string& what) {
        const auto found = all.find(what);
        return found == all.end() ? "absent" : found->second;
    };
    const auto cut = [](const std::string& text) {
        constexpr std::size_t longest = 200;
        return text.size() > longest ? text.substr(0, longest) + "..." : text;
    };
    for (const auto* side : {&ours, &theirs})
        for (const auto& [what, value] : *side)
            if (const auto here = in(first, what), there = in(second, what); here != there)
                throw usage_error{
                    "{} and {} are shards of different runs: {} is {} in the first and {} in the second; run "
                    "all shards with the same options and programs",
                    one.name,
                    other.name,
                    what,
                    cut(here),
                    cut(there)};
}

std::uint64_t number_of(const shard_journal& of) {
    return of.record.plan.part->number;
}

void refuse_what_differs(const std::vector<shard_journal>& shards) {
    std::map<std::uint64_t, std::string_view> seen;
    for (const auto& each : shards) {
        require_same(shards.front(), each);
        const auto [before, is_new] = seen.emplace(number_of(each), each.name);
        if (!is_new)
            throw usage_error{"shard {} of {} is in both {} and {}; name only one of the two folders",
                              number_of(each), each.record.plan.part->of, before->second, each.name};
    }
}

merged_shard summary_of(const shard_journal& from) {
    const auto& outcome = from.record.outcome;
    return {*from.record.plan.part, from.record.command, from.record.where, !outcome.interrupted,
            outcome.blocks_finished};
}

void refuse_missing(const std::vector<shard_journal>& shards, std::span<const merged_shard> merged) {
    std::vector<std::string> wrong;
    const auto of = merged.front().part.of;
    if (const auto missing = missing_from(merged); !missing.empty())
        wrong.push_back(fmt::format("{} missing; run {} with --shard", shards_text(missing, of),
                                    missing.size() == 1 ? "it" : "them"));
    for (std::size_t i = 0; i < merged.size(); ++i)
        if (!merged[i].finished)
            wrong.push_back(
                fmt::format("shard {} of {} has finished {} of {} blocks: wait for it, or continue it with "
                            "`loopbench run --resume {}`",
                            merged[i].part.number, of, merged[i].blocks_finished,
                            merged[i].part.count(shards[i].record.plan.blocks), shards[i].name));
    if (!wrong.empty())
        throw usage_error{"{}; or merge the existing shards with --partial", fmt::join(wrong, "; ")};
}

std::string joined(std::span<const merged_shard> merged, std::string reports::environment::*which) {
    std::set<std::string> all;
    for (const auto& one : merged) all.insert(one.where.*which);
    return fmt::format("{}", fmt::join(all, " + "));
}

std::int64_t smallest(std::span<const merged_shard> merged, std::int64_t reports::environment::*which) {
    auto least = merged.front().where.*which;
    for (const auto& one : merged) least = std::min(least, one.where.*which);
    return least;
}

reports::environment environment_of(std::span<const merged_shard> merged,
                                    const std::vector<shard_journal>& shards) {
    auto where = merged.front().where;
    std::set<std::string> machines;
    for (const auto& each : shards)
        for (const auto& machine : machines_of(each.record.outcome)) machines.insert(machine);
    if (machines.size() < 2) return where;
    where.machine.reset();
    where.calibrated.reset();
    where.kernel = joined(merged, &reports::environment::kernel);
    where.cpu_model = joined(merged, &reports::environment::cpu_model);
    where.cores = smallest(merged, &reports::environment::cores);
    where.memory_bytes = smallest(merged, &reports::environment::memory_bytes);
    return where;
}

json header_of(const std::vector<shard_journal>& shards, std::span<const merged_shard> merged,
               const std::vector<std::string>& command) {
    auto header = header_of(shards.front());
    header["command"] = command;
    header["environment"] = reports::to_json(environment_of(merged, shards));
    header["plan"].erase("shard");
    std::set<std::pair<std::string, std::string>> excluded;
    auto all = json::array();
    for (const auto& each : shards) {
        const auto own = header_of(each);
        for (const auto& item : own["excluded"])
            if (excluded.emplace(item["workload"].get<std::string>(), item["contender"].get<std::string>())
                    .second)
                all.push_back(item);
    }
    header["excluded"] = std::move(all);
    auto parts = json::array();
    for (const auto& one : merged)
        parts.push_back({{"shard", {{"number", one.part.number}, {"of", one.part.of}}},
                         {"command", one.command},
                         {"environment", reports::to_json(one.where)},
                         {"finished", one.finished},
                         {"blocks_finished", one.blocks_finished}});
    header["merged"] = std::move(parts);
    return header;
}

struct trial_text {
    std::uint64_t block;
    std::string_view line;
};

struct journal_parts {
    std::vector<trial_text> trials;
    std::optional<std::string_view> counted;
};

void take_lines(const shard_journal& from, journal_parts& to) {
    std::string_view rest{from.text};
    rest.remove_prefix(rest.find('\n') + 1);
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        const auto line = rest.substr(0, end);
        const auto content = reports::parse_strictly(line);
        if (content.contains("counted"))
            to.counted = line;
        else if (!content.contains("end"))
            to.trials.push_back({content["block"].get<std::uint64_t>(), line});
        rest.remove_prefix(end + 1);
    }
}

run_outcome outcome_of(const std::vector<shard_journal>& shards, std::span<const merged_shard> merged) {
    run_outcome all;
    all.interrupted = !missing_from(merged).empty();
    all.blocks_planned = shards.front().record.plan.blocks;
    for (std::size_t i = 0; i < merged.size(); ++i) {
        all.interrupted = all.interrupted || !merged[i].finished;
        all.budget_spent = all.budget_spent || shards[i].record.outcome.budget_spent;
        all.blocks_finished += merged[i].blocks_finished;
    }
    return all;
}

}  // namespace

shard_journal read_shard(const std::filesystem::path& folder) {
    shard_journal found{folder.native(),
                        journal_text_in(folder, "name the folders that `loopbench run --shard` wrote into"),
                        {}};
    found.record = read_journal(found.text, (folder / "journal.jsonl").native());
    if (!found.record.outcome.merged.empty())
        throw usage_error{"{} is already merged; name the folders of its shards", folder.native()};
    if (!found.record.plan.part)
        throw usage_error{"{} contains a whole run, not a shard (--shard I/N); a whole run needs no merging",
                          folder.native()};
    return found;
}

std::vector<std::uint64_t> missing_from(std::span<const merged_shard> merged) {
    std::set<std::uint64_t> there;
    for (const auto& one : merged) there.insert(one.part.number);
    std::vector<std::uint64_t> all;
    for (std::uint64_t number = 1; !merged.empty() && number <= merged.front().part.of; ++number)
        if (!there.contains(number)) all.push_back(number);
    return all;
}

std::string shards_text(std::span<const std::uint64_t> numbers, std::uint64_t of) {
    constexpr std::size_t most = 20;
    const auto shown = numbers.first(std::min(numbers.size(), most));
    return fmt::format("{} {}{} of {} {}", numbers.size() == 1 ? "shard" : "shards", fmt::join(shown, ", "),
                       numbers.size() > most ? fmt::format(" and {} more", numbers.size() - most) : "", of,
                       numbers.size() == 1 ? "is" : "are");
}

std::string merged_journal(std::vector<shard_journal> shards, const std::vector<std::string>& command,
                           missing_shards_are missing) {
    refuse_what_differs(shards);
    std::ranges::sort(shards, {}, number_of);
    std::vector<merged_shard> merged;
    for (const auto& each : shards) merged.push_back(summary_of(each));
    if (missing == missing_shards_are::refused) refuse_missing(shards, merged);
    journal_parts parts;
    for (const auto& each : shards) take_lines(each, parts);
    // All trials of a block are in the journal of one shard. Therefore sorting them by the addresses of their
    // lines keeps them in the order in which they ran.
    std::ranges::sort(parts.trials, {}, [](const trial_text& each) {
        return std::pair{each.block, each.line.data()};
    });
    auto text = reports::dump(header_of(shards, merged, command)) + "\n";
    for (const auto& trial : parts.trials) text.append(trial.line).append("\n");
    text += reports::dump(end_line(outcome_of(shards, merged))) + "\n";
    if (parts.counted) text.append(*parts.counted).append("\n");
    return text;
}

}  // namespace loopbench::bench
