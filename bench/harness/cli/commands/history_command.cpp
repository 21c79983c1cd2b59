// loopbench history: stores the results of many runs, and shows how they change over time.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/report_file.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/history/entry.hpp"
#include "bench/harness/history/series.hpp"
#include "bench/harness/history/store.hpp"
#include "bench/harness/history/tables.hpp"
#include "bench/harness/history/trends_page.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/html/html.hpp"
#include "reports/render/terminal/text_table.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct history_options {
    std::string place;
    bool as_json = false;
    std::string format = "text", report_folder;
    std::vector<std::string> reports;
    provenance from;
    date_rule dated;
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
    if (what.source != report_source::loopbench)
        for (const auto& item : what.head.warnings) tell(item);
    if (!what.head.complete)
        tell(
            "loopbench: warning: {} comes from an interrupted run, so trends ignore it; finish the run with "
            "`loopbench run --resume`, and add it again\n",
            file);
    if (what.from.commit.empty())
        tell(
            "loopbench: warning: the commit of {} is unknown, so changes cannot name it; add it again with "
            "--commit\n",
            file);
}

std::string what_was_added(std::span<const store::added> outcomes) {
    if (outcomes.size() == 1)
        return fmt::format("the report {} run {}",
                           outcomes[0].is_new ? "was added as" : "is already stored as", outcomes[0].run);
    const auto added = std::ranges::count(outcomes, true, &store::added::is_new);
    return fmt::format("{} runs were added, {} were already stored", added, std::ssize(outcomes) - added);
}

/// Adds the reports one after the other. If a report is refused, the reports before it stay in the history.
int add_reports(const history_options& options) {
    // With this larger threshold, malloc reuses the memory of the previous report. With the default
    // threshold, it would request new pages from the kernel for each report.
    constexpr int large_block_bytes = 1 << 30U;
    ::mallopt(M_MMAP_THRESHOLD, large_block_bytes);
    auto from = options.from;
    if (options.dirty || options.clean) from.dirty = options.dirty;
    auto history = opened(options, opening::created_if_missing);
    for (const auto& file : options.reports) {
        const auto entries = fs::is_directory(file)
                                 ? read_folder(file, from, options.dated)
                                 : read_entries(read_report_text(file), file, from, options.dated);
        const auto outcomes = history.add(entries);
        if (const auto added = std::ranges::find(outcomes, true, &store::added::is_new);
            added != outcomes.end())
            warn_of_what_is_lacking(entries[static_cast<std::size_t>(added - outcomes.begin())], file);
        reports::write_standard_output(
            fmt::format("{}: {}\n", reports::printable(file), what_was_added(outcomes)));
    }
    return exit_ok;
}

int list_runs(const history_options& options) {
    const auto runs = opened(options).runs();
    write_output(options.output, options.as_json ? runs_json(runs) : runs_text(runs));
    return exit_ok;
}

usage_error no_such_run(const history_options& options, const store& history) {
    return usage_error{"there is no run {} in {}; `loopbench history list` lists all runs", *options.run,
                       history.place()};
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

/// Returns the path of the reports' folder, relative to the folder of the trends page. Thus both folders can
/// be moved together.
std::string reports_address(const history_options& options) {
    if (options.report_folder.empty()) return "";
    const auto page_folder = fs::absolute(options.output).lexically_normal().parent_path();
    const auto report_folder = fs::absolute(options.report_folder).lexically_normal();
    return report_folder.lexically_relative(page_folder).generic_string();
}

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
            "--reports needs the path of the trends page, because the page links to the reports; add -o "
            "FILE"};
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
        throw usage_error{"--reports is only for the trends page; add --format html"};
    const bool as_json = options.as_json || options.format == "json";
    auto history = opened(options);
    const auto runs = history.runs();
    auto choice = options.choice;
    choice.intervals = as_json;
    auto all = read_series(history, runs, choice);
    if (all.size() == 1 && !choice.intervals) {
        choice.intervals = true;
        all = read_series(history, runs, choice);
    }
    write_output(options.output, as_json ? trend_json(all) : trend_text(all));
    return exit_ok;
}

constexpr std::size_t runs_max = 1'000'000'000;

constexpr auto how_dates_are_written = "2026-11-22 or 2026-11-22T18:07:18Z";

/// Returns the first run of a commit, or nullptr if the commit has no run. `named` is the commit or its first
/// digits. Throws usage_error if several commits begin with these digits.
const kept_run* first_run_of(const std::string& named, const std::vector<kept_run>& runs) {
    const auto exact = std::ranges::find(runs, named, &kept_run::commit);
    if (exact != runs.end()) return &*exact;
    const kept_run* first = nullptr;
    for (const auto& run : runs) {
        if (!run.commit.starts_with(named)) continue;
        if (first == nullptr) first = &run;
        if (run.commit != first->commit)
            throw usage_error{"'{}' matches the commits {} and {}; write more digits of the commit", named,
                              first->commit, run.commit};
    }
    return first;
}

std::string moment_of(const std::string& named, const std::vector<kept_run>& runs) {
    if (auto date = in_utc(named)) return *std::move(date);
    const auto* found = named.empty() ? nullptr : first_run_of(named, runs);
    if (found == nullptr)
        throw usage_error{
            "'{}' is neither a date ({}) nor the commit of a run; `loopbench history list` lists the commits",
            named, how_dates_are_written};
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
        tell("{} series of {} runs: {} changes, and {} of them made a series worse\n", all.size(),
             runs.size(), changes.size(), worse);
    return options.since && worse > 0 ? exit_regression : exit_ok;
}

int prune(const history_options& options) {
    if (options.before.has_value() == options.keep.has_value())
        throw usage_error{"choose the runs to remove with either --before DATE or --keep N"};
    const auto before = in_utc(options.before.value_or(""));
    if (options.before && !before)
        throw usage_error{"'{}' is not a date; expected {}", *options.before, how_dates_are_written};
    auto history = opened(options);
    const auto runs = history.runs();
    std::vector<row_id> gone;
    const auto kept = options.keep.value_or(0);
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (before ? runs[i].date < *before : runs.size() - i > kept) gone.push_back(runs[i].id);
    if (!gone.empty()) history.remove(gone);
    tell("removed {} of {} runs from {}\n", gone.size(), runs.size(), history.place());
    return exit_ok;
}

using history_action = int (*)(const history_options&);

CLI::App* add_command(CLI::App& history, const char* name, const char* about, history_action act,
                      action& chosen, const std::shared_ptr<history_options>& options) {
    auto* command = history.add_subcommand(name, about);
    takes_path(command
                   ->add_option("--history", options->place,
                                "the history: a file, or postgresql://USER@HOST/DATABASE (LOOPBENCH_HISTORY, "
                                "or history.db in the user's data folder)")
                   ->type_name("URL"));
    put_under(*command, "Which history");
    command->callback(
        [options, act, &chosen] { chosen = [options, act](const auto&) { return act(*options); }; });
    return command;
}

CLI::Option* add_json(CLI::App& command, history_options& options) {
    return command.add_flag("--json", options.as_json, "print JSON")->group(heading::output);
}

void add_choice(CLI::App& command, history_options& options) {
    add_repeatable(command, "--workload", options.choice.workloads, "GLOB",
                   "select only these workloads; the beginning of a name is enough; may be repeated");
    add_repeatable(command, "--contender", options.choice.contenders, "GLOB",
                   "select only these contenders; may be repeated");
    add_repeatable(command, "--metric", options.choice.metrics, "GLOB",
                   "select only these metrics; may be repeated (primary metrics and counts)");
    put_under(command, "Which series");
}

constexpr const char* how_changes_are_found =
    "A series is one metric of one workload and one contender on one machine. A change is a run at which\n"
    "the level of a series moved. Changes are found by E-divisive means with a permutation test,\n"
    "corrected for the number of series. A change is found only after three runs at the new level, so\n"
    "there must be at least three runs since the date of --since. With --since, the exit code is 3 if a\n"
    "series became worse since then. docs/history.md has the details.";

using command_adder = std::function<CLI::App*(const char* name, const char* about, history_action act)>;

void add_adding(const command_adder& add, history_options& options) {
    auto* adding = add("add", "adds reports that the history does not contain yet", add_reports);
    adding
        ->add_option(
            "REPORT", options.reports,
            "a report.json or journal.jsonl, or the output of Google Benchmark, hyperfine, criterion "
            "(its folder), pytest-benchmark or github-action-benchmark (data.js)")
        ->required();
    adding
        ->add_option("--date", options.dated.date,
                     "the date to use for another tool's file whose own date is missing or has no time zone")
        ->type_name("DATE");
    adding->add_flag("--assume-utc", options.dated.assume_utc,
                     "treat the date of another tool's file without a time zone as UTC");
    adding->add_option("--commit", options.from.commit, "the commit that was measured")->type_name("COMMIT");
    auto* dirty = adding->add_flag("--dirty", options.dirty,
                                   "the measured build contained changes that are not in the commit");
    adding->add_flag("--clean", options.clean, "the measured build contained exactly the commit")
        ->excludes(dirty);
    adding
        ->add_option("--machine", options.from.machine,
                     "a name for the machine, if several machines look the same")
        ->type_name("NAME");
    put_under(*adding, "Origin of the reports");
    adding->footer(examples_and(
        {{"loopbench history add loopbench-report/report.json --commit $(git rev-parse HEAD)",
          "adds the report of a run, with the commit that was measured"},
         {"loopbench history add target/criterion --date 2026-11-22T18:07:18Z",
          "adds the results of criterion; its files and those of hyperfine contain no date"},
         {"loopbench history add data.js", "adds all commits in the data of github-action-benchmark"},
         {"loopbench run --quick --history", "measures, and adds the report to the default history"}}));
}

void add_reading(const command_adder& add, history_options& options) {
    auto* listing = add("list", "lists all runs by date", list_runs);
    add_json(*listing, options);
    add_output_file(*listing, options.output);
    listing->footer(
        examples_and({{"loopbench history list", "lists number, date, commit and machine of each run"},
                      {"loopbench history list --json", "prints the same list as JSON"}}));

    auto* showing = add("show", "prints every table of a run", show_run);
    showing->add_option("RUN", options.run, "number of the run in `loopbench history list`")->required();
    add_output_file(*showing, options.output);
    showing->footer(
        examples_and({{"loopbench history show 12", "prints the tables of run 12"},
                      {"loopbench history show 12 -o run12.txt", "writes the tables of run 12 to a file"}}));
}

void add_trend(const command_adder& add, history_options& options) {
    auto* trend =
        add("trend", "shows the latest level of each series, or every run if only one series is selected",
            show_trend);
    add_choice(*trend, options);
    auto* format = takes_one_of(
        trend->add_option("--format", options.format,
                          "output format (text); html writes a page with a chart of each series"),
        {"text", "json", "html"});
    add_json(*trend, options)->excludes(format);
    takes_path(
        trend
            ->add_option(
                "--reports", options.report_folder,
                "with --format html: the folder for one page per run; the trends page links to these pages")
            ->type_name("DIR"));
    put_under(*trend, heading::output);
    add_output_file(*trend, options.output);
    trend->footer(examples_and(
        {{"loopbench history trend --workload echo --metric time", "prints the latest level of each series"},
         {"loopbench history trend --format html -o trends.html --reports runs",
          "writes a page with charts, and one page per run"}}));
}

void add_changes(const command_adder& add, history_options& options) {
    auto* changes = add("changes", "finds the runs at which something became better or worse", show_changes);
    changes->footer(examples_and({{"loopbench history changes", "lists all changes"},
                                  {"loopbench history changes --since 2026-11-22",
                                   "exits with 3 if a series became worse since that day"}},
                                 how_changes_are_found));
    add_choice(*changes, options);
    changes
        ->add_option("--since", options.since,
                     "list only changes since this date, or since the first run of this commit")
        ->type_name("WHEN")
        ->group("Which changes");
    add_json(*changes, options);
    add_output_file(*changes, options.output);
}

void add_exporting(const command_adder& add, history_options& options) {
    auto* exporting =
        add("export", "prints the report.json of a run, or all points of all runs as CSV", export_points);
    auto* exported = exporting->add_option(
        "RUN", options.run, "number of the run; without it, the command exports all points of all runs");
    add_choice(*exporting, options);
    for (const auto* part : {"--workload", "--contender", "--metric"})  // RUN is exported completely
        exporting->get_option(part)->excludes(exported);
    add_output_file(*exporting, options.output);
    exporting->footer(
        examples_and({{"loopbench history export -o points.csv", "writes all points of all runs"},
                      {"loopbench history export 12 -o report.json", "writes the report of run 12"}}));
}

void add_pruning(const command_adder& add, history_options& options) {
    auto* pruning = add("prune", "removes old runs", prune);
    pruning->add_option("--before", options.before, "remove the runs before this date")->type_name("DATE");
    pruning->add_option("--keep", options.keep, "keep the last N runs, and remove all other runs")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{0}, runs_max).description(""));
    put_under(*pruning, "Which runs to remove");
    pruning->footer(
        examples_and({{"loopbench history prune --keep 1000", "keeps the last 1,000 runs"},
                      {"loopbench history prune --before 2026-01-01", "removes all runs before 2026"}}));
}

}  // namespace

void add_history_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<history_options>();
    auto* history = app.add_subcommand("history", "stores reports, shows trends, and finds changes");
    history->require_subcommand(1);
    const auto add = [&](const char* name, const char* about, history_action act) {
        return add_command(*history, name, about, act, chosen, options);
    };
    for (const auto each : {add_adding, add_reading, add_trend, add_changes, add_exporting, add_pruning})
        each(add, *options);
    history->footer(examples_and(  // set last, because a new subcommand inherits the footer
        {{"loopbench history add loopbench-report/report.json", "adds a report"},
         {"loopbench history trend --format html -o trends.html", "draws all series"},
         {"loopbench history changes", "lists the runs at which something became better or worse"}},
        "docs/history.md describes the history."));
}

}  // namespace loopbench::bench
