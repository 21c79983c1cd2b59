// Each trial is written to the journal as soon as it has ended, so that no result is lost.
#include "bench/harness/cli/session/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>  // program_invocation_name
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bench/catalog/pairing_reasons.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/cli/session/cause_pass.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/session/count_pass.hpp"
#include "bench/harness/cli/session/progress.hpp"
#include "bench/harness/cli/session/ratios_so_far.hpp"
#include "bench/harness/cli/shell_word.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/experiment/histograms.hpp"
#include "bench/harness/experiment/journal.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/gate/calibration_file.hpp"
#include "bench/harness/gate/comparison_table.hpp"
#include "bench/harness/machine/environment.hpp"
#include "bench/harness/summary/summary.hpp"
#include "bench/harness/trial/build_comparison.hpp"
#include "bench/harness/trial/describe.hpp"
#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/shared_limit.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/formats/csv.hpp"
#include "reports/render/html/html.hpp"
#include "reports/render/terminal/screen.hpp"
#include "reports/render/terminal/text_table.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;
using reports::pairing;

namespace {

class run_log : public run_observer {
public:
    run_log(const run_plan& plan, journal& written, histogram_log& histograms, std::chrono::nanoseconds spent,
            const std::string& step)
        : plan_{plan},
          journal_{written},
          histograms_{histograms},
          described_{plan.described},
          step_{step},
          ratios_{plan},
          progress_{left_of(plan.budget, spent)} {}

    void take(std::span<const trial_record> earlier) {
        for (const auto& trial : earlier) ratios_.take(trial);
    }

    void before_trial(const trial_request& request, std::uint64_t done, std::uint64_t total) override {
        if (!step_.empty())
            return progress_.show_step(
                fmt::format("{}: block {}", step_, done / plan_.contenders.size() + 1));
        progress_.show(request.workload, request.who.name, done, total,
                       ratios_.of(request.workload, request.who.name));
    }
    void after_trial(const trial_record& record) override {
        // A trial is written to the journal first and to the histogram file second. In the other order, a
        // kill between the two writes would leave the histograms of a trial that is missing from the journal.
        // A resumed run would then repeat this trial, and count its histograms twice.
        journal_.append(plan_, record);
        histograms_.append(plan_, record);
        ratios_.take(record);
        refuse_late_mixture(record);
    }

private:
    /// Throws usage_error if the trial's context shows that the builds are not comparable. This can happen if
    /// a contender had too little time to describe itself before the trials.
    void refuse_late_mixture(const trial_record& record) {
        const auto who = record.where.contender;
        if (who >= described_.size() || !described_[who].context.empty() || record.outcome.context.empty())
            return;
        described_[who] = reports::describe(described_[who].name, record.outcome.context);
        refuse_mixed_builds(described_);
    }

    static std::optional<std::chrono::nanoseconds> left_of(std::optional<std::chrono::nanoseconds> budget,
                                                           std::chrono::nanoseconds spent) {
        if (budget) *budget -= spent;
        return budget;
    }

    const run_plan& plan_;
    journal& journal_;
    histogram_log& histograms_;
    std::vector<reports::contender> described_;
    const std::string& step_;
    ratios_so_far ratios_;
    progress progress_;
};

/// Removes the counts.json of an earlier run, because the file would seem to belong to the new run.
void remove_old_counts(const fs::path& folder) {
    const auto file = folder / "counts.json";
    std::error_code error;
    fs::remove(file, error);
    if (error) throw reports::file_error{"remove", file.native(), error.value()};
}

reports::pairing usual_pairing(const run_plan& plan) {
    const auto count = [&](reports::pairing made) { return std::ranges::count(plan.pairings, made); };
    return plan.pairings.empty()
               ? pairing::sequential
               : std::ranges::max({pairing::sequential, pairing::interleaved, pairing::concurrent}, {},
                                  count);
}

/// Returns the stored calibration of this machine, or nothing. If the calibration file cannot be read, prints
/// a warning instead of throwing, because a run does not need a calibration.
std::optional<reports::calibration> known_calibration(const reports::environment& where,
                                                      reports::pairing made) {
    try {
        return stored_calibration(where, made);
    } catch (const std::exception& error) {
        tell("loopbench: warning: {}\n", error.what());
        return std::nullopt;
    }
}

/// Returns a clock that shows the time that the session has used, including the trials of an interrupted run.
run_clock clock_of_session(const session_record& record, const session_place& place) {
    std::chrono::nanoseconds spent{0};
    for (const auto& trial : record.outcome.trials) spent += trial.outcome.wall;
    return [started = place.started, spent] { return session_start::clock::now() - started + spent; };
}

void run_trials(session_record& record, journal& written, histogram_log& histograms,
                const session_place& place, const run_clock& clock) {
    // Adds the reserved time to the clock of the trials, so that they leave this part of the budget for the
    // search.
    const run_clock ahead = [&clock, reserved = reserved_for_causes(record.plan)] {
        return clock() + reserved;
    };
    run_log log{record.plan, written, histograms, ahead(), place.step};
    log.take(record.outcome.trials);
    process_executor executor{place.stop.fd(), place.by.disturbances};
    record.outcome = bench::run(record.plan, executor, log, ahead, std::move(record.outcome), place.enough);
    written.end(record.outcome);
}

/// Runs the counting pass (--counts) and the checking pass (--checks) if the plan requests them. In a sharded
/// run, only the first shard runs these passes. After an interrupt, their results are discarded.
void take_further_passes(session_record& record, journal& written, const session_place& place) {
    const auto& plan = record.plan;
    if ((!plan.counts && !plan.checks) || !record.counted.empty() || record.outcome.interrupted) return;
    if (plan.share().number != 1) return;
    const auto report = report_of(record);
    std::vector<counted_result> counted;
    if (plan.counts)
        counted = count_cells(measured_cells(report, plan), place.folder, plan.trial_limit, place.stop.fd());
    if (plan.checks && !place.stop.requested())
        std::ranges::move(check_cells(report, plan, place.stop.fd()), std::back_inserter(counted));
    if (place.stop.requested()) {
        record.outcome.interrupted = true;
        return written.end(record.outcome);
    }
    written.append(counted);
    record.counted = std::move(counted);
}

/// Looks for the causes of slowdowns if the plan requests it. After an interrupt, the causes are discarded.
void look_for_causes(session_record& record, journal& written, const session_place& place,
                     const run_clock& clock) {
    const auto& plan = record.plan;
    if (!plan.causes || record.causes || record.outcome.interrupted || plan.part) return;
    const time_for_pass time{session_start::clock::now() + time_for_causes(plan, clock()), place.stop.fd()};
    auto causes = find_causes(report_of(record), plan, time);
    if (place.stop.requested()) {
        record.outcome.interrupted = true;
        return written.end(record.outcome);
    }
    if (!causes) return;
    record.causes = std::move(causes);
    written.append(record.counted, record.causes);
}

/// Runs the trials and the passes that follow them. If a pass cannot write its results, returns the error
/// instead of throwing it, so that the results of the trials are still printed.
finished_run finish(session_record record, journal& written, histogram_log& histograms,
                    const session_place& place) {
    std::optional<reports::file_error> unwritten;
    const auto attempt = [&](const auto& write) {
        try {
            write();
        } catch (const reports::file_error& error) {
            unwritten = error;
        }
    };
    const auto clock = clock_of_session(record, place);
    if (record.counted.empty()) attempt([&] { remove_old_counts(place.folder); });
    run_trials(record, written, histograms, place, clock);
    attempt([&] { take_further_passes(record, written, place); });
    attempt([&] { look_for_causes(record, written, place, clock); });
    return {std::move(record), std::move(unwritten)};
}

/// Throws usage_error if a resumed run would use other CPUs than before, because the CPUs of one machine can
/// differ in speed.
void refuse_other_cpus(const run_plan& begun) {
    const auto here = allowed_cpus();
    if (!begun.cpus.empty() && begun.cpus != here)
        throw usage_error{
            "the run began on the CPUs {}, but can now use {}; continue it under `taskset -c {}`, or begin a "
            "new run without --resume",
            fmt::join(begun.cpus, ","), fmt::join(here, ","), fmt::join(begun.cpus, ",")};
}

void refuse_merged(const session_record& old, const fs::path& folder) {
    if (!old.outcome.merged.empty())
        throw usage_error{"{} was merged from shards; resume the folders of the shards, and merge them again",
                          folder.native()};
}

void revive(session_record& old, const interrupt& stop) {
    auto& plan = old.plan;
    for (std::size_t i = 0; i < plan.contenders.size(); ++i) {
        if (i == plan.aa_copy) continue;
        auto& who = plan.contenders[i];
        remember_files(who);
        remember_libraries(who, probe_limit, stop.fd());
        if (i < plan.described.size()) {
            remember_named_files(who, plan.described[i].context);
            who.min_time_unit = unit_of_min_time(plan.described[i].context);
        }
        list_benchmarks(who, plan.size, probe_limit, stop.fd());
    }
    stop.throw_if_requested();
    if (plan.aa_copy) {
        const auto name = plan.contenders[*plan.aa_copy].name;
        plan.contenders.pop_back();
        if (*plan.aa_copy != plan.contenders.size())
            throw usage_error{
                "the journal is invalid, because the A/A copy is not its last contender; begin a new run "
                "without --resume"};
        add_aa_copy(plan);
        if (plan.contenders.back().name != name)
            throw usage_error{
                "the journal is invalid, because its A/A copy is not a copy of the baseline; begin a new run "
                "without --resume"};
    }
    refuse_other_place(old, read_environment());
    refuse_other_cpus(plan);
}

/// Returns the time in which the process of a trial neither computed nor was ready to compute.
double blocked_ns(const trial_outcome& trial) {
    const auto& usage = trial.usage;
    return static_cast<double>(trial.wall.count() - usage.user_ns - usage.system_ns - usage.run_delay_ns);
}

constexpr double more_than_one_core = 1.05;

/// Returns true if the process of the trial computed on several cores at the same time, or if threads of its
/// own computed much. On a busy machine, and with one CPU, such threads take turns, so that the process
/// computes no longer than it lasts. A sequential trial is right for them in any case.
bool uses_several_cores(const trial_outcome& trial) {
    constexpr double much = 0.25;
    const auto computed = static_cast<double>(trial.usage.user_ns + trial.usage.system_ns);
    return computed > more_than_one_core * static_cast<double>(trial.wall.count()) ||
           static_cast<double>(trial.usage.other_threads_ns) > much * computed;
}

/// Returns true if the trial computed for nearly all of its time. Leaves out the time in which the trial was
/// ready to compute but waited for a core. On a busy machine, the timed section can have more of this time
/// than the rest of the process. Therefore it is also enough if the whole process was blocked for less than a
/// tenth of the duration of the timed section.
bool keeps_a_core_busy(const trial_outcome& trial) {
    constexpr double nearly_all = 0.9;
    const auto time = trial.metrics.find("time");
    if (time == trial.metrics.end() || !time->second || !trial.cpu_time_ns || trial.wall.count() <= 0)
        return false;
    if (uses_several_cores(trial))
        return false;  // Google Benchmark's CPU time does not include the program's other threads
    const double share = *trial.cpu_time_ns / *time->second;
    const double had =
        1 - static_cast<double>(trial.usage.run_delay_ns) / static_cast<double>(trial.wall.count());
    const bool hardly_waited =
        blocked_ns(trial) < (1 - nearly_all) * *time->second * trial.operations.value_or(0);
    return share <= more_than_one_core && (share >= nearly_all * had || hardly_waited);
}

/// The time limit of all preparations before the first block: a fifth of the budget.
class preparation_time {
public:
    preparation_time(const run_plan& plan, session_start started)
        : all_{plan.budget ? std::optional{shared_limit{started + *plan.budget / 5}} : std::nullopt} {}

    /// Returns the time limit for one child process: at least 100 ms, even after the preparation time.
    [[nodiscard]] std::chrono::nanoseconds limit() const {
        return all_ ? std::min<std::chrono::nanoseconds>(all_->left(), probe_limit) : probe_limit;
    }
    [[nodiscard]] bool is_over() const { return all_ && all_->is_over(); }

private:
    std::optional<shared_limit> all_;
};

/// Returns true if the process of the trial computed for longer than it was blocked.
bool computed_mostly(const trial_outcome& trial) {
    return blocked_ns(trial) < static_cast<double>(trial.usage.user_ns + trial.usage.system_ns);
}

/// Returns true if another trial can give another answer. On a busy machine, the start and the end of a
/// process can be blocked for longer than a short trial computes. If the process computed for most of its
/// time, the next trial has a longer minimum time. This alters only trials whose length the minimum time
/// decides.
bool is_worth_repeating(const trial_outcome& trial) {
    constexpr std::chrono::milliseconds long_computing{1000}, long_other{200};
    if (uses_several_cores(trial)) return false;
    return trial.wall < (computed_mostly(trial) ? long_computing : long_other);
}

/// Returns true if at least two contenders have the workload and each of these contenders keeps a core busy.
/// Runs up to three trials of each contender, because a trial can be disturbed. The first one is short.
/// Returns nothing if the time for probes ended during a trial. Use it only for workloads outside the
/// catalog.
std::optional<bool> keeps_a_core_busy(const run_plan& plan, std::size_t workload, const interrupt& stop,
                                      const preparation_time& time) {
    constexpr double shortest_s = 0.01, growth = 4;
    constexpr int tries = 3;
    process_executor executor{stop.fd(), watching::off};
    const contender* const aa_copy = plan.aa_copy ? &plan.contenders[*plan.aa_copy] : nullptr;
    std::size_t contenders = 0;
    for (const contender& who : plan.contenders) {
        if (&who == aa_copy || exclusion_before(who, plan.workloads[workload])) continue;
        bool busy = false, again = true;
        double min_time_s = shortest_s;
        for (int i = 0; i < tries && !busy && again; ++i) {
            const auto trial =
                executor.run({who, plan.workloads[workload], min_time_s, plan.size, time.limit(), plan.cpu});
            stop.throw_if_requested();
            if (trial.timed_out && time.is_over()) return std::nullopt;
            busy = keeps_a_core_busy(trial);
            again = is_worth_repeating(trial);
            if (computed_mostly(trial)) min_time_s *= growth;
        }
        if (!busy) return false;
        ++contenders;
    }
    return contenders > 1;
}

/// Returns true if all contenders that can run the workload support slices. If one of them does not, none is
/// interleaved, because results of different pairings are not comparable.
bool all_support_slices(const run_plan& plan, std::span<const std::optional<exclusion>> excluded) {
    for (std::size_t who = 0; who < plan.contenders.size(); ++who)
        if (!excluded[who] && !plan.knows_slices(who)) return false;
    return true;
}

std::string reason_for_sequential(const run_plan& plan, const std::string& workload,
                                  std::span<const std::optional<exclusion>> excluded) {
    const auto* const shape = find_shape(workload);
    if (threads_of(workload) > 1) return "the benchmark has several threads";
    if (shape == nullptr && !plan.asked_pairing)
        return "in short trials, one of the programs waits, or has threads of its own";
    if (const auto why = shape != nullptr ? why_sequential(*shape, plan.are_builds()) : ""; !why.empty())
        return std::string{why};
    for (std::size_t who = 0; who < plan.contenders.size(); ++who)
        if (!excluded[who] && !plan.knows_slices(who))
            return fmt::format("{} does not support slices", plan.contenders[who].name);
    return "not all contenders can run";
}

std::vector<std::pair<std::string, std::vector<std::string>>> reasons_for_sequential(const run_plan& plan) {
    std::vector<std::pair<std::string, std::vector<std::string>>> all;
    const auto excluded = exclusions_before(plan);
    for (std::size_t i = 0; i < plan.workloads.size(); ++i) {
        if (plan.pairings[i] != pairing::sequential) continue;
        const auto why = reason_for_sequential(plan, plan.workloads[i], excluded[i]);
        auto found = std::ranges::find(all, why, [](const auto& each) { return each.first; });
        if (found == all.end()) found = all.insert(found, {why, {}});
        found->second.push_back(plan.workloads[i]);
    }
    return all;
}

void report_other_pairings(const run_plan& plan) {
    if (plan.asked_pairing.value_or(pairing::sequential) == pairing::sequential) return;
    for (const auto& [why, workloads] : reasons_for_sequential(plan))
        tell("loopbench: note: --pairing {} does not apply to {}; trials are sequential, because {}\n",
             name_of(*plan.asked_pairing), first_names(workloads), why);
}

}  // namespace

void report_inherited_flags() {
    // The flags of Google Benchmark. Other programs use variables with the same beginning, such as
    // BENCHMARK_HOME.
    constexpr std::array<std::string_view, 17> flags{"COLOR",
                                                     "CONTEXT",
                                                     "COUNTERS_TABULAR",
                                                     "DISPLAY_AGGREGATES_ONLY",
                                                     "DRY_RUN",
                                                     "FILTER",
                                                     "FORMAT",
                                                     "LIST_TESTS",
                                                     "MIN_TIME",
                                                     "MIN_WARMUP_TIME",
                                                     "OUT",
                                                     "REPETITIONS",
                                                     "OUT_FORMAT",
                                                     "PERF_COUNTERS",
                                                     "TIME_UNIT",
                                                     "REPORT_AGGREGATES_ONLY",
                                                     "ENABLE_RANDOM_INTERLEAVING"};
    constexpr std::string_view front = "BENCHMARK_";
    static bool is_reported = false;
    for (char** entry = environ; *entry != nullptr && !is_reported; ++entry) {
        const std::string_view text = *entry;
        if (!text.starts_with(front)) continue;
        const auto name = text.substr(front.size(), text.find('=') - front.size());
        if (std::ranges::find(flags, name) != flags.end())
            tell(
                "loopbench: warning: the environment contains {}, which changes every Google Benchmark "
                "program; unset it\n",
                text.substr(0, 80));
    }
    is_reported = true;
}

void choose_pairings(run_plan& plan, const std::map<std::string, reports::pairing>& asked) {
    plan.pairings.clear();
    plan.cores.clear();
    const auto excluded = exclusions_before(plan);
    for (std::size_t i = 0; i < plan.workloads.size(); ++i) {
        const auto* const shape = find_shape(plan.workloads[i]);
        const auto usual =
            shape != nullptr ? shape->pairing_of_trials(plan.are_builds()) : pairing::sequential;
        const auto wanted = asked.find(plan.workloads[i]);
        auto made = plan.asked_pairing.value_or(wanted != asked.end() ? wanted->second : usual);
        // Three kinds of workloads run sequentially. If a workload waits, other contenders on the same core
        // would change its lateness and the number of its wakeups. A workload with much TCP traffic must not
        // share a core either (echo.hpp gives the reason). A workload with several threads needs several
        // cores.
        if ((shape != nullptr && usual == pairing::sequential) || threads_of(plan.workloads[i]) > 1 ||
            (made == pairing::interleaved && !all_support_slices(plan, excluded[i])))
            made = pairing::sequential;
        plan.pairings.push_back(made);
        plan.cores.push_back(shape != nullptr ? shape->cores : made != pairing::sequential ? 1 : 0);
    }
    if (!plan.cpu) plan.cpus = allowed_cpus();
}

void complete_plan(run_plan& plan, const interrupt& stop, session_start started,
                   std::string_view other_remedy) {
    stop.throw_if_requested();
    refuse_too_many_cells(plan);
    report_inherited_flags();
    const preparation_time time{plan, started};
    plan.described.clear();
    for (const contender& who : plan.contenders) {
        plan.described.push_back(describe(who, plan.workloads, plan.size, time.limit(), stop.fd()));
        stop.throw_if_requested();
    }
    refuse_mixed_builds(plan.described, other_remedy);
    for (std::size_t i = 0; i < plan.described.size(); ++i) {
        remember_named_files(plan.contenders[i], plan.described[i].context);
        plan.contenders[i].min_time_unit = unit_of_min_time(plan.described[i].context);
    }
    choose_pairings(plan);
    report_other_pairings(plan);
    add_aa_copy(plan);
}

std::vector<std::string> pair_third_party_programs(run_plan& plan, const interrupt& stop,
                                                   session_start started) {
    std::vector<std::string> unknown;
    if (plan.asked_pairing) return unknown;
    const preparation_time time{plan, started};
    progress shown{{}, std::chrono::seconds{10}};
    for (std::size_t i = 0; i < plan.workloads.size(); ++i) {
        const auto& name = plan.workloads[i];
        if (find_shape(name) != nullptr || threads_of(name) > 1) continue;
        if (time.is_over()) {
            unknown.push_back(name);
            continue;
        }
        shown.show_pairing(name, i, plan.workloads.size());
        const auto is_busy = keeps_a_core_busy(plan, i, stop, time);
        if (!is_busy) unknown.push_back(name);
        if (!is_busy.value_or(false)) continue;
        plan.pairings[i] = pairing::concurrent;
        plan.cores[i] = 1;
    }
    return unknown;
}

void report_pairings(const run_plan& plan, const std::vector<std::string>& unknown) {
    if (plan.asked_pairing) return;
    if (!unknown.empty())
        tell(
            "loopbench: note: a fifth of the budget was spent before the pairing of {} was known, so their "
            "trials are sequential; use a longer --budget, choose fewer benchmarks with --workload, or set "
            "--pairing\n",
            first_names(unknown));
    for (const auto made : {pairing::interleaved, pairing::concurrent})
        if (const auto count = std::ranges::count(plan.pairings, made); count > 0)
            tell("loopbench: note: trials are {} for {} of {} workloads\n", name_of(made), count,
                 plan.workloads.size());
    for (auto [why, workloads] : reasons_for_sequential(plan)) {
        std::erase_if(workloads, [&](const std::string& each) {
            return std::ranges::find(unknown, each) != unknown.end();
        });
        if (!workloads.empty())
            tell("loopbench: note: trials are sequential for {}, because {}\n", first_names(workloads), why);
    }
}

finished_run measure(run_plan plan, const session_place& place) {
    reports::prepare_output_folder(place.folder);
    session_record record{.plan = std::move(plan), .command = place.by.words, .where = read_environment()};
    record.where.calibrated = known_calibration(record.where, usual_pairing(record.plan));
    if (record.plan.part) record.plan.machine = record.where.machine = machine_identity();
    journal written{place.folder / "journal.jsonl", record};
    histogram_log histograms{place.folder, histogram_log::beginning::anew};
    return finish(std::move(record), written, histograms, place);
}

finished_run measure_rest(const session_place& place) {
    const auto file = place.folder / "journal.jsonl";
    if (!fs::exists(file))
        throw usage_error{"{} does not exist; use --resume with the folder of an earlier run", file.native()};
    reports::prepare_output_folder(place.folder);
    journal written{file};
    const auto text = reports::read_file(file.native(), journal_bytes_max);
    auto record = read_journal(text, file.native());
    refuse_merged(record, place.folder);
    report_inherited_flags();
    revive(record, place.stop);
    if (record.plan.part) record.plan.machine = machine_identity();
    record.outcome.interrupted = record.outcome.budget_spent = false;
    record.outcome.blocks_finished = 0;
    histogram_log histograms{place.folder, histogram_log::beginning::behind_what_is_there};
    written.keep(text.rfind('\n') + 1);
    return finish(std::move(record), written, histograms, place);
}

namespace {

/// Returns the histograms that `read` returns. If `read` throws, prints a warning and returns no histograms,
/// so that report.html is still written, but without distributions.
template <class reader>
std::vector<reports::histogram> or_none(reader read) {
    try {
        return read();
    } catch (const std::exception& error) {
        tell("loopbench: warning: report.html has no histograms: {}\n", error.what());
        return {};
    }
}

std::string next_steps(const reports::report& report, const fs::path& file, const fs::path& page) {
    const std::string called = program_invocation_name;
    std::error_code none;
    auto near = fs::path{called}.lexically_proximate(fs::current_path(none)).native();
    if (near.find('/') == std::string::npos) near.insert(0, "./");
    const bool is_shorter = called.find('/') != std::string::npos && near.size() < called.size();
    const auto command = reports::printable(shell_word(is_shorter ? near : called));
    const bool has_echo = std::ranges::any_of(
        report.results, [](const reports::result& item) { return item.workload.starts_with("echo/"); });
    return fmt::format(
        "OPEN    {}\nNEXT    {}:\n  {} report {} --format text\n{}", reports::printable(page.native()),
        has_echo ? "every table and warning, and your own server on two loops" : "every table and warning",
        command, reports::printable(shell_word(file.native())),
        has_echo ? fmt::format("  {} compare --client echo ./old ./new -- {{port}}\n", command) : "");
}

}  // namespace

std::vector<reports::histogram> known_histograms(const fs::path& report_file, const reports::report& report) {
    return or_none([&] { return histograms_beside(report_file, report); });
}

namespace {

std::string tables_of(const reports::report& report, detail how) {
    if (how == detail::one_screen) return reports::draw_screen(report, colours_of_output());
    if (how == detail::comparison && compares_two_builds(report)) return write_comparison(report);
    return reports::write_table(report);
}

}  // namespace

/// Prints the tables before it writes the files, so that the user sees the results even if there is no space
/// for files.
void publish(const finished_run& run, const reports::report& report, const fs::path& folder, detail how) {
    std::optional<reports::file_error> unseen;
    try {
        reports::write_standard_output(tables_of(report, how));
    } catch (const reports::file_error& error) {
        unseen = error;
    }
    if (how == detail::one_screen)
        for (const auto& line : reports::warning_lines(report)) tell(line + "\n");
    else
        for (const auto& item : report.warnings) tell(item);
    const auto file = folder / "report.json", csv = folder / "report.csv", page = folder / "report.html";
    const auto distributions = or_none([&] { return histograms_in(folder, run.record, report); });
    {
        const auto as_json = reports::write_json(report), as_csv = reports::write_csv(report),
                   as_html = reports::write_html(report, distributions);
        const std::array files{reports::new_file{file, as_json}, reports::new_file{csv, as_csv},
                               reports::new_file{page, as_html}};
        reports::write_files_atomically(files);
    }
    if (unseen) throw *unseen;
    if (run.unwritten) throw *run.unwritten;
    reports::write_standard_output(
        how == detail::one_screen
            ? next_steps(report, file, page)
            : fmt::format("reports: {}, {}, {}, {}\n", reports::printable(page.native()),
                          file.filename().native(), csv.filename().native(), "journal.jsonl (every trial)"));
}

}  // namespace loopbench::bench
