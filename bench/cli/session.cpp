// The journal first, so that everything measured is safe; then the reports from what is known.
#include "bench/cli/session.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/cli/messages.hpp"
#include "bench/cli/progress.hpp"
#include "bench/engine/environment.hpp"
#include "bench/engine/journal.hpp"
#include "bench/engine/journal_read.hpp"
#include "bench/engine/summary.hpp"
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
    run_log(const run_plan& plan, journal& written) : plan_{plan}, journal_{written} {}

    void before_trial(const trial_request& request, std::uint64_t done, std::uint64_t total) override {
        progress_.show(request.workload, request.who.name, done, total);
    }
    void after_trial(const trial_record& record) override { journal_.append(plan_, record); }

private:
    const run_plan& plan_;
    journal& journal_;
    progress progress_;
};

/// The rest of the run of which `done` is done already, until the end or an interrupt; the journal then has all of it.
run_outcome run_rest(const run_plan& plan, journal& written, const interrupt& stop, session_start started,
                     run_outcome done = {}) {
    std::chrono::nanoseconds spent{0};
    for (const auto& trial : done.trials) spent += trial.outcome.wall;
    run_log log{plan, written};
    process_executor executor{stop.fd()};
    auto outcome = bench::run(
        plan, executor, log, [=] { return session_start::clock::now() - started + spent; }, std::move(done));
    written.end(outcome);
    return outcome;
}

/// The plan of a journal with contenders that can be run; throws usage_error when they are not what they were.
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

reports::report measure(const run_plan& plan, const std::vector<std::string>& command, const fs::path& folder,
                        const interrupt& stop, session_start started) {
    reports::prepare_output_folder(folder);
    const auto where = read_environment();
    journal written{folder / "journal.jsonl", plan, where, command};
    auto report = summarise(plan, run_rest(plan, written, stop, started));
    report.command = command;
    report.where = where;
    return report;
}

reports::report measure_rest(const fs::path& folder, const interrupt& stop, session_start started) {
    const auto file = folder / "journal.jsonl";
    if (!fs::exists(file))
        throw usage_error{
            fmt::format("there is no {}; --resume takes the folder of an earlier run", file.native())};
    const auto text = reports::read_file(file.native());
    auto old = read_journal(text, file.native());
    old.plan = revived(old);
    auto done = old.outcome;
    done.interrupted = done.budget_spent = false;
    done.blocks_finished = 0;
    journal written{file, text.rfind('\n') + 1};
    old.outcome = run_rest(old.plan, written, stop, started, std::move(done));
    return report_of(old);
}

void publish(const reports::report& report, const fs::path& folder) {
    reports::write_file_atomically(folder / "report.json", reports::write_json(report));
    reports::write_file_atomically(folder / "report.csv", reports::write_csv(report));
    for (const auto& item : report.warnings)
        tell(fmt::format("loopbench: warning: {}; {}\n", item.message, item.remedy));
    reports::write_standard_output(
        fmt::format("{}reports: {}, {} (every trial: {})\n", reports::write_table(report),
                    (folder / "report.json").native(), (folder / "report.csv").native(),
                    (folder / "journal.jsonl").native()));
}

}  // namespace loopbench::bench
