// Trials and descriptions are taken over as they were written: a record that was read does not have all of
// them.
#include "bench/experiment/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/experiment/samples.hpp"
#include "bench/trial/usage_error.hpp"
#include "reports/files/posix_io.hpp"
#include "reports/json/json.hpp"
#include "reports/json/json_node.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& value) {
    constexpr std::size_t longest = 200;
    auto text = value.is_string() ? value.get<std::string>() : reports::dump(value);
    return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

/// Two shards' headers, of which nothing may differ that decides what a trial is.
class header_pair {
public:
    header_pair(const shard_journal& one, const shard_journal& other)
        : one_{one.name}, other_{other.name}, ours_(header_of(one)), theirs_(header_of(other)) {}

    static json header_of(const shard_journal& of) {
        return reports::parse_strictly(std::string_view{of.text}.substr(0, of.text.find('\n')));
    }

    void require_same() const {
        const auto version = [](const json& header) { return header["environment"]["loopbench_version"]; };
        require("the version of loopbench", version(ours_), version(theirs_));
        require("the seed", ours_["seed"], theirs_["seed"]);
        require("the number of shards", ours_["plan"]["shard"]["of"], theirs_["plan"]["shard"]["of"]);
        for (const auto* names : {"workloads", "contenders"}) require_same_list(names, {});
        std::set<std::string> fields;
        for (const auto* header : {&ours_, &theirs_})
            for (const auto& [field, value] : (*header)["plan"].items()) fields.insert(field);
        // Which cores a machine has is its own affair.
        for (const auto* own : {"shard", "cpus", "workloads", "contenders"}) fields.erase(own);
        for (const auto& field : fields) {
            const auto ours = part(ours_["plan"], field), theirs = part(theirs_["plan"], field);
            if (ours.is_array() && ours.size() == ours_["plan"]["workloads"].size())
                require_same_list(field, ours_["plan"]["workloads"]);
            else
                require(fmt::format("the plan's \"{}\"", field), ours, theirs);
        }
        require_same_builds();
    }

private:
    std::string one_, other_;  // their names
    json ours_, theirs_;

    static json part(const json& of, const std::string& field) {
        const auto found = of.find(field);
        return found == of.end() ? json{} : *found;
    }

    void require(const std::string& what, const json& ours, const json& theirs) const {
        if (ours != theirs)
            throw usage_error{
                fmt::format("{} and {} are no shards of one run: {} is {} in the first and {} in the second; "
                            "run all shards alike",
                            one_, other_, what, text_of(ours), text_of(theirs))};
    }

    /// The first element that differs; `of` says what each is about.
    void require_same_list(const std::string& field, const json& of) const {
        const auto ours = part(ours_["plan"], field), theirs = part(theirs_["plan"], field);
        for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
            const auto at = [i](const json& list) { return i < list.size() ? list[i] : json("none"); };
            require(of.is_null() ? fmt::format("number {} of the plan's {}", i + 1, field)
                                 : fmt::format("the plan's {} for {}", field, text_of(at(of))),
                    at(ours), at(theirs));
        }
    }

    /// By file name: what is in them, since another machine has them elsewhere, or copied at another time.
    static std::map<std::string, std::string> checksums(const json& executable) {
        std::map<std::string, std::string> all;
        for (const auto& file : part(executable, "contents"))
            all[file["name"].get<std::string>()] += " " + file["checksum"].get<std::string>();
        for (auto& [name, sums] : all) sums.erase(0, 1);
        return all;
    }

    void require_same_builds() const {
        const auto& names = ours_["plan"]["contenders"];
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto &ours = ours_["executables"][i], &theirs = theirs_["executables"][i];
            const auto who = text_of(names[i]);
            require(fmt::format("the environment of {}", who), part(ours, "environment"),
                    part(theirs, "environment"));
            const auto one = checksums(ours), other = checksums(theirs);
            std::set<std::string> files;
            for (const auto* each : {&one, &other})
                for (const auto& [file, sum] : *each) files.insert(file);
            for (const auto& file : files) {
                const auto in = [&](const auto& all) {
                    const auto found = all.find(file);
                    return found == all.end() ? "none" : found->second;
                };
                require(fmt::format("of what {} is made of, the checksum of {}", who, file), in(one),
                        in(other));
            }
        }
    }
};

std::uint64_t number_of(const shard_journal& of) {
    return of.record.plan.part->number;
}

void refuse_what_differs(const std::vector<shard_journal>& shards) {
    std::map<std::uint64_t, std::string_view> seen;
    for (const auto& each : shards) {
        header_pair{shards.front(), each}.require_same();
        const auto [before, is_new] = seen.emplace(number_of(each), each.name);
        if (!is_new)
            throw usage_error{fmt::format("shard {} of {} is there twice: in {} and in {}; name one of them",
                                          number_of(each), each.record.plan.part->of, before->second,
                                          each.name)};
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
        wrong.push_back(fmt::format("{} missing: run {} (--shard)", shards_text(missing, of),
                                    missing.size() == 1 ? "it" : "them"));
    for (std::size_t i = 0; i < merged.size(); ++i)
        if (!merged[i].finished)
            wrong.push_back(
                fmt::format("shard {} of {} has {} of {} blocks and still runs, or was interrupted: go on "
                            "with `loopbench "
                            "run --resume {}`",
                            merged[i].part.number, of, merged[i].blocks_finished,
                            merged[i].part.count(shards[i].record.plan.blocks), shards[i].name));
    if (!wrong.empty())
        throw usage_error{fmt::format("{}; or take what there is with --partial", fmt::join(wrong, "; "))};
}

/// Each of the values once.
std::string joined(std::span<const merged_shard> merged, std::string reports::environment::*which) {
    std::vector<std::string> all;
    for (const auto& one : merged)
        if (std::ranges::find(all, one.where.*which) == all.end()) all.push_back(one.where.*which);
    return fmt::format("{}", fmt::join(all, " + "));
}

/// The first shard's, and of several machines nothing that is of one alone.
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
    return where;
}

json header_of(const std::vector<shard_journal>& shards, std::span<const merged_shard> merged,
               const std::vector<std::string>& command) {
    auto header = header_pair::header_of(shards.front());
    header["command"] = command;
    header["environment"] = reports::to_json(environment_of(merged, shards));
    header["plan"].erase("shard");
    std::set<std::pair<std::string, std::string>> excluded;
    auto all = json::array();
    for (const auto& each : shards) {  // a contender that does not even start on one machine is no contender
        const auto own = header_pair::header_of(each);
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

/// The lines of a journal that are trials, and what the passes found.
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
    const auto file = folder / "journal.jsonl";
    if (!std::filesystem::exists(file))
        throw usage_error{fmt::format(
            "there is no {}; name the folders that `loopbench run --shard` wrote into", file.native())};
    shard_journal found{folder.native(), reports::read_file(file.native(), journal_bytes_max), {}};
    found.record = read_journal(found.text, file.native());
    if (!found.record.outcome.merged.empty())
        throw usage_error{
            fmt::format("{} was merged already; name the folders of its shards", folder.native())};
    if (!found.record.plan.part)
        throw usage_error{fmt::format(
            "{} is of a whole run and not of a shard (--shard I/N): it needs no merging", folder.native())};
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
    // All trials of a block are of one shard, and stay in its order.
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
