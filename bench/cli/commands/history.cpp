// loopbench history: keeps results over time.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cli/commands.hpp"
#include "bench/cli/commands/report_file.hpp"
#include "bench/cli/option_types.hpp"
#include "bench/cli/session/session_options.hpp"
#include "bench/cli/terminal.hpp"
#include "bench/history/entry.hpp"
#include "bench/history/series.hpp"
#include "bench/history/store.hpp"
#include "bench/history/tables.hpp"
#include "bench/history/trends_page.hpp"
#include "bench/trial/usage_error.hpp"
#include "reports/columns.hpp"
#include "reports/files/atomic_file.hpp"
#include "reports/files/posix_io.hpp"
#include "reports/html/html.hpp"
#include "reports/json/json.hpp"
#include "reports/terminal/table.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct history_options {
    std::string place;
    bool as_json = false;
    std::string format = "text", report_folder;
    std::vector<std::string> reports;
    provenance from;
    bool dirty = false, clean = false;
    std::optional<row_id> run;
    series_choice choice;
    std::optional<std::string> since, before;
    std::string output;
    std::optional<std::size_t> keep;
};

store opened(const history_options& options, opening how = opening::existing) {
    return store{history_place(options.place), how};
}

void warn_of_what_is_lacking(const entry& what, const std::string& file) {
    if (!what.head.complete)
        tell(
            "loopbench: warning: {} is of a run that was interrupted: it is kept, and no trend has it; "
            "finish the run with `loopbench run --resume`, and add it again\n",
            file);
    if (what.from.commit.empty())
        tell(
            "loopbench: warning: nothing says which commit {} is of, and changes are told by commits; add it "
            "again with --commit\n",
            file);
}

/// Adds one report after the other. If one is refused, the earlier ones are kept; adding them again does no
/// harm.
int add_reports(const history_options& options) {
    // This makes malloc reuse the freed memory of a parsed report, instead of requesting it again page by
    // page.
    constexpr int large_block_bytes = 1 << 30U;
    ::mallopt(M_MMAP_THRESHOLD, large_block_bytes);
    auto from = options.from;
    if (options.dirty || options.clean) from.dirty = options.dirty;
    auto history = opened(options, opening::created_if_missing);
    for (const auto& file : options.reports) {
        const auto what = read_entry(read_report_text(file), file, from);
        const auto [run, is_new] = history.add(what);
        if (is_new) warn_of_what_is_lacking(what, file);
        reports::write_standard_output(fmt::format("{}: {} run {}\n", reports::printable(file),
                                                   is_new ? "added as" : "is there already as", run));
    }
    return exit_ok;
}

int list_runs(const history_options& options) {
    const auto runs = opened(options).runs();
    write_output(options.output, options.as_json ? runs_json(runs) : runs_text(runs));
    return exit_ok;
}

usage_error no_such_run(const history_options& options, const store& history) {
    return usage_error{"there is no run {} in {}; `loopbench history list` shows those that are there",
                       *options.run, history.place()};
}

int show_run(const history_options& options) {
    auto history = opened(options);
    const auto report = history.report_of(*options.run);
    if (!report) throw no_such_run(options, history);
    write_output(options.output, reports::write_table(*report));
    return exit_ok;
}

int export_run(const history_options& options) {
    auto history = opened(options);
    const auto text = history.report_text_of(*options.run);
    if (text.empty()) throw no_such_run(options, history);
    write_output(options.output,
                 reports::rewrite_json(text, fmt::format("run {} in {}", *options.run, history.place())));
    return exit_ok;
}

int export_points(const history_options& options) {
    if (options.run) return export_run(options);
    auto history = opened(options);
    const auto runs = history.runs();
    auto choice = options.choice;
    choice.intervals = true;
    write_output(options.output, trend_csv(read_series(history, runs, choice)));
    return exit_ok;
}

/// Returns the reports' folder relative to the page's folder, so that both can be moved together.
std::string reports_address(const history_options& options) {
    if (options.report_folder.empty()) return "";
    const auto page_folder = fs::absolute(options.output).lexically_normal().parent_path();
    const auto report_folder = fs::absolute(options.report_folder).lexically_normal();
    return report_folder.lexically_relative(page_folder).generic_string();
}

/// Writes the pages of the runs. Existing pages stay, so that only new runs are written.
void write_report_pages(store& from, const trends_page& page, const fs::path& folder) {
    reports::prepare_output_folder(folder);
    for (const auto* run : page.runs) {
        const auto file = folder / report_page_name(*run);
        if (fs::exists(file)) continue;
        if (const auto report = from.report_of(run->id))
            reports::write_file_atomically(file, reports::write_html(*report));
    }
}

int write_trends(const history_options& options) {
    if (!options.report_folder.empty() && options.output.empty())
        throw usage_error{
            "--reports writes pages that the page of trends leads to, seen from where that is; name its file "
            "with -o"};
    auto history = opened(options);
    const auto runs = history.runs();
    auto choice = options.choice;
    choice.intervals = true;
    const auto all = read_series(history, runs, choice);
    const auto page = write_trends_page(history, runs, all, reports_address(options));
    if (!options.report_folder.empty()) write_report_pages(history, page, options.report_folder);
    write_output(options.output, page.html);
    return exit_ok;
}

int show_trend(const history_options& options) {
    if (options.format == "html") return write_trends(options);
    if (!options.report_folder.empty())
        throw usage_error{"--reports is for the page of trends; add --format html"};
    const bool as_json = options.as_json || options.format == "json";
    auto history = opened(options);
    const auto runs = history.runs();
    auto choice = options.choice;
    choice.intervals = as_json;
    auto all = read_series(history, runs, choice);
    if (all.size() == 1 && !choice.intervals) {
        choice.intervals = true;  // a line for each run contains them
        all = read_series(history, runs, choice);
    }
    write_output(options.output, as_json ? trend_json(all) : trend_text(all));
    return exit_ok;
}

/// Larger than any history.
constexpr std::size_t runs_max = 1'000'000'000;

constexpr auto how_dates_are_written = "2026-11-22, or 2026-11-22T18:07:18Z";

/// Returns the first run of the named commit, given in full or by a prefix that no other commit has.
const kept_run* first_run_of(const std::string& named, const std::vector<kept_run>& runs) {
    const auto exact = std::ranges::find(runs, named, &kept_run::commit);
    if (exact != runs.end()) return &*exact;
    const kept_run* first = nullptr;
    for (const auto& run : runs) {
        if (!run.commit.starts_with(named)) continue;
        if (first == nullptr) first = &run;
        if (run.commit != first->commit)
            throw usage_error{"\"{}\" may be {} and {}; write more of the commit", named, first->commit,
                              run.commit};
    }
    return first;
}

/// Returns the named date, or the date of the first run of the named commit.
std::string moment_of(const std::string& named, const std::vector<kept_run>& runs) {
    if (auto date = in_utc(named)) return *std::move(date);
    const auto* found = named.empty() ? nullptr : first_run_of(named, runs);
    if (found == nullptr)
        throw usage_error{
            "\"{}\" is no date ({}), and no commit of a run; `loopbench history list` shows those", named,
            how_dates_are_written};
    return found->date;
}

int show_changes(const history_options& options) {
    auto history = opened(options);
    const auto runs = history.runs();
    const auto all = read_series(history, runs, options.choice);
    auto changes = changes_in(all);
    if (options.since) {
        const auto since = moment_of(*options.since, runs);
        std::erase_if(changes, [&](const auto& each) { return each.in->points[each.at].run->date < since; });
    }
    write_output(options.output, options.as_json ? changes_json(changes) : changes_text(changes));
    const auto worse = std::ranges::count(changes, true, &series_change::is_worse);
    if (!options.as_json)
        tell("{} series of {} runs: {} changes, {} of them for the worse\n", all.size(), runs.size(),
             changes.size(), worse);
    return options.since && worse > 0 ? exit_regression : exit_ok;
}

int prune(const history_options& options) {
    if (options.before.has_value() == options.keep.has_value())
        throw usage_error{"say which runs go: --before DATE, or --keep N for all but the last N"};
    const auto before = in_utc(options.before.value_or(""));
    if (options.before && !before)
        throw usage_error{"\"{}\" is no date; write one as {}", *options.before, how_dates_are_written};
    auto history = opened(options);
    const auto runs = history.runs();
    std::vector<row_id> gone;
    const auto kept = options.keep.value_or(0);
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (before ? runs[i].date < *before : runs.size() - i > kept) gone.push_back(runs[i].id);
    if (!gone.empty()) history.remove(gone);
    tell("{} of {} runs are gone from {}\n", gone.size(), runs.size(), history.place());
    return exit_ok;
}

using history_action = int (*)(const history_options&);

/// Adds one of the subcommands of `history`.
CLI::App* add_command(CLI::App& history, const char* name, const char* about, history_action act,
                      action& chosen, const std::shared_ptr<history_options>& options) {
    auto* command = history.add_subcommand(name, about);
    takes_path(command
                   ->add_option("--history", options->place,
                                "the history: a file, or postgresql://USER@HOST/DATABASE (LOOPBENCH_HISTORY, "
                                "or history.db in the user's data folder)")
                   ->type_name("URL"));
    command->callback(
        [options, act, &chosen] { chosen = [options, act](const auto&) { return act(*options); }; });
    return command;
}

CLI::Option* add_json(CLI::App& command, history_options& options) {
    return command.add_flag("--json", options.as_json, "the same as JSON");
}

void add_choice(CLI::App& command, history_options& options) {
    add_repeatable(command, "--workload", options.choice.workloads, "GLOB",
                   "only these workloads (a front will do); may be repeated");
    add_repeatable(command, "--contender", options.choice.contenders, "GLOB",
                   "only these contenders; may be repeated");
    add_repeatable(command, "--metric", options.choice.metrics, "GLOB",
                   "only these metrics (what each workload is about, and counts); may be repeated");
}

constexpr const char* how_changes_are_found =
    "A series is one metric of one workload by one contender on one machine. Where its level changed is\n"
    "found by E-divisive means with a permutation test, in logarithms of ratios to the baseline and in\n"
    "counts, and corrected for the number of series. A new level shows from three runs on; how soon and\n"
    "how surely is in docs/history.md. With --since, the exit code is 3 when a change is for the worse\n"
    "whose first run is not before that: look back some runs, as one run shows nothing yet.";

}  // namespace

void add_history_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<history_options>();
    auto* history =
        app.add_subcommand("history", "keeps reports, shows trends, and tells when something changed");
    history->require_subcommand(1);
    const auto add = [&](const char* name, const char* about, history_action act) {
        return add_command(*history, name, about, act, chosen, options);
    };

    auto* adding = add("add", "adds reports; one that is there already is not added again", add_reports);
    adding->add_option("REPORT", options->reports, "report.json or journal.jsonl, or Google Benchmark's JSON")
        ->required();
    adding->add_option("--commit", options->from.commit, "the commit that was measured")->type_name("COMMIT");
    auto* dirty = adding->add_flag("--dirty", options->dirty, "with changes that are not in the commit");
    adding->add_flag("--clean", options->clean, "without such changes")->excludes(dirty);
    adding
        ->add_option("--machine", options->from.machine,
                     "a name that tells machines apart that look the same")
        ->type_name("NAME");

    auto* listing = add("list", "every run, by date", list_runs);
    add_json(*listing, *options);
    add_output_file(*listing, options->output);

    auto* showing = add("show", "every table of a run", show_run);
    showing->add_option("RUN", options->run, "its number, as `history list` has it")->required();
    add_output_file(*showing, options->output);

    auto* trend = add("trend", "each series; of a single one, every run", show_trend);
    add_choice(*trend, *options);
    auto* format = takes_one_of(trend->add_option("--format", options->format,
                                                  "html is a page with every series as a picture (text)"),
                                {"text", "json", "html"});
    add_json(*trend, *options)->excludes(format);
    takes_path(trend
                   ->add_option("--reports", options->report_folder,
                                "of the page: a folder for the page of each run, to which its numbers lead")
                   ->type_name("DIR"));
    add_output_file(*trend, options->output);

    auto* changes = add("changes", "when something became better or worse", show_changes);
    changes->footer(how_changes_are_found);
    add_choice(*changes, *options);
    changes->add_option("--since", options->since, "only changes from this date, or this commit, on")
        ->type_name("WHEN");
    add_json(*changes, *options);
    add_output_file(*changes, options->output);

    auto* exporting = add("export", "a run's report.json, or every point as CSV", export_points);
    auto* exported =
        exporting->add_option("RUN", options->run, "its number; without it, every point of all runs");
    add_choice(*exporting, *options);
    for (const auto* part : {"--workload", "--contender", "--metric"})  // a report is exported as a whole
        exporting->get_option(part)->excludes(exported);
    add_output_file(*exporting, options->output);

    auto* pruning = add("prune", "removes old runs", prune);
    pruning->add_option("--before", options->before, "those before this date")->type_name("DATE");
    pruning->add_option("--keep", options->keep, "all but the last N")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{0}, runs_max).description(""));
}

}  // namespace loopbench::bench
