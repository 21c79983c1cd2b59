// The writer and the reader of journals share one list of each struct's fields. The reader also validates all
// values, because a journal can come from a third party.
#include "bench/harness/experiment/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/experiment/digest.hpp"
#include "bench/harness/experiment/stopping.hpp"
#include "bench/harness/machine/environment.hpp"
#include "reports/base/json_fields.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/json.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/used_cores_fields.hpp"

namespace loopbench::bench {

namespace {
using json = nlohmann::ordered_json;
}  // namespace

using reports::field;
using reports::node;
using reports::presence;
using reports::read_fields;
using reports::read_value;
using reports::result_status;
using reports::value_of;

constexpr std::size_t contender_file_bytes_max = std::size_t{1} << 30U;

constexpr auto fields_of(const file_state*) {
    return std::tuple(field{"path", &file_state::path}, field{"bytes", &file_state::bytes},
                      field{"modified_ns", &file_state::modified_ns}, field{"inode", &file_state::inode});
}

constexpr auto fields_of(const file_content*) {
    return std::tuple(field{"name", &file_content::name}, field{"checksum", &file_content::checksum});
}

constexpr auto fields_of(const executable_state*) {
    return std::tuple(field{"path", &executable_state::path}, field{"bytes", &executable_state::bytes},
                      field{"modified_ns", &executable_state::modified_ns},
                      field{"inode", &executable_state::inode},
                      field{"environment", &executable_state::environment},
                      field{"arguments", &executable_state::arguments, presence::when_there},
                      field{"folder", &executable_state::folder, presence::when_there},
                      field{"layouts", &executable_state::layouts, presence::when_there},
                      field{"generator", &executable_state::generator, presence::when_there},
                      field{"asio_dropin", &executable_state::asio_dropin, presence::when_there},
                      field{"files", &executable_state::files},
                      field{"contents", &executable_state::contents, presence::when_there});
}

constexpr auto fields_of(const slice_lengths*) {
    return std::tuple(field{"untimed_ns", &slice_lengths::untimed}, field{"timed_ns", &slice_lengths::timed});
}

constexpr auto fields_of(const shard*) {
    return std::tuple(field{"number", &shard::number}, field{"of", &shard::of});
}

void check_fields(const shard& part, const node& from) {
    if (part.of < 1 || part.of > blocks_max) from.at("of").fail("expected a number from 1 to {}", blocks_max);
    if (part.number < 1 || part.number > part.of)
        from.at("number").fail("expected a number from 1 to {}", part.of);
}

constexpr auto fields_of(const unmatched_benchmark*) {
    return std::tuple(field{"workload", &unmatched_benchmark::workload},
                      field{"contender", &unmatched_benchmark::contender});
}

constexpr auto fields_of(const cause_options*) {
    return std::tuple(field{"instructions", &cause_options::instructions},
                      field{"profile", &cause_options::profile});
}

constexpr auto fields_of(const run_plan*) {
    return std::tuple(field{"size", &run_plan::size}, field{"min_time_s", &run_plan::min_time_s},
                      field{"blocks", &run_plan::blocks}, field{"budget_s", &run_plan::budget},
                      field{"trial_limit_s", &run_plan::trial_limit}, field{"baseline", &run_plan::baseline},
                      field{"threshold_pct", &run_plan::threshold_pct}, field{"correction", &run_plan::how},
                      field{"precision_pct", &run_plan::precision_pct}, field{"cpu", &run_plan::cpu},
                      field{"tolerated_pct", &run_plan::tolerated_pct}, field{"counts", &run_plan::counts},
                      field{"checks", &run_plan::checks}, field{"workloads", &run_plan::workloads},
                      field{"pairings", &run_plan::pairings}, field{"cores", &run_plan::cores},
                      field{"cpus", &run_plan::cpus}, field{"slice", &run_plan::slice},
                      field{"causes", &run_plan::causes, presence::when_there},
                      field{"shard", &run_plan::part, presence::when_there},
                      field{"unmatched", &run_plan::unmatched, presence::when_there});
}

constexpr auto fields_of(const resource_usage*) {
    return std::tuple(field{"user_ns", &resource_usage::user_ns},
                      field{"system_ns", &resource_usage::system_ns},
                      field{"rss_max_bytes", &resource_usage::rss_max_bytes},
                      field{"switches_voluntary", &resource_usage::switches_voluntary},
                      field{"switches_involuntary", &resource_usage::switches_involuntary},
                      field{"run_delay_ns", &resource_usage::run_delay_ns});
}

constexpr auto fields_of(const trial_outcome*) {
    return std::tuple(field{"status", &trial_outcome::status},
                      field{"reason", &trial_outcome::reason, presence::null_when_empty},
                      field{"metrics", &trial_outcome::metrics}, field{"wall_ns", &trial_outcome::wall},
                      field{"usage", &trial_outcome::usage}, field{"pairing", &trial_outcome::made},
                      field{"cpu", &trial_outcome::cpu},
                      field{"cores", &trial_outcome::cores, presence::when_there},
                      field{"waited", &trial_outcome::waited, presence::when_there},
                      field{"slices_ns", &trial_outcome::slices},
                      field{"disturbed", &trial_outcome::disturbed, presence::null_when_empty},
                      field{"asio_loops", &trial_outcome::asio_loops, presence::when_there},
                      field{"asio_failure", &trial_outcome::asio_failure, presence::when_there},
                      field{"context", &trial_outcome::context});
}

constexpr auto fields_of(const trial_record*) {
    return std::tuple(field{"block", &trial_record::block}, field{"attempt", &trial_record::attempt},
                      field{"machine", &trial_record::machine, presence::when_there});
}

constexpr auto fields_of(const counted_result*) {
    return std::tuple(field{"workload", &counted_result::workload},
                      field{"contender", &counted_result::contender},
                      field{"metrics", &counted_result::metrics}, field{"samples", &counted_result::samples},
                      field{"tracer", &counted_result::tracer}, field{"missing", &counted_result::missing},
                      field{"failed", &counted_result::failed});
}

namespace {

constexpr double longest_trial_s = 7 * 24 * 3600.0;

void require_within(const node& in, const char* name, double value, double least, double most) {
    if (!(value >= least && value <= most))
        in.at(name).fail("expected a number from {:g} to {:g}", least, most);
}

void require_known_metric(const std::string& name, const node& value) {
    if (reports::find_metric(name) == nullptr) value.fail("unknown metric");
}

template <class items, class projection = std::identity>
std::size_t place_in(const items& all, const node& from, projection name = {}) {
    const auto found = std::ranges::find(all, from.text(), name);
    if (found == all.end()) from.fail("\"{}\" is not in the plan", reports::shown(from.text()));
    return static_cast<std::size_t>(found - all.begin());
}

std::vector<std::string> distinct_names(const node& from, bool can_be_empty = false) {
    auto names = read_value<std::vector<std::string>>(from);
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
        from.fail("a name occurs twice");
    if (names.empty() && !can_be_empty) from.fail("expected at least one name");
    return names;
}

run_plan read_plan(const node& from) {
    auto plan = read_value<run_plan>(from);
    require_within(from, "min_time_s", plan.min_time_s, 0, longest_trial_s);
    require_within(from, "blocks", static_cast<double>(plan.blocks), 0, blocks_max);
    require_within(from, "threshold_pct", plan.threshold_pct, 0, 100);
    if (plan.precision_pct) require_within(from, "precision_pct", *plan.precision_pct, 1e-6, 100);
    if (plan.tolerated_pct) require_within(from, "tolerated_pct", *plan.tolerated_pct, 0, 100);
    if (plan.cpu) require_within(from, "cpu", *plan.cpu, 0, 1 << 20);
    plan.workloads = distinct_names(from.at("workloads"), plan.unmatched.has_value());
    if (std::ranges::any_of(plan.cpus, [](int cpu) { return cpu < 0 || cpu > 1 << 20; }))
        from.at("cpus").fail("expected CPU numbers");
    if (plan.slice.untimed < plan.slice.untimed.zero() || plan.slice.untimed > longest_slice_part ||
        plan.slice.timed <= plan.slice.timed.zero() || plan.slice.timed > longest_slice_part)
        from.at("slice").fail("expected a timed part above 0 s, and at most {} s for each of the two parts",
                              longest_slice_part.count());
    for (const auto& [name, size] :
         {std::pair{"pairings", plan.pairings.size()}, std::pair{"cores", plan.cores.size()}})
        if (size > 0 && size != plan.workloads.size())
            from.at(name).fail("expected one value for each workload");
    const auto names = distinct_names(from.at("contenders"));
    if (plan.workloads.size() > cells_max / names.size())
        from.fail("expected at most {} results (workloads times contenders)", cells_max);
    for (const auto& name : names) {
        plan.contenders.emplace_back();
        plan.contenders.back().name = name;
        plan.contenders.back().workloads = plan.workloads;
    }
    return plan;
}

std::string name_of_layout(const std::filesystem::path& file) {
    return file.filename().native();
}

class journal_reader {
public:
    session_record take() {
        auto& outcome = found_.outcome;
        if (found_.plan.precision_pct && outcome.blocks_finished >= pilot_blocks)
            outcome.blocks_planned = blocks_after_pilot(found_.plan, outcome);
        if (!outcome.merged.empty()) admit_what_one_machine_did();
        return std::move(found_);
    }

    void take_header(const node& from, std::string_view name) {
        reports::require_format(from, reports::journal_format, name);
        found_.command = read_value<std::vector<std::string>>(from.at("command"));
        found_.where = reports::read_environment(from.at("environment"));
        found_.plan = read_plan(from.at("plan"));
        found_.plan.seed = from.at("seed").natural();
        shards_ = found_.plan.share().of;
        if (const auto merged = from.find("merged")) take_merged(*merged);
        take_aa_copy(from.at("plan"));
        take_descriptions(from.at("described"));
        take_executables(from.at("executables"));
        auto& outcome = found_.outcome;
        outcome.interrupted = true;
        outcome.blocks_planned = found_.plan.share().count(blocks_at_first(found_.plan));
        outcome.excluded.assign(found_.plan.workloads.size(),
                                std::vector<std::optional<exclusion>>(found_.plan.contenders.size()));
        const auto exclusions = from.at("excluded").each([&](const node& item) {
            return std::pair{where_of(item), exclusion{read_value<result_status>(item.at("status")),
                                                       item.at("reason").text()}};
        });
        for (const auto& [where, why] : exclusions) excluded(where) = why;
    }

    void take_line(const node& from) {
        auto& outcome = found_.outcome;
        if (const auto end = from.find("end")) {
            outcome.interrupted = end->text() == "interrupted";
            outcome.budget_spent = end->text() == "budget";
            outcome.blocks_finished = from.at("blocks_finished").natural();
            outcome.blocks_planned = from.at("blocks_planned").natural();
            return;
        }
        if (const auto counted = from.find("counted")) {
            found_.counted = counted->each([this](const node& item) { return read_counted(item); });
            if (const auto causes = from.find("causes")) found_.causes = read_causes(*causes);
            return;
        }
        auto record = read_trial(from);
        // These values hold until the next end line. If the journal already had an end line, this trial
        // belongs to a resumed run, so the values of that end line no longer apply.
        outcome.interrupted = true;
        outcome.budget_spent = false;
        outcome.blocks_finished = found_.plan.share().count(record.block);
        add_trial(outcome, found_.plan, std::move(record));
    }

private:
    session_record found_;
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> trials_of_;
    std::set<std::tuple<std::uint64_t, std::size_t, std::size_t, std::uint64_t>> seen_;
    std::set<std::size_t> has_context_;
    std::uint64_t shards_ = 1;

    std::optional<exclusion>& excluded(cell where) {
        return found_.outcome.excluded[where.workload][where.contender];
    }

    cell where_of(const node& from) const {
        return {place_in(found_.plan.workloads, from.at("workload")),
                place_in(found_.plan.contenders, from.at("contender"), &contender::name)};
    }

    void take_merged(const node& from) {
        std::set<std::uint64_t> numbers;
        found_.outcome.merged = from.each([&](const node& item) {
            merged_shard one;
            one.part = read_value<shard>(item.at("shard"));
            one.command = read_value<std::vector<std::string>>(item.at("command"));
            one.where = reports::read_environment(item.at("environment"));
            one.finished = item.at("finished").flag();
            one.blocks_finished = item.at("blocks_finished").natural();
            shards_ = one.part.of;
            if (!numbers.insert(one.part.number).second) item.at("shard").fail("this shard occurs twice");
            return one;
        });
        if (found_.plan.part) from.fail("a shard cannot contain merged shards");
        if (std::ranges::any_of(found_.outcome.merged,
                                [&](const merged_shard& one) { return one.part.of != shards_; }))
            from.fail("the shards state different numbers of shards (\"of\")");
    }

    /// Removes the exclusion of each result that is unsupported on one machine, for example without io_uring,
    /// but has a number on another machine.
    void admit_what_one_machine_did() {
        for (const auto& trial : found_.outcome.trials)
            if (auto& why = excluded(trial.where);
                trial.outcome.status == result_status::ok && why && why->status == result_status::unsupported)
                why.reset();
    }

    void take_aa_copy(const node& from) {
        if (const auto aa_copy = from.at("aa_copy"); !aa_copy.is_null())
            found_.plan.aa_copy = place_in(found_.plan.contenders, aa_copy, &contender::name);
        if (found_.plan.aa_copy && !found_.plan.baseline_index())
            from.at("baseline")
                .fail("the journal has an A/A copy, but the baseline is not one of the contenders");
    }

    void take_descriptions(const node& from) {
        const auto contexts = from.each([](const node& item) { return item.object(); });
        if (contexts.size() > found_.plan.contenders.size())
            from.fail("expected at most one description for each contender");
        for (std::size_t i = 0; i < contexts.size(); ++i)
            found_.plan.described.push_back(reports::describe(found_.plan.contenders[i].name, contexts[i]));
    }

    void take_executables(const node& from) {
        found_.executables = read_value<std::vector<executable_state>>(from);
        if (found_.executables.size() != found_.plan.contenders.size())
            from.fail("expected one executable for each contender");
        for (std::size_t i = 0; i < found_.executables.size(); ++i) {
            auto& who = found_.plan.contenders[i];
            who.path = found_.executables[i].path;
            who.environment = found_.executables[i].environment;
            who.arguments = found_.executables[i].arguments.value_or(std::vector<std::string>{});
            who.folder = found_.executables[i].folder.value_or("");
            who.asio_dropin = found_.executables[i].asio_dropin.value_or(false);
            if (found_.executables[i].layouts) take_layouts(from, *found_.executables[i].layouts, who);
        }
    }

    static void take_layouts(const node& from, const std::vector<file_state>& files, contender& who) {
        std::set<std::string> names;
        for (const auto& file : files) {
            who.layouts.emplace_back(file.path);
            names.insert(name_of_layout(who.layouts.back()));
        }
        if (files.empty() || names.size() < files.size() || names.size() > layouts_max)
            from.fail("expected 1 to {} layouts with different names", layouts_max);
    }

    std::vector<reports::slowdown_cause> read_causes(const node& from) const {
        from.each_element([this](const node& item) { where_of(item); });
        return reports::read_causes(from);
    }

    counted_result read_counted(const node& from) const {
        auto cell = read_value<counted_result>(from);
        where_of(from);
        from.at("metrics").each_field(require_known_metric);
        if (const auto samples = from.find("samples"))
            samples->each_field([&](const std::string& name, const node& values) {
                if (!cell.metrics.contains(name))
                    values.fail("the result has samples of a metric that is not among its metrics");
                if (reports::find_metric(name)->deterministic && !counts_vary(cell.workload))
                    values.fail("a count cannot have samples, unless the workload has several threads");
                if (cell.samples[name].empty()) values.fail("expected at least one sample");
                if (cell.samples[name].size() > most_triples)
                    values.fail("expected at most {} samples", most_triples);
            });
        return cell;
    }

    trial_record read_trial(const node& from) {
        trial_record record;
        read_fields(record, from);
        if (record.block >= found_.plan.blocks)
            from.at("block").fail("expected a block number below {}", found_.plan.blocks);
        record.where = where_of(from);
        if (const auto& layouts = found_.plan.contenders[record.where.contender].layouts; !layouts.empty())
            record.layout = place_in(layouts, from.at("layout"), name_of_layout);
        if (!found_.plan.share().has(record.block))
            from.at("block").fail("the block belongs to another shard");
        if (record.block >= shards_ * (trials_of_[{record.where.workload, record.where.contender}]++ + 1))
            from.at("block").fail("earlier blocks are missing");
        if (!seen_.insert({record.block, record.where.workload, record.where.contender, record.attempt})
                 .second)
            from.fail("this trial occurs twice");
        auto& outcome = record.outcome;
        read_fields(outcome, from);
        if (std::ranges::any_of(outcome.slices, [](double ns) { return !(ns > 0); }))
            from.at("slices_ns").fail("expected numbers above 0");
        from.at("metrics").each_field(require_known_metric);
        require_within(from, "wall_ns", static_cast<double>(outcome.wall.count()), 0, longest_trial_s * 1e9);
        // Keep only the first context of each contender. Later contexts are never read and would fill the
        // memory.
        if (!outcome.context.empty() && !has_context_.insert(record.where.contender).second)
            outcome.context = json::object();
        return record;
    }
};

std::string checksum_of(const std::string& file) {
    return digest("8a1c7c1e-3d0b-4f43-9f4e-0a6a4b1f2c57", reports::read_file(file, contender_file_bytes_max));
}

std::vector<file_content> contents_of(const contender& who, std::map<std::string, std::string>& known) {
    auto files = who.files;
    if (who.generator) files.push_back(*who.generator);
    std::vector<file_content> all;
    for (const auto& file : files) {
        auto& checksum = known[file.path];
        if (checksum.empty()) checksum = std::filesystem::exists(file.path) ? checksum_of(file.path) : "none";
        all.push_back({std::filesystem::path{file.path}.filename().native(), checksum});
    }
    std::ranges::sort(all);
    return all;
}

}  // namespace

executable_state state_of(const contender& who) {
    const auto file = state_of_file(who.path);
    executable_state state{.path = file.path,
                           .bytes = file.bytes,
                           .modified_ns = file.modified_ns,
                           .inode = file.inode,
                           .environment = who.environment,
                           .generator = generator_of(who)};
    if (!who.arguments.empty()) state.arguments = who.arguments;
    if (!who.folder.empty()) state.folder = who.folder.native();
    if (who.asio_dropin) state.asio_dropin = true;
    const auto is_other = [&](const file_state& each) {
        const std::filesystem::path path{each.path};
        return path != who.path && std::ranges::find(who.layouts, path) == who.layouts.end();
    };
    std::ranges::copy_if(who.files, std::back_inserter(state.files), is_other);
    if (who.layouts.empty()) return state;
    state.layouts.emplace();
    std::ranges::transform(who.layouts, std::back_inserter(*state.layouts), state_of_file);
    return state;
}

void refuse_too_many_cells(const run_plan& plan) {
    const std::size_t copies = plan.baseline_index() && !plan.aa_copy ? 1 : 0;
    const auto cells = plan.workloads.size() * (plan.contenders.size() + copies);
    if (cells > cells_max)
        throw usage_error{
            "the run would have {} results (workloads times contenders), but the limit is {}; choose fewer "
            "workloads with --workload{}",
            cells, cells_max, plan.of_one_program ? "" : ", or fewer contenders with --contender"};
}

void refuse_impossible_part(const run_plan& plan) {
    if (!plan.part) return;
    if (plan.precision_pct)
        throw usage_error{
            "a shard cannot use --precision, because the required number of blocks depends on the blocks of "
            "all shards; use --blocks instead"};
    if (plan.part->of > plan.blocks)
        throw usage_error{
            "{} shards cannot share {} {}: each shard needs at least one block; use more blocks (--blocks) "
            "or fewer shards (--shard)",
            plan.part->of, plan.blocks, plan.blocks == 1 ? "block" : "blocks"};
}

json header_line(const session_record& begun) {
    const auto& plan = begun.plan;
    std::map<std::string, std::string> checksums;
    auto contenders = json::array(), described = json::array(), executables = json::array(),
         excluded = json::array();
    for (const auto& who : plan.described) described.push_back(who.context);
    const auto before = exclusions_before(plan);
    for (std::size_t i = 0; i < plan.contenders.size(); ++i) {
        const auto& who = plan.contenders[i];
        contenders.push_back(who.name);
        auto state = state_of(who);
        if (plan.part) state.contents = contents_of(who, checksums);
        executables.push_back(value_of(state));
        for (std::size_t workload = 0; workload < plan.workloads.size(); ++workload)
            if (const auto& why = before[workload][i])
                excluded.push_back({{"workload", plan.workloads[workload]},
                                    {"contender", who.name},
                                    {"status", reports::name_of(why->status)},
                                    {"reason", why->reason}});
    }
    auto planned = value_of(plan);
    planned["aa_copy"] = plan.aa_copy ? json(plan.contenders[*plan.aa_copy].name) : json(nullptr);
    planned["contenders"] = std::move(contenders);
    return {{"schema", reports::journal_format.schema},
            {"seed", plan.seed},
            {"command", begun.command},
            {"environment", reports::to_json(begun.where)},
            {"plan", std::move(planned)},
            {"described", std::move(described)},
            {"excluded", std::move(excluded)},
            {"executables", std::move(executables)}};
}

json trial_line(const run_plan& plan, const trial_record& record) {
    auto line = value_of(record);
    line["workload"] = plan.workloads[record.where.workload];
    const auto& who = plan.contenders[record.where.contender];
    line["contender"] = who.name;
    if (!who.layouts.empty()) line["layout"] = name_of_layout(who.layouts[record.layout]);
    line.update(value_of(record.outcome));
    return line;
}

json end_line(const run_outcome& outcome) {
    return {{"end", outcome.interrupted    ? "interrupted"
                    : outcome.budget_spent ? "budget"
                                           : "complete"},
            {"blocks_finished", outcome.blocks_finished},
            {"blocks_planned", outcome.blocks_planned}};
}

json counted_line(std::span<const counted_result> cells, const found_causes& causes) {
    auto counted = json::array();
    for (const auto& cell : cells) counted.push_back(value_of(cell));
    json line{{"counted", std::move(counted)}};
    if (causes) line["causes"] = reports::to_json(*causes);
    return line;
}

session_record read_journal(std::string_view text, std::string_view name) {
    journal_reader reader;
    std::size_t line = 0;
    const auto not_a_journal = [&](std::string_view cause) {
        return reports::format_error{"{} is not a valid journal: {}; start a new run with `loopbench run`",
                                     name, cause};
    };
    bool parsed = false;  // if false, the error message already has the line number
    try {
        while (!text.empty()) {
            const auto end = text.find('\n');
            ++line;
            parsed = true;
            if (end == std::string_view::npos && line > 1) break;
            if (end == std::string_view::npos) throw reports::format_error{"the line is incomplete"};
            if (end > journal_line_bytes_max)
                throw reports::format_error{"the line has {} bytes, but the limit is {}", end,
                                            journal_line_bytes_max};
            parsed = false;
            const reports::document document{text.substr(0, end),
                                             {.first_line = line, .room_behind = text.size() - end}};
            parsed = true;
            if (line == 1)
                reader.take_header(document.root(), name);
            else
                reader.take_line(document.root());
            text.remove_prefix(end + 1);
        }
    } catch (const reports::other_format&) {
        throw;
    } catch (const reports::format_error& error) {
        throw not_a_journal(parsed ? fmt::format("line {}: {}", line, error.what()) : error.what());
    }
    if (line == 0) throw not_a_journal("line 1: the file is empty");
    return reader.take();
}

std::string journal_text_in(const std::filesystem::path& folder, std::string_view remedy) {
    const auto file = folder / "journal.jsonl";
    if (!std::filesystem::exists(file)) throw usage_error{"{} does not exist; {}", file.native(), remedy};
    return reports::read_file(file.native(), journal_bytes_max);
}

bool is_journal(std::string_view text) {
    return text.starts_with(R"({"schema":"loopbench-journal/)");
}

namespace {

std::optional<std::string> other_file(const std::vector<file_state>& then,
                                      const std::vector<file_state>& now) {
    for (const auto& [some, others] : {std::pair{&then, &now}, std::pair{&now, &then}})
        for (const auto& each : *some)
            if (std::ranges::find(*others, each) == others->end()) return each.path;
    return std::nullopt;
}

}  // namespace

void refuse_other_place(const session_record& begun, const reports::environment& here) {
    constexpr std::string_view remedy = "start a new run without --resume";
    const auto refuse = [&](std::string_view what, const std::string& then, const std::string& now) {
        if (then != now)
            throw usage_error{"the {} was {} when the run started, but is {} now; {}", what, then, now,
                              remedy};
    };
    refuse("version of loopbench", begun.where.loopbench_version, here.loopbench_version);
    const auto facts_then = facts_of(begun.where), facts_now = facts_of(here);
    for (std::size_t i = 0; i < facts_then.size(); ++i)
        refuse(facts_then[i].first, facts_then[i].second, facts_now[i].second);
    const auto has_changed = [&](const std::string& path) {
        if (std::filesystem::exists(path))
            return usage_error{"{} has changed since the run started; {}", path, remedy};
        const bool is_garbled = path.find("\uFFFD") != std::string::npos;
        return usage_error{
            "{} does not exist{}; {}", path,
            is_garbled ? ": its path is not valid UTF-8, so the journal does not contain it exactly" : "",
            remedy};
    };
    for (std::size_t i = 0; i < begun.executables.size(); ++i) {
        const auto& then = begun.executables[i];
        auto now = state_of(begun.plan.contenders[i]);
        for (std::size_t k = 0; then.layouts && now.layouts && k < then.layouts->size(); ++k)
            if ((*now.layouts)[k] != (*then.layouts)[k]) throw has_changed((*then.layouts)[k].path);
        if (now.generator != then.generator)
            throw has_changed((then.generator ? then.generator : now.generator)->path);
        const auto files = now.files;
        now.files = then.files;
        // This line makes the comparison below ignore the checksums of the files: if a file's content
        // changed, its time changed, too.
        now.contents = then.contents;
        if (now != then) throw has_changed(then.path);
        if (const auto other = other_file(then.files, files)) throw has_changed(*other);
    }
}

}  // namespace loopbench::bench
