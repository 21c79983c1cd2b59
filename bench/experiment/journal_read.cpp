// Line by line, with the checks that a stranger's file needs.
#include "bench/experiment/journal_read.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "bench/experiment/stopping.hpp"
#include "reports/json.hpp"
#include "reports/json_node.hpp"
#include "reports/metrics.hpp"

namespace loopbench::bench {

namespace {

using reports::cell_status;
using reports::node;

double number_within(const node& from, double least, double most) {
    const double value = from.number();
    if (!(value >= least && value <= most))
        from.fail(fmt::format("expected a number from {:g} to {:g}", least, most));
    return value;
}

std::uint64_t natural_up_to(const node& from, std::uint64_t most) {
    const auto value = from.natural();
    if (value > most) from.fail(fmt::format("expected at most {}", most));
    return value;
}

std::chrono::nanoseconds from_seconds(const node& from) {
    constexpr double longest_s = 1e9;
    const double seconds = number_within(from, 0, longest_s);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>{seconds});
}

/// The place of the text in `from` among `names`.
std::size_t index_in(const std::vector<std::string>& names, const node& from) {
    const auto found = std::ranges::find(names, from.text());
    if (found == names.end())
        from.fail(fmt::format("\"{}\" is not in the plan", reports::shown(from.text())));
    return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> distinct_names(const node& from) {
    auto names = from.each([](const node& name) { return name.text(); });
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
        from.fail("a name is there twice");
    if (names.empty()) from.fail("there are no names");
    return names;
}

class journal_reader {
public:
    journal_content take() {
        auto& outcome = content_.outcome;
        if (content_.plan.precision_pct && outcome.blocks_finished >= pilot_blocks)
            outcome.blocks_planned = blocks_after_pilot(content_.plan, outcome);
        return std::move(content_);
    }

    void take_header(const node& from) {
        from.require_schema("loopbench-journal/1");
        content_.command = from.at("command").each([](const node& word) { return word.text(); });
        content_.where = reports::read_environment(from.at("environment"));
        content_.plan.seed = from.at("seed").natural();
        take_plan(from.at("plan"));
        take_descriptions(from.at("described"));
        auto& outcome = content_.outcome;
        outcome.interrupted = true;
        outcome.blocks_planned = blocks_at_first(content_.plan);
        outcome.excluded.assign(workloads().size(),
                                std::vector<std::optional<exclusion>>(contenders_.size()));
        const auto exclusions = from.at("excluded").each([&](const node& item) {
            return std::pair{where_of(item), exclusion{status_of(item), item.at("reason").text()}};
        });
        for (const auto& [where, why] : exclusions) excluded(where) = why;
        content_.executables = from.at("executables").each([](const node& item) {
            return executable_state{item.at("path").text(), item.at("bytes").whole(),
                                    item.at("modified_ns").whole()};
        });
        if (content_.executables.size() != contenders_.size())
            from.at("executables").fail("expected one for each contender");
        for (std::size_t i = 0; i < contenders_.size(); ++i)
            content_.plan.contenders[i].path = content_.executables[i].path;
        const auto called =
            from.at("executables").each([](const node& item) { return item.at("called").text(); });
        for (std::size_t i = 0; i < contenders_.size(); ++i) content_.plan.contenders[i].called = called[i];
    }

    void take_line(const node& from) {
        auto& outcome = content_.outcome;
        if (const auto end = from.find("end")) {
            outcome.interrupted = end->text() == "interrupted";
            outcome.budget_spent = end->text() == "budget";
            outcome.blocks_finished = from.at("blocks_finished").natural();
            outcome.blocks_planned = from.at("blocks_planned").natural();
            return;
        }
        if (const auto counted = from.find("counted")) {
            content_.counted = counted->each([this](const node& item) { return read_counted(item); });
            return;
        }
        auto record = read_trial(from);
        // The run went on after its end, so that this was none.
        outcome.interrupted = true;
        outcome.budget_spent = false;
        outcome.blocks_finished = record.block;
        if (record.attempt > 0 && repeated_.insert({record.block, record.where.workload}).second)
            ++outcome.repeated;
        if (record.outcome.status != cell_status::ok)
            excluded(record.where) = exclusion_after(content_.plan, record);
        outcome.trials.push_back(std::move(record));
    }

private:
    // What a run can have: its own limits on blocks and durations, and far more cells than there are.
    static constexpr std::uint64_t blocks_max = 100'000;
    static constexpr std::size_t cells_max = 100'000;
    static constexpr double longest_trial_s = 7 * 24 * 3600.0;

    journal_content content_;
    std::vector<std::string> contenders_;
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> trials_of_;  // [workload, contender]
    std::set<std::tuple<std::uint64_t, std::size_t, std::size_t, std::uint64_t>> seen_;
    std::set<std::pair<std::uint64_t, std::size_t>> repeated_;
    std::set<std::size_t> has_context_;  // contenders

    const std::vector<std::string>& workloads() const { return content_.plan.workloads; }
    std::optional<exclusion>& excluded(cell where) {
        return content_.outcome.excluded[where.workload][where.contender];
    }
    cell where_of(const node& from) const {
        return {index_in(workloads(), from.at("workload")), index_in(contenders_, from.at("contender"))};
    }
    static cell_status status_of(const node& from) {
        return from.at("status").one_of<cell_status>(reports::cell_status_names);
    }

    void take_plan(const node& from) {
        auto& plan = content_.plan;
        constexpr std::array size_names{std::string_view{"smoke"}, std::string_view{"real"}};
        plan.size = from.at("size").one_of<workload_size>(size_names);
        plan.min_time_s = number_within(from.at("min_time_s"), 0, longest_trial_s);
        plan.blocks = natural_up_to(from.at("blocks"), blocks_max);
        if (const auto budget = from.at("budget_s"); !budget.is_null()) plan.budget = from_seconds(budget);
        plan.trial_limit = from_seconds(from.at("trial_limit_s"));
        plan.baseline = from.at("baseline").text();
        plan.threshold_pct = number_within(from.at("threshold_pct"), 0, 100);
        plan.how = from.at("correction").one_of<correction>(correction_names);
        if (const auto precision = from.at("precision_pct"); !precision.is_null())
            plan.precision_pct = number_within(precision, 1e-6, 100);
        if (const auto cpu = from.at("cpu").maybe(&node::count))
            plan.cpu = static_cast<int>(std::min<std::int64_t>(*cpu, 1 << 20));
        // A journal from before these were written has none of them.
        if (const auto tolerated = from.find("tolerated_pct"); tolerated && !tolerated->is_null())
            plan.tolerated_pct = number_within(*tolerated, 0, 100);
        if (const auto counts = from.find("counts")) plan.counts = counts->flag();
        if (const auto checks = from.find("checks")) plan.checks = checks->flag();
        plan.workloads = distinct_names(from.at("workloads"));
        contenders_ = distinct_names(from.at("contenders"));
        if (plan.workloads.size() > cells_max / contenders_.size())
            from.fail(fmt::format("more than {} cells", cells_max));
        for (const auto& name : contenders_) {
            plan.contenders.emplace_back();
            plan.contenders.back().name = name;
            plan.contenders.back().workloads = plan.workloads;
        }
        if (const auto twin = from.at("twin"); !twin.is_null()) plan.twin = index_in(contenders_, twin);
        if (plan.twin && !plan.baseline_index())
            from.at("baseline").fail("a twin needs its baseline among the contenders");
    }

    void take_descriptions(const node& from) {
        const auto contexts = from.each([](const node& item) { return item.object(); });
        if (contexts.size() > contenders_.size()) from.fail("there are more of them than contenders");
        for (std::size_t i = 0; i < contexts.size(); ++i)
            content_.plan.described.push_back(reports::describe(contenders_[i], contexts[i]));
    }

    counted_cell read_counted(const node& from) const {
        const auto where = where_of(from);
        counted_cell cell{workloads()[where.workload], contenders_[where.contender], {}, {}};
        from.at("metrics").each_field([&](const std::string& name, const node& value) {
            if (reports::find_metric(name) == nullptr) value.fail("there is no such metric");
            cell.metrics[name] = value.number();
        });
        if (const auto samples = from.find("samples"))
            samples->each_field([&](const std::string& name, const node& values) {
                if (!cell.metrics.contains(name)) values.fail("they are of no metric of this cell");
                if (reports::find_metric(name)->deterministic) values.fail("counts have no samples");
                cell.samples[name] = values.each([](const node& value) { return value.number(); });
                if (cell.samples[name].empty()) values.fail("there is none");
                if (cell.samples[name].size() > most_triples)
                    values.fail("there are more than are ever taken");
            });
        if (const auto tracer = from.find("tracer")) cell.tracer = tracer->text();
        cell.missing = from.at("missing").each([](const node& reason) { return reason.text(); });
        return cell;
    }

    trial_record read_trial(const node& from) {
        trial_record record;
        record.block = from.at("block").natural();
        if (record.block >= content_.plan.blocks) from.at("block").fail("there is no such block in the plan");
        record.attempt = from.at("attempt").natural();
        record.where = where_of(from);
        // Each block has a place in memory, and none is passed over.
        if (record.block > trials_of_[{record.where.workload, record.where.contender}]++)
            from.at("block").fail("blocks before this one are missing");
        if (!seen_.insert({record.block, record.where.workload, record.where.contender, record.attempt})
                 .second)
            from.fail("this trial is there twice");
        auto& outcome = record.outcome;
        outcome.status = status_of(from);
        outcome.reason = from.at("reason").maybe(&node::text).value_or("");
        outcome.disturbed = from.at("disturbed").maybe(&node::text).value_or("");
        // Every trial's would fill the memory, and only the first one's is ever looked at.
        const auto& context = from.at("context").object();
        if (!context.empty() && has_context_.insert(record.where.contender).second) outcome.context = context;
        outcome.wall = std::chrono::nanoseconds{
            natural_up_to(from.at("wall_ns"), static_cast<std::uint64_t>(longest_trial_s * 1e9))};
        from.at("metrics").each_field([&](const std::string& name, const node& value) {
            if (reports::find_metric(name) == nullptr) value.fail("there is no such metric");
            outcome.metrics[name] = value.maybe(&node::number);
        });
        return record;
    }
};

/// What is wrong has its line from the parser here, and from the caller elsewhere.
template <class named>
nlohmann::ordered_json parsed_line(std::string_view text, std::size_t line, const named& not_a_journal) {
    try {
        return reports::parse_strictly(text, line);
    } catch (const reports::format_error& error) {
        throw not_a_journal(error.what());
    }
}

}  // namespace

executable_state state_of(const std::filesystem::path& executable) {
    struct stat found {};
    executable_state state{executable.native(), 0, 0};
    if (::stat(executable.c_str(), &found) != 0) return state;
    state.bytes = found.st_size;
    state.modified_ns = std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
    return state;
}

journal_content read_journal(std::string_view text, std::string_view name) {
    journal_reader reader;
    std::size_t line = 0;
    const auto not_a_journal = [&](std::string_view cause) {
        return reports::format_error{
            fmt::format("{} is not a journal: {}; begin a new run with `loopbench run`", name, cause)};
    };
    while (!text.empty()) {
        const auto end = text.find('\n');
        ++line;
        if (end == std::string_view::npos && line > 1) break;
        if (end == std::string_view::npos) throw not_a_journal("line 1: it is cut short");
        if (end > journal_line_bytes_max)
            throw not_a_journal(fmt::format("line {}: it has {} bytes, and the limit is {}", line, end,
                                            journal_line_bytes_max));
        const auto document = parsed_line(text.substr(0, end), line, not_a_journal);
        try {
            if (line == 1)
                reader.take_header({document, ""});
            else
                reader.take_line({document, ""});
        } catch (const reports::format_error& error) {
            throw not_a_journal(fmt::format("line {}: {}", line, error.what()));
        }
        text.remove_prefix(end + 1);
    }
    if (line == 0) throw not_a_journal("line 1: it is empty");
    return reader.take();
}

bool is_journal(std::string_view text) {
    return text.starts_with(R"({"schema":"loopbench-journal/)");
}

}  // namespace loopbench::bench
