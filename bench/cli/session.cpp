// The journal first, so that everything measured is safe; then the reports from what is known.
#include "bench/cli/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "bench/cli/count_pass.hpp"
#include "bench/cli/messages.hpp"
#include "bench/cli/progress.hpp"
#include "bench/experiment/histograms.hpp"
#include "bench/experiment/journal.hpp"
#include "bench/experiment/journal_read.hpp"
#include "bench/gate/calibration_file.hpp"
#include "bench/machine/environment.hpp"
#include "bench/summary/summary.hpp"
#include "bench/trial/usage_error.hpp"
#include "reports/atomic_file.hpp"
#include "reports/csv.hpp"
#include "reports/json.hpp"
#include "reports/table.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;

namespace {

/// Writes the journal and shows the progress.
class run_log : public run_observer {
public:
    run_log(const run_plan& plan, journal& written, histogram_log& histograms, std::chrono::nanoseconds spent)
        : plan_{plan}, journal_{written}, histograms_{histograms}, progress_{left_of(plan.budget, spent)} {}

    void before_trial(const trial_request& request, std::uint64_t done, std::uint64_t total) override {
        progress_.show(request.workload, request.who.name, done, total);
    }
    void after_trial(const trial_record& record) override {
        histograms_.append(plan_, record);
        journal_.append(plan_, record);
    }

private:
    static std::optional<std::chrono::nanoseconds> left_of(std::optional<std::chrono::nanoseconds> budget,
                                                           std::chrono::nanoseconds spent) {
        if (budget) *budget -= spent;
        return budget;
    }

    const run_plan& plan_;
    journal& journal_;
    histogram_log& histograms_;
    progress progress_;
};

/// The rest of the run of which `done` is done already, until the end or an interrupt; the journal then has
/// all of it.
run_outcome run_rest(const run_plan& plan, journal& written, histogram_log& histograms, const interrupt& stop,
                     session_start started, run_outcome done = {}) {
    std::chrono::nanoseconds spent{0};
    for (const auto& trial : done.trials) spent += trial.outcome.wall;
    const auto clock = [=] { return session_start::clock::now() - started + spent; };
    run_log log{plan, written, histograms, clock()};
    process_executor executor{stop.fd()};
    auto outcome = bench::run(plan, executor, log, clock, std::move(done));
    written.end(outcome);
    return outcome;
}

/// Those of an earlier run would pass for this one's.
void remove_old_counts(const fs::path& folder) {
    const auto file = folder / "counts.json";
    std::error_code error;
    fs::remove(file, error);
    if (error) throw reports::file_error{"remove", file.native(), error.value()};
}

/// What this machine's calibration says. A file that cannot be used is no reason not to measure.
std::optional<reports::calibration> known_calibration(const reports::environment& where) {
    try {
        return stored_calibration(where);
    } catch (const std::exception& error) {
        tell(fmt::format("loopbench: warning: {}\n", error.what()));
        return std::nullopt;
    }
}

struct begun {
    journal_content content;
    journal written;
};

begun begin(const run_plan& plan, further_passes further, const std::vector<std::string>& command,
            const fs::path& folder) {
    reports::prepare_output_folder(folder);
    journal_content content;
    content.plan = plan;
    content.plan.counts = further.counts;
    content.plan.checks = further.checks;
    content.command = command;
    content.where = read_environment();
    content.where.calibrated = known_calibration(content.where);
    journal written{folder / "journal.jsonl", content.plan, content.where, command};
    return {std::move(content), std::move(written)};
}

/// The passes that the plan asks for and the journal has not. They are of whole runs; an interrupt takes them
/// back.
void take_further_passes(journal_content& content, journal& written, const fs::path& folder,
                         const interrupt& stop) {
    const auto& plan = content.plan;
    if ((!plan.counts && !plan.checks) || !content.counted.empty() || content.outcome.interrupted) return;
    const auto report = report_of(content);
    std::vector<counted_cell> counted;
    if (plan.counts) counted = count_cells(report, plan, folder, stop.fd());
    if (plan.checks && !stop.requested())
        std::ranges::move(check_cells(report, plan, stop.fd()), std::back_inserter(counted));
    if (stop.requested()) {
        content.outcome.interrupted = true;
        return written.end(content.outcome);
    }
    written.append(counted);
    content.counted = std::move(counted);
}

/// The same; what keeps it from being written is no reason to lose the table of the trials.
std::optional<reports::file_error> try_further_passes(journal_content& content, journal& written,
                                                      const fs::path& folder, const interrupt& stop) {
    try {
        take_further_passes(content, written, folder, stop);
        if (!content.plan.counts) remove_old_counts(folder);
        return std::nullopt;
    } catch (const reports::file_error& error) {
        return error;
    }
}

/// The plan of a journal with contenders that can be run; throws usage_error when they are not what they
/// were.
run_plan revived(const journal_content& old) {
    auto plan = old.plan;
    for (std::size_t i = 0; i < plan.contenders.size(); ++i)
        if (state_of(plan.contenders[i].path) != old.executables[i])
            throw usage_error{
                fmt::format("{} has changed since the run began; begin a new one without --resume",
                            plan.contenders[i].path.native())};
    if (plan.twin) {
        const auto name = plan.contenders[*plan.twin].name;
        plan.contenders.pop_back();
        if (*plan.twin != plan.contenders.size())
            throw usage_error{
                "the journal's twin is not its last contender; begin a new run without --resume"};
        add_twin(plan);
        if (plan.contenders.back().name != name)
            throw usage_error{"the journal's twin is not its baseline's; begin a new run without --resume"};
    }
    return plan;
}

}  // namespace

journal_content gather(const run_plan& plan, const std::vector<std::string>& command, const fs::path& folder,
                       const interrupt& stop, session_start started) {
    auto [content, written] = begin(plan, {}, command, folder);
    histogram_log histograms{folder, histogram_log::beginning::anew};
    content.outcome = run_rest(plan, written, histograms, stop, started);
    return std::move(content);
}

finished_run measure(const run_plan& plan, const std::vector<std::string>& command, const fs::path& folder,
                     const interrupt& stop, session_start started, further_passes further) {
    auto [content, written] = begin(plan, further, command, folder);
    histogram_log histograms{folder, histogram_log::beginning::anew};
    content.outcome = run_rest(content.plan, written, histograms, stop, started);
    auto unwritten = try_further_passes(content, written, folder, stop);
    auto report = report_of(content);
    return {std::move(content.plan), std::move(report), std::move(unwritten)};
}

finished_run measure_rest(const fs::path& folder, const interrupt& stop, session_start started) {
    const auto file = folder / "journal.jsonl";
    if (!fs::exists(file))
        throw usage_error{
            fmt::format("there is no {}; --resume takes the folder of an earlier run", file.native())};
    reports::prepare_output_folder(folder);
    journal written{file};
    const auto text = reports::read_file(file.native(), journal_bytes_max);
    auto content = read_journal(text, file.native());
    content.plan = revived(content);
    auto done = std::move(content.outcome);
    done.interrupted = done.budget_spent = false;
    done.blocks_finished = 0;
    written.keep(text.rfind('\n') + 1);
    histogram_log histograms{folder, histogram_log::beginning::behind_what_is_there};
    content.outcome = run_rest(content.plan, written, histograms, stop, started, std::move(done));
    auto unwritten = try_further_passes(content, written, folder, stop);
    auto report = report_of(content);
    return {std::move(content.plan), std::move(report), std::move(unwritten)};
}

/// The table first: should there be no room for the files, it is all that remains. Should nobody see it, the
/// files are written all the same.
void publish(const finished_run& run, const fs::path& folder) {
    const auto& report = run.report;
    for (const auto& item : report.warnings)
        tell(fmt::format("loopbench: warning: {}; {}\n", item.message, item.remedy));
    std::optional<reports::file_error> unseen;
    try {
        reports::write_standard_output(reports::write_table(report));
    } catch (const reports::file_error& error) {
        unseen = error;
    }
    const auto json = folder / "report.json", csv = folder / "report.csv";
    const auto as_json = reports::write_json(report), as_csv = reports::write_csv(report);
    const std::array files{reports::new_file{json, as_json}, reports::new_file{csv, as_csv}};
    reports::write_files_atomically(files);
    if (unseen) throw *unseen;
    if (run.unwritten) throw *run.unwritten;
    reports::write_standard_output(fmt::format("reports: {}, {} (every trial: {})\n", json.native(),
                                               csv.native(), (folder / "journal.jsonl").native()));
}

}  // namespace loopbench::bench
