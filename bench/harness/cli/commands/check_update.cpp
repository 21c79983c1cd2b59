// loopbench check --update: writes a new baseline file, and prints how it differs from the old file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/catalog/explanations.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/check_session.hpp"
#include "bench/harness/cli/commands/report_file.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/gate/check.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

using name_list = std::vector<std::string>;

constexpr std::string_view repair = "repair it, or leave it out with --workload or --contender";
constexpr std::string_view let_it_count =
    "see `loopbench doctor` for what prevents counts here, or use --tier times, which needs no counts";

/// Returns what makes the counts of the workload possible.
std::string_view remedy_for(std::string_view workload) {
    return counts_vary(workload) ? "choose other workloads with --workload, or use --tier times"
                                 : let_it_count;
}

class not_written : public std::runtime_error {
public:
    not_written(exit_code how, const std::string& why) : std::runtime_error{why}, code{how} {}
    exit_code code;
};

class update {
public:
    update(const check_options& options, const invocation& by)
        : options_{options}, by_{by}, exists_{std::filesystem::exists(options.against)} {
        if (exists_) next_ = read_baseline(options.against);
        if (options.slack_per_op) next_.slack.per_op = *options.slack_per_op;
        if (options.slack_pct) next_.slack.pct = *options.slack_pct;
        counts_ = options.only ? *options.only == tier::counts : !exists_ || !next_.counts.empty();
        times_ = options.only ? *options.only == tier::times : !exists_ || next_.times.has_value();
        if (!times_) return;
        if (!next_.times) {
            has_new_times_ = true;
            next_.times = expected_times{options.baseline.value_or("asio-epoll"),
                                         options.quick ? workload_size::small : workload_size::full,
                                         {},
                                         {}};
        } else if (const auto& to = next_.times->to; options.baseline.value_or(to) != to) {
            throw usage_error{
                "ratios in {} are relative to {}; leave --baseline out, or move the file away for a new one",
                options.against, to};
        }
    }

    void measure() {
        const auto found = names_of(contenders_in(options_.session.contender_dirs));
        auto contenders = chosen(names_in(cells_of(next_), &cell_name::contender), options_.contenders, found,
                                 "contender", is_headline_contender);
        if (times_) {
            if (has_new_times_) refuse_unknown_baseline(found);
            add_once(contenders, next_.times->to);
        }
        check_session session{options_, contenders, options_.against, by_};
        refuse_unlisted(session);
        remove_gone(session);
        if (times_) refuse_without_ratios(session);
        if (counts_) take_counts(session.count(wanted_cells(session, tier::counts), 0));
        if (!times_) return;
        auto anew = *next_.times;
        anew.ratios.clear();  // without old ratios, each workload gets its current default pairing
        take_times(session.measure(anew, wanted_cells(session, tier::times), 0));
    }

    void take(const reports::report& report) {
        auto counted = counts_in(report);
        std::erase_if(counted, [&](const counted_result& cell) {
            return !is_wanted({cell.workload, cell.contender}, tier::counts) ||
                   (cell.metrics.empty() && !cell.failed);
        });
        if (counts_) {
            if (counted.empty())
                throw not_written{exit_inconclusive,
                                  "the report has no counts that stay the same from run to run; use a report "
                                  "of `loopbench run --counts`, with workloads that have one thread"};
            take_counts(counted);
        }
        if (!times_) return;
        const auto wanted = wanted_times(report);
        if (wanted.baseline != next_.times->to)
            throw not_written{
                exit_usage,
                fmt::format("ratios in the report are relative to {0}, but ratios in the baseline file are "
                            "relative to {1}; use --baseline {0} for a new baseline file, or measure again",
                            wanted.baseline, next_.times->to)};
        if (const auto size = size_of(report); size && *size != next_.times->size) {
            next_.times->ratios.clear();  // ratios of another workload size are not comparable
            next_.times->size = *size;
        }
        take_times(wanted);
    }

    std::string write() const {
        if (next_.counts.empty() && (!next_.times || next_.times->ratios.empty()))
            throw not_written{
                exit_inconclusive,
                "neither counts nor ratios were measured; choose contenders and workloads that have "
                "them (`loopbench list`), or run more blocks (--blocks)"};
        const auto text = write_baseline(next_);
        const auto old = exists_ ? reports::read_file(options_.against) : std::string{};
        if (text == old) return fmt::format("{} is unchanged\n", options_.against);
        reports::write_file_atomically(options_.against, text);
        return fmt::format("--- {0}\n+++ {0}\n{1}", options_.against, changed_lines(old, text));
    }

private:
    const check_options& options_;
    const invocation& by_;
    bool exists_, counts_ = false, times_ = false;
    bool has_new_times_ = false;  // the old file has no ratios, so the options choose the baseline contender
    expectations next_;

    template <class predicate>
    name_list chosen(name_list old, const name_list& patterns, name_list known, std::string_view kind,
                     predicate is_headline) const {
        if (!patterns.empty()) return select(known, patterns, kind);
        if (!old.empty()) return old;
        auto headline = known;
        std::erase_if(headline, [&](const auto& name) { return !is_headline(name); });
        return headline.empty() ? known : headline;
    }

    /// Returns the workloads to choose from. With ratios and without --workload, these are the workloads of
    /// all contenders except the baseline contender. Otherwise, or if it is the only contender, these are the
    /// workloads of all contenders.
    [[nodiscard]] name_list known_workloads(const check_session& session) const {
        if (times_ && options_.workloads.empty())
            if (auto others = workloads_of(session.contenders(), next_.times->to); !others.empty())
                return others;
        return workloads_of(session.contenders());
    }

    void refuse_unknown_baseline(const name_list& found) const {
        const auto& to = next_.times->to;
        if (std::ranges::find(found, to) != found.end()) return;
        throw not_written{
            exit_usage,
            fmt::format(
                "the baseline contender {} does not exist here; choose one with --baseline (`loopbench list` "
                "shows the contenders), use --contender-dir with its folder, or check only counts "
                "(--tier counts)",
                to)};
    }

    /// Throws not_written if a contender cannot list its workloads. Otherwise the new file would lack this
    /// contender, and later checks would never look at it.
    static void refuse_unlisted(const check_session& session) {
        const auto who =
            std::ranges::find_if(session.contenders(), std::not_fn(&std::string::empty), &contender::problem);
        if (who == session.contenders().end()) return;
        throw not_written{exit_tool_failed, fmt::format("{}: {}; repair it, or leave it out with --contender",
                                                        who->name, who->problem)};
    }

    /// Throws not_written if no ratio can be measured, because no chosen workload of another contender is
    /// also a workload of the baseline contender. If no other contender is chosen but counts can be measured,
    /// leaves the ratios out instead, and says so.
    void refuse_without_ratios(const check_session& session) {
        const auto& to = next_.times->to;
        std::vector<std::string> others;
        for (const auto& who : session.contenders()) {
            if (who.name != to) others.push_back(who.name);
        }
        const auto has_ratio = [&](const cell_name& cell) {
            return cell.contender != to && session.has({cell.workload, to});
        };
        if (std::ranges::any_of(wanted_cells(session, tier::times), has_ratio)) return;
        constexpr std::string_view otherwise =
            "compare two builds with `loopbench compare OLD NEW`, or check only counts (--tier counts)";
        if (!others.empty())
            throw not_written{
                exit_usage,
                fmt::format(
                    "the baseline contender {} has none of the {}workloads of {}, so there is nothing "
                    "to compare them with; choose a contender that has them with --baseline, {}",
                    to, options_.workloads.empty() ? "" : "chosen ", first_names(others), otherwise)};
        const auto why = fmt::format(
            "{} is the baseline contender, and no other contender is chosen, so there are no ratios; add "
            "others with --contender, {}",
            to, otherwise);
        if (!counts_) throw not_written{exit_usage, why};
        tell("loopbench: note: only counts are measured: {}\n", why);
        times_ = false;
        if (has_new_times_) next_.times.reset();
    }

    /// Returns true if this tier of the new baseline file should contain the workload and contender of
    /// `cell`. If --contender or --workload is given, their patterns decide. Otherwise returns true if the
    /// old baseline file contains the workload and contender in this tier, or in any tier if this tier is
    /// empty. If the whole old file is empty, returns true.
    [[nodiscard]] bool is_wanted(const cell_name& cell, tier which) const {
        if (!options_.contenders.empty() || !options_.workloads.empty())
            return matches_any(options_.contenders, cell.contender) &&
                   matches_any(options_.workloads, cell.workload);
        const auto of_tier = cells_of(next_, which), old = of_tier.empty() ? cells_of(next_) : of_tier;
        return old.empty() || std::ranges::find(old, cell) != old.end();
    }

    [[nodiscard]] std::vector<cell_name> wanted_cells(const check_session& session, tier which) const {
        const auto workloads = chosen(names_in(cells_of(next_), &cell_name::workload), options_.workloads,
                                      known_workloads(session), "workload", is_headline_workload);
        std::vector<cell_name> cells;
        for (const auto& workload : workloads)
            for (const auto& who : session.contenders())
                if (const cell_name cell{workload, who.name}; is_wanted(cell, which) && session.has(cell))
                    cells.push_back(cell);
        return cells;
    }

    [[nodiscard]] reports::report wanted_times(const reports::report& report) const {
        std::set<std::string_view> workloads;
        const auto is_asked_for = [&](const reports::result& item) {
            return is_wanted({item.workload, item.contender}, tier::times);
        };
        for (const auto& item : report.results)
            if (is_asked_for(item)) workloads.insert(item.workload);
        auto wanted = report;
        std::erase_if(wanted.results, [&](const reports::result& item) {
            const bool is_compared_with =
                item.contender == report.baseline && workloads.contains(item.workload);
            return !is_compared_with && !is_asked_for(item);
        });
        return wanted;
    }

    /// Removes the workloads that their contenders no longer have from the new baseline file. Throws
    /// not_written if none is left and the options choose no others: the update would then measure other
    /// workloads.
    void remove_gone(const check_session& session) {
        const auto old = cells_of(next_);
        const auto is_gone = [&](const auto& line) {
            const auto known = std::ranges::find(session.contenders(), line.contender, &contender::name);
            return known != session.contenders().end() && known->problem.empty() &&
                   !session.has({line.workload, line.contender});
        };
        std::erase_if(next_.counts, is_gone);
        if (next_.times) std::erase_if(next_.times->ratios, is_gone);
        if (old.empty() || !cells_of(next_).empty() || !options_.workloads.empty()) return;
        throw not_written{
            exit_usage,
            fmt::format("the contenders in the file have none of its workloads any longer ({}); choose new "
                        "workloads with --workload",
                        first_names(names_in(old, &cell_name::workload)))};
    }

    void take_counts(const std::vector<counted_result>& cells) {
        for (const auto& cell : cells)
            if (cell.failed)
                throw not_written{exit_tool_failed,
                                  fmt::format("{} on {} failed: {}; {}", cell.contender, cell.workload,
                                              fmt::join(cell.missing, "; "), repair)};
        for (const auto& item : next_.counts) {
            const auto cell = reports::find_cell(cells, item);
            if (cell != cells.end() && !cell->metrics.contains(item.metric))
                throw not_written{
                    exit_inconclusive,
                    fmt::format("{} of {} on {} was not counted: {}; {}", item.metric, item.contender,
                                item.workload, fmt::join(cell->missing, "; "), remedy_for(item.workload))};
        }
        for (const auto& cell : cells)
            if (!cell.missing.empty())
                tell("loopbench: {} on {} lacks counts: {}; {}\n", cell.contender, cell.workload,
                     fmt::join(cell.missing, "; "), remedy_for(cell.workload));
        expect_counts(next_, cells);
    }

    /// Throws not_written if a result of the report has this status. Otherwise the result would be missing
    /// from the new baseline file without a message.
    static void refuse(const reports::report& report, reports::result_status status, exit_code code,
                       std::string_view what, std::string_view remedy) {
        std::vector<std::string> all;
        for (const auto& item : report.results)
            if (item.status == status)
                all.push_back(fmt::format("{} on {} {}: {}", item.contender, item.workload, what,
                                          item.reason.value_or("the reason is unknown")));
        if (!all.empty()) throw not_written{code, fmt::format("{}; {}", first_names(all), remedy)};
    }

    static void tell_of_left_out(const reports::report& report) {
        const reports::report_index index{report};
        for (const auto& item : report.results) {
            if (item.contender == report.baseline || !why_incomparable(item.workload, item.metric).empty())
                continue;
            const bool is_unsupported = item.status == reports::result_status::unsupported;
            const bool has_interval = item.to_baseline && item.to_baseline->low && item.to_baseline->high;
            if (!is_unsupported && (has_interval || !index.is_about(item))) continue;
            const auto* const why =
                item.to_baseline ? "its ratio has no interval; run more blocks (--blocks)"
                                 : "it has no ratio; choose a workload on which the baseline has values";
            tell("loopbench: {} of {} on {} is not in the baseline file: {}\n", item.metric, item.contender,
                 item.workload, item.reason.value_or(why));
        }
    }

    void take_times(const reports::report& report) {
        using enum reports::result_status;
        refuse(report, failed, exit_tool_failed, "failed", repair);
        if (const auto why = reports::why_unreliable(report))
            throw not_written{
                exit_unreliable,
                fmt::format("{}; end other programs on this machine (`loopbench doctor`), and measure again",
                            *why)};
        if (const auto& disturbed = report.disturbed.workloads)
            throw not_written{exit_inconclusive,
                              fmt::format("more than half of the trials of {} were disturbed; end other "
                                          "programs on this machine (`loopbench doctor`), and measure again",
                                          first_names(*disturbed))};
        if (!report.complete)
            throw not_written{exit_inconclusive,
                              "the run was interrupted; finish it with `loopbench run --resume`"};
        refuse(report, not_run, exit_inconclusive, "was not measured",
               "use a longer --budget, or choose fewer workloads (--workload)");
        if (const auto why = unknown_reliability(report)) throw not_written{exit_inconclusive, *why};
        const auto machine = machine_of(report.where);
        if (next_.times->machine != machine) next_.times->ratios.clear();
        next_.times->machine = machine;
        tell_of_left_out(report);
        expect_ratios(*next_.times, report);
    }
};

/// Throws not_written if the baseline file could not be written after the measurement.
void refuse_unwritable(const std::string& file) {
    const auto error = reports::why_unwritable(file);
    if (error == std::errc::no_such_file_or_directory)
        throw not_written{
            exit_usage,
            "its folder does not exist; create the folder, or choose another file with --against"};
    if (error)
        throw not_written{
            exit_tool_failed,
            fmt::format("{}; make the file and its folder writable, or choose another file with "
                        "--against",
                        error.message())};
}

}  // namespace

int update_baseline(const check_options& options, const invocation& by) {
    if (options.reports.size() > 1)
        throw usage_error{"a baseline file comes from one run; use at most one report with --update"};
    try {
        update next{options, by};
        refuse_unwritable(options.against);
        if (options.reports.empty()) {
            next.measure();
        } else {
            next.take(read_report_file(options.reports.front()));
        }
        reports::write_standard_output(reports::printable(next.write(), "\n"));
        return exit_ok;
    } catch (const not_written& error) {
        tell("loopbench: {} was not written: {}\n", options.against, error.what());
        return error.code;
    }
}

}  // namespace loopbench::bench
