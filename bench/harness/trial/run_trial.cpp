#include "bench/harness/trial/run_trial.hpp"

#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <utility>

#include "bench/catalog/used_cores.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/machine/environment.hpp"
#include "bench/harness/statistics/median.hpp"
#include "bench/harness/trial/asio_use.hpp"
#include "bench/harness/trial/disturbance.hpp"
#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/histogram_files.hpp"
#include "bench/harness/trial/interleaving.hpp"
#include "bench/harness/trial/process/orphans.hpp"
#include "bench/harness/trial/process/temporary_folder.hpp"
#include "bench/harness/trial/stated_cause.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/json.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

using reports::pairing;
using reports::result_status;

std::string with_stated_cause(std::string reason, std::string_view error_tail) {
    const auto cause = stated_cause(error_tail);
    return cause.empty() ? reason : fmt::format("{}: {}", reason, cause);
}

std::string signal_name(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string_view cause_of_no_start(int error) {
    switch (error) {
        case EACCES:
            return "; make the file executable (chmod +x), and make its folders accessible";
        case ENOENT:
            return "; the file, its interpreter or its loader does not exist";
        case ENOEXEC:
            return "; the file is a program for another architecture, or a script that does not begin with "
                   "#!";
        case ETXTBSY:
            return "; another process is still writing the file: measure after the build has ended";
        default:
            return "";
    }
}

/// Sets the status and the reason of the trial. Shortens a long reason, because every report contains the
/// reasons and a contender can print megabytes.
void set_status(trial_outcome& trial, result_status status, std::string_view reason) {
    constexpr std::size_t bytes_max = 4096;
    trial.status = status;
    trial.reason = reason;
    if (reason.size() > bytes_max) trial.reason = reports::valid_utf8(reason.substr(0, bytes_max)) + "...";
}

void set_failed(trial_outcome& trial, std::string_view reason) {
    set_status(trial, result_status::failed, reason);
}

void take_error(trial_outcome& trial, std::string_view message) {
    const auto [status, reason] = outcome_of_error(message);
    set_status(trial, status, reason);
}

std::map<std::string, std::optional<double>> metrics_of(const gbench_row& row) {
    std::map<std::string, std::optional<double>> metrics;
    for (const auto& [name, value] : row.counters)
        if (reports::find_metric(name) != nullptr) metrics[name] = value;
    metrics["time"] = row.real_time_ns;
    if (const auto found = row.counters.find("items_per_second"); found != row.counters.end())
        metrics["throughput"] = found->second;
    return metrics;
}

timed_claims claims_of(const gbench_row& row) {
    const auto counter = [&](const char* name) {
        const auto found = row.counters.find(name);
        return found == row.counters.end() ? std::nullopt : found->second;
    };
    return {.operations = counter("timed_operations"),
            .wall_ns = counter("timed_wall"),
            .cpu_ns = counter("timed_cpu"),
            .latencies = counter("latencies"),
            .latency_mean = counter("latency_mean"),
            .age_ns = counter("clock_age"),
            .thread_wait_ns = counter("thread_wait"),
            .throughput = counter("items_per_second"),
            .cpu_of_operation = counter("cpu"),
            .latency_p50 = counter("latency_p50"),
            .latency_p99 = counter("latency_p99")};
}

bool are_of_one_benchmark(const gbench_row& one, const gbench_row& other) {
    return one.name == other.name && one.family == other.family && one.instance == other.instance;
}

std::vector<const gbench_row*> rows_of(const gbench_output& output, std::string_view workload,
                                       const listed_benchmark* listed) {
    const auto take = [&](auto is_wanted) {
        std::vector<const gbench_row*> found;
        for (const auto& row : output.rows)
            if (is_wanted(row)) found.push_back(&row);
        return found;
    };
    const std::string_view printed = listed != nullptr ? listed->printed : workload;
    auto found = take([&](const gbench_row& row) { return row.name == printed; });
    if (!found.empty() || (listed != nullptr && listed->has_variants)) return found;
    return take([&](const gbench_row& row) { return workload_name(row.name) == workload_name(printed); });
}

std::optional<std::string> keep_one_benchmark(std::vector<const gbench_row*>& rows,
                                              const listed_benchmark* listed) {
    std::vector<const gbench_row*> firsts;
    for (const auto* row : rows)
        if (std::ranges::none_of(firsts,
                                 [&](const auto* first) { return are_of_one_benchmark(*first, *row); }))
            firsts.push_back(row);
    // Sorts the benchmarks by their order of registration. A program can print them in another order if it
    // prints means, or if it runs repetitions in random order.
    std::ranges::sort(firsts, {}, [](const auto* row) {
        return std::tuple{row->family, row->instance, row};
    });
    const std::size_t alike = listed != nullptr ? listed->alike : 1;
    if (firsts.size() != alike)
        return fmt::format(
            "the contender printed the results of {} benchmarks that fit the name {}, but it lists {}; "
            "give each benchmark its own name",
            firsts.size(), rows.front()->name, alike);
    const auto* const meant = firsts[listed != nullptr ? listed->number : 0];
    std::erase_if(rows, [&](const auto* row) { return !are_of_one_benchmark(*meant, *row); });
    return std::nullopt;
}

void take_rows(trial_outcome& trial, const gbench_output& output, std::string_view workload,
               const listed_benchmark* listed) {
    auto rows = rows_of(output, workload, listed);
    if (rows.empty()) return set_failed(trial, "the contender printed no result for the workload");
    if (const auto unclear = keep_one_benchmark(rows, listed)) return set_failed(trial, *unclear);
    if (const auto wrong = std::ranges::find_if(rows, [](const auto* row) { return row->error.has_value(); });
        wrong != rows.end())
        return take_error(trial, *(*wrong)->error);
    const auto* const ours = rows.front();
    // Only the first repetition counts, because repetitions in one process are not separate trials.
    auto metrics = metrics_of(*ours);
    trial.cpu_time_ns = ours->cpu_time_ns;
    if (const auto& time = metrics["time"]; !time || *time <= 0)
        return set_failed(trial, "the contender printed no time above 0");
    trial.metrics = std::move(metrics);
    if (const auto did = ours->counters.find("operations"); did != ours->counters.end())
        trial.operations = did->second;
    trial.claims = claims_of(*ours);
    trial.claims.time_ns = ours->real_time_ns;
    if (find_shape(workload) != nullptr) trial.cores = used_cores_in(ours->label);
    trial.calibrated = ours->name.find("/iterations:") == std::string::npos;
}

}  // namespace

bool is_of_cpu_time(std::string_view metric) {
    const auto* const known = reports::find_metric(metric);
    return known != nullptr && (known->deterministic || known->valid_if_concurrent);
}

/// Google Benchmark ends a benchmark if five times its minimum time has passed, even if the benchmark
/// computed for only a part of it. While other programs use the core, a short minimum time can pass after a
/// single cold iteration, whose time would then be the result.
double effective_min_time_s(double asked_s, pairing made) {
    constexpr double several_slices_of_the_kernel_s = 0.02;
    return made == pairing::concurrent ? std::max(asked_s, several_slices_of_the_kernel_s) : asked_s;
}

std::optional<std::string> failure_of(const child_outcome& outcome, std::chrono::nanoseconds limit) {
    switch (outcome.end) {
        case child_end::exited:
            if (outcome.code == 0) return std::nullopt;
            return with_stated_cause(fmt::format("exit code {}", outcome.code), outcome.error_tail);
        case child_end::signalled:
            return with_stated_cause(fmt::format("killed by {}", signal_name(outcome.code)),
                                     outcome.error_tail);
        case child_end::not_started:
            return fmt::format("the contender could not be started: {}{}", std::strerror(outcome.code),
                               cause_of_no_start(outcome.code));
        case child_end::timed_out:
            return fmt::format("the contender had no result within {:g} s",
                               std::chrono::duration<double>{limit}.count());
        case child_end::flooded:
            return fmt::format("the contender printed more than {} MiB",
                               child_request{}.output_bytes_max >> 20U);
        case child_end::stopped:
            return "interrupted";
        case child_end::kept_slice:
            return fmt::format("the contender did not end its slice within {} s (LOOPBENCH_SLICES)",
                               slice_limit.count());
        case child_end::broke_protocol:
            return "the contender sent an invalid reply to a slice; expected OPERATIONS NANOSECONDS "
                   "[UNTIMED_OPERATIONS UNTIMED_NANOSECONDS] (LOOPBENCH_SLICES)";
    }
    return "the contender ended for an unknown reason";
}

namespace {

bool has_no_such_benchmark(const child_outcome& outcome) {
    return outcome.error_tail.find("Failed to match any benchmarks against regex") != std::string::npos;
}

}  // namespace

trial_outcome judge(const child_outcome& outcome, std::string_view workload, std::chrono::nanoseconds limit,
                    const listed_benchmark* listed) {
    trial_outcome trial;
    trial.usage = outcome.usage;
    trial.wall = outcome.wall;
    trial.stopped = outcome.end == child_end::stopped;
    trial.timed_out = outcome.end == child_end::timed_out;
    if (const auto failure = failure_of(outcome, limit)) {
        set_failed(trial, *failure);
        return trial;
    }
    std::size_t rows = 0;
    try {
        auto output = parse_gbench_json(outcome.output);
        rows = output.rows.size();
        take_rows(trial, output, workload, listed);
        if (trial.status == result_status::failed)
            set_failed(trial, with_stated_cause(trial.reason, outcome.error_tail));
        trial.context = std::move(output.context);
    } catch (const gbench_error& error) {
        set_failed(trial, error.what());
    }
    if (rows == 0 && workload != "command" && has_no_such_benchmark(outcome))
        set_status(
            trial, result_status::unsupported,
            fmt::format("the program has no benchmark with the listed name \"{}\"; rename it if its "
                        "name contains a line break; if it is a log line, print logs to standard error",
                        reports::shown(workload)));
    return trial;
}

namespace {

std::string histogram_file_in(const temporary_folder& folder) {
    return (folder.path() / "histograms.json").native();
}

std::string output_file_in(const temporary_folder& folder) {
    return (folder.path() / "benchmarks.json").native();
}

std::string asio_contexts_file_in(const temporary_folder& folder) {
    return (folder.path() / "asio_contexts").native();
}

/// Creates the file for the results of a program that runs as another user or group (set-user-ID or
/// set-group-ID), and gives it to that user or group. Without the right to do so, everybody can write the
/// file. If this fails, the program reports the error.
void create_output_file(const temporary_folder& folder, const std::filesystem::path& program) {
    namespace fs = std::filesystem;
    struct stat found {};
    if (::stat(program.c_str(), &found) != 0 || (found.st_mode & (S_ISUID | S_ISGID)) == 0) return;
    std::error_code ignored;
    const auto user = (found.st_mode & S_ISUID) != 0 ? found.st_uid : static_cast<uid_t>(-1);
    const auto group = (found.st_mode & S_ISGID) != 0 ? found.st_gid : static_cast<gid_t>(-1);
    const auto file = output_file_in(folder);
    std::ofstream{file};
    const bool is_given = ::chown(file.c_str(), user, group) == 0;
    fs::permissions(file,
                    is_given ? fs::perms::group_write : fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::add, ignored);
    fs::permissions(folder.path(), fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                    ignored);
}

/// Judges a trial like judge(). If only this layout of the build lacks the benchmark, the trial fails.
trial_outcome judged(const child_outcome& ended, const trial_request& request,
                     std::chrono::nanoseconds limit) {
    const auto& who = request.who;
    auto trial = judge(ended, request.workload, limit, find_benchmark(who, request.workload));
    if (trial.status == result_status::unsupported && who.layouts.size() > 1 && has_no_such_benchmark(ended))
        set_failed(trial,
                   fmt::format("{} has no benchmark {}, although {} lists it, so they are not layouts of "
                               "one program; empty the folder, and link all layouts again",
                               reports::valid_utf8(who.path.native()), reports::shown(request.workload),
                               reports::valid_utf8(who.layouts.front().native())));
    return trial;
}

bool is_valid_output(std::string_view text) {
    try {
        parse_gbench_json(text);
        return true;
    } catch (const gbench_error&) {
        return false;
    }
}

/// Uses the file that Google Benchmark wrote (BENCHMARK_OUT) if the standard output is not valid JSON,
/// because a program can print other text to its standard output.
void take_output_file(child_outcome& ended, const temporary_folder& folder) {
    const auto file = output_file_in(folder);
    std::error_code none;
    if (ended.end != child_end::exited || std::filesystem::file_size(file, none) == 0 || none ||
        is_valid_output(ended.output))
        return;
    try {
        ended.output = reports::read_file(file, child_request{}.output_bytes_max);
    } catch (const reports::file_error&) {
        return;
    }
}

void discard(trial_outcome& trial, std::string_view reason) {
    set_failed(trial, reason);
    trial.metrics.clear();
}

void take_histograms(trial_outcome& trial, const trial_request& request, const temporary_folder& folder) {
    try {
        auto found = read_histogram_file(histogram_file_in(folder), request.workload);
        if (trial.status == result_status::ok) trial.histograms = std::move(found);
    } catch (const reports::other_format& error) {
        discard(trial, error.what());
    } catch (const reports::format_error& error) {
        discard(trial,
                fmt::format("the contender wrote an invalid histogram file (LOOPBENCH_HISTOGRAM_FILE): {}",
                            error.what()));
    }
}

/// Stores which loops the trial's io_contexts used. Adds the reason why a loop could not be created to the
/// reason of a failed trial, because the program itself often does not print it.
void take_asio_contexts(trial_outcome& trial, const temporary_folder& folder) {
    auto found = read_asio_contexts(asio_contexts_file_in(folder));
    if (!found.loops.empty()) trial.asio_loops = std::move(found.loops);
    trial.asio_failure = std::move(found.failure);
    const auto& failure = trial.asio_failure;
    if (failure && !trial.asio_loops && trial.status == result_status::failed &&
        trial.reason.find(*failure) == std::string::npos)
        set_failed(trial, fmt::format("{}; an io_context could not be created: {}", trial.reason, *failure));
}

void refuse_another_build(trial_outcome& trial, const trial_request& request) {
    if (trial.stopped) return;
    if (const auto changed = changed_file(request.who))
        discard(trial, fmt::format("the file {} was replaced while it was measured, so the numbers mix two "
                                   "builds; measure again after the build has ended",
                                   *changed));
}

void refuse_orphan(trial_outcome& trial, const std::optional<std::string>& orphan) {
    if (orphan && !trial.stopped)
        discard(trial, fmt::format("the contender orphaned the process {} outside of the contender's process "
                                   "group, where the costs of the process are not measured; make the process "
                                   "end with the contender (loopbench has ended it)",
                                   *orphan));
}

std::string filter_for(const trial_request& request) {
    const auto* const listed = find_benchmark(request.who, request.workload);
    if (listed == nullptr) return filter_with_any_suffix(request.workload);
    return listed->has_variants ? exact_filter(listed->printed)
                                : filter_with_any_suffix(workload_name(listed->printed));
}

child_request child_of(const trial_request& request, const temporary_folder& folder, int stop_fd,
                       pairing made = pairing::sequential) {
    child_request child;
    child.command = request.front;
    child.command.push_back(request.who.path.native());
    child.command.insert(child.command.end(), request.who.arguments.begin(), request.who.arguments.end());
    for (const auto& word :
         {"--benchmark_filter=" + filter_for(request), std::string{"--benchmark_format=json"},
          fmt::format("--benchmark_min_time={}{}", effective_min_time_s(request.min_time_s, made),
                      request.who.min_time_unit)})
        child.command.push_back(word);
    child.command.insert(child.command.end(), request.flags.begin(), request.flags.end());
    child.error_tail_bytes = std::max(child.error_tail_bytes, request.error_bytes);
    child.environment = {{"LOOPBENCH_SIZE", std::string{name_of(request.size)}},
                         {"LOOPBENCH_CONTENDER", request.who.name},
                         {"LOOPBENCH_PADDING", std::string(request.padding_bytes, 'x')},
                         {"TMPDIR", folder.path().native()}};
    // Google Benchmark reads its flag --benchmark_out from the variable BENCHMARK_OUT. A traced program does
    // not get this variable, because writing the file would add system calls. If the requests differ only in
    // their amounts of work, these calls cancel out.
    if (request.front.empty() || request.error_bytes > 0) {
        create_output_file(folder, request.who.path);
        child.environment.emplace_back("BENCHMARK_OUT", output_file_in(folder));
        child.environment.emplace_back("BENCHMARK_OUT_FORMAT", "json");
    }
    if (request.records_loops && request.front.empty())  // the record would add system calls, too
        child.environment.emplace_back(asio_contexts_variable, asio_contexts_file_in(folder));
    if (request.with_histogram_file)
        child.environment.emplace_back("LOOPBENCH_HISTOGRAM_FILE", histogram_file_in(folder));
    if (request.operations)
        child.environment.emplace_back("LOOPBENCH_OPERATIONS", fmt::format("{}", *request.operations));
    if (!request.recording) child.environment.emplace_back("LOOPBENCH_RECORD", "off");
    for (const auto* more : {&request.who.environment, &request.environment})
        child.environment.insert(child.environment.end(), more->begin(), more->end());
    child.folder = request.who.folder.native();
    child.limit = request.limit;
    child.stop_fd = stop_fd;
    child.cpu = request.cpu;
    return child;
}

/// Discards a trial whose numbers are impossible (laws.hpp). Checks only workloads of the catalog, because
/// third-party programs can measure time differently.
void refuse_impossible(trial_outcome& trial, const trial_request& request, const child_outcome& child) {
    const auto* const shape = find_shape(request.workload);
    if (trial.status != result_status::ok || trial.stopped || shape == nullptr || !request.front.empty())
        return;
    trial.claims.records = request.recording;
    const int cores = request.cpu ? 1 : std::max(shape->cores, static_cast<int>(allowed_cpus().size()));
    if (const auto broken = law_broken_by(trial.claims, *shape, child, cores)) discard(trial, *broken);
}

/// Rounds to six digits, because the journal of one hour contains some hundred thousand times of slices and
/// would otherwise be large. This loses no precision, because fewer than six digits of these times are
/// precise.
double rounded(double value) {
    const double scale = std::pow(10, 5 - std::floor(std::log10(value)));
    return std::round(value * scale) / scale;
}

void take_slices(trial_outcome& trial, const outcome_by_slices& ended) {
    const auto& slices = ended.slices;
    if (trial.status != result_status::ok || slices.empty()) return;
    const auto waited = ended.harness_waited + std::chrono::nanoseconds{ended.child.usage.run_delay_ns};
    if (const auto broken = law_broken_by_slices(slices, waited)) return discard(trial, *broken);
    if (const auto broken = law_broken_by_sum_of(slices, trial.claims)) return discard(trial, *broken);
    std::vector<double> operation_ns;
    for (const slice& one : slices)
        operation_ns.push_back(
            rounded(static_cast<double>(one.timed.count()) / static_cast<double>(one.operations)));
    const double time = median_of(operation_ns);
    trial.metrics["time"] = time;
    if (trial.metrics.contains("throughput")) trial.metrics["throughput"] = 1e9 / time;
    trial.slices = std::move(operation_ns);
}

/// Returns true if the counter `cpu` is the CPU time of the timed section. If the context lacks "slices", the
/// contender is a third-party program, whose counter `cpu` can have another meaning.
bool says_own_cpu_time(const trial_outcome& trial) {
    return trial.metrics.contains("cpu") && trial.context.contains("slices");
}

enum class cpu_clock {
    of_timed_section,  // the contender's counter `cpu`: CPU time of all its threads
    of_google_benchmark
};

/// Returns the CPU clock that all trials of the block support, because CPU times with different definitions
/// must not be compared.
cpu_clock clock_for(std::span<const trial_outcome> row) {
    const bool all_say = std::ranges::all_of(row, [](const trial_outcome& trial) {
        return trial.status != result_status::ok || says_own_cpu_time(trial);
    });
    return all_say ? cpu_clock::of_timed_section : cpu_clock::of_google_benchmark;
}

/// Sets the metric `time` to the CPU time, and removes metrics of wall-clock time. Wall-clock time is useless
/// in a concurrent trial, because it includes milliseconds in which the kernel ran other contenders.
void take_cpu_time(trial_outcome& trial, cpu_clock which) {
    if (trial.status != result_status::ok) return;
    const auto time = which == cpu_clock::of_timed_section ? trial.metrics.at("cpu") : trial.cpu_time_ns;
    if (!time || *time <= 0)
        return set_failed(trial,
                          "the contender printed no CPU time above 0, but concurrent programs are compared "
                          "by their CPU time");
    for (auto& [name, value] : trial.metrics)
        if (!is_of_cpu_time(name)) value.reset();
    trial.metrics["time"] = time;
    trial.histograms.clear();
}

void mark_disturbed_by_orphans(std::span<trial_outcome> trials, std::span<const trial_request> requests,
                               const std::vector<std::optional<std::string>>& orphans,
                               const std::optional<std::string>& orphan_of_some) {
    for (std::size_t i = 0; orphan_of_some && i < trials.size(); ++i)
        trials[i].disturbed = fmt::format(
            "the process {}, which one of the contenders orphaned, ran at the same time", *orphan_of_some);
    for (std::size_t i = 0; i < orphans.size(); ++i)
        for (std::size_t other = 0; orphans[i] && other < trials.size(); ++other)
            if (other != i)
                trials[other].disturbed =
                    fmt::format("the process {}, which {} orphaned, ran at the same time", *orphans[i],
                                requests[i].who.name);
}

/// Returns true if the benchmark's own threads have to share the CPUs of the trial. They then wait for each
/// other, which is no disturbance.
bool has_more_threads_than_cpus(const trial_request& request) {
    const auto cpus = request.cpu ? std::size_t{1} : allowed_cpus().size();
    const auto* const shape = find_shape(request.workload);
    const int threads = shape != nullptr ? shape->threads : threads_of(request.workload);
    return static_cast<std::size_t>(threads) > std::max<std::size_t>(cpus, 1);
}

std::optional<double> share_waited(const child_outcome& child) {
    const auto could = static_cast<double>(child.wall.count() - child.usage.run_delay_ns);
    if (could <= 0) return std::nullopt;
    const auto ran = static_cast<double>(child.usage.user_ns + child.usage.system_ns);
    return std::clamp(1 - ran / could, 0.0, 1.0);
}

}  // namespace

std::vector<trial_outcome> trial_executor::run_at_once(std::span<const trial_request> requests,
                                                       reports::pairing, std::uint64_t,
                                                       std::chrono::nanoseconds) {
    std::vector<trial_outcome> trials;
    for (const trial_request& each : requests) trials.push_back(run(each));
    return trials;
}

trial_outcome process_executor::run(const trial_request& request) {
    const temporary_folder folder;
    const auto child = child_of(request, folder, stop_fd_);
    const earlier_children earlier;
    const auto before = read_machine();
    auto ended = run_child(child);
    take_output_file(ended, folder);
    auto trial = judged(ended, request, request.limit);
    if (request.error_bytes > 0) trial.errors = std::move(ended.error_tail);
    refuse_another_build(trial, request);
    refuse_orphan(trial, end_orphans(ended.group, folder.path()));
    refuse_orphan(trial, earlier.end_others());
    take_asio_contexts(trial, folder);
    take_histograms(trial, request, folder);
    refuse_impossible(trial, request, ended);
    if (watching_ == watching::off) return trial;
    ended.usage.run_delay_ns = std::max(ended.usage.run_delay_ns,
                                        static_cast<std::int64_t>(trial.claims.thread_wait_ns.value_or(0)));
    if (has_more_threads_than_cpus(request)) ended.usage.run_delay_ns = 0;
    trial.disturbed = disturbance(before, read_machine(), ended.usage, ended.wall, request.cpu);
    return trial;
}

std::vector<trial_outcome> process_executor::run_at_once(std::span<const trial_request> requests,
                                                         pairing made, std::uint64_t seed,
                                                         std::chrono::nanoseconds limit) {
    std::deque<temporary_folder> folders(requests.size());
    std::vector<child_request> children;
    double most_time_s = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        children.push_back(child_of(requests[i], folders[i], stop_fd_, made));
        most_time_s = std::max(most_time_s, requests[i].min_time_s);
    }
    std::vector<outcome_by_slices> ended;
    std::vector<std::optional<std::string>> orphans(requests.size());
    const auto end_orphans_of = [&](std::size_t i, const child_outcome& child) {
        orphans[i] = end_orphans(child.group, folders[i].path());
    };
    const earlier_children earlier;
    const auto started = std::chrono::steady_clock::now();
    if (made == pairing::interleaved) {
        const std::chrono::nanoseconds enough{static_cast<std::int64_t>(most_time_s * 1e9)};
        ended = run_interleaved(children, {.seed = seed,
                                           .enough = enough,
                                           .limit = limit,
                                           .stop_fd = stop_fd_,
                                           .lengths = requests.front().slice,
                                           .ended = end_orphans_of});
    } else {
        for (auto& each : run_together(children, limit, stop_fd_, end_orphans_of)) {
            const bool out_of_time = each.end == child_end::timed_out;
            ended.push_back({std::move(each), out_of_time, {}});
        }
    }
    const auto wall = std::chrono::steady_clock::now() - started;
    std::vector<trial_outcome> trials;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        take_output_file(ended[i].child, folders[i]);
        auto trial = judged(ended[i].child, requests[i], ended[i].out_of_time ? limit : requests[i].limit);
        trial.timed_out = ended[i].out_of_time;
        refuse_another_build(trial, requests[i]);
        refuse_orphan(trial, orphans[i]);
        take_asio_contexts(trial, folders[i]);
        take_histograms(trial, requests[i], folders[i]);
        refuse_impossible(trial, requests[i], ended[i].child);
        trial.wall = wall / static_cast<std::int64_t>(requests.size());
        // A contender that returned a result without using slices had the core to itself, so its trial was
        // sequential.
        const bool took_none = made == pairing::interleaved && ended[i].slices.empty();
        trial.made = took_none && trial.status == result_status::ok ? pairing::sequential : made;
        if (made == pairing::interleaved)
            take_slices(trial, ended[i]);
        else
            trial.waited = share_waited(ended[i].child);
        trials.push_back(std::move(trial));
    }
    if (made == pairing::concurrent)
        for (const auto which = clock_for(trials); auto& trial : trials) take_cpu_time(trial, which);
    mark_disturbed_by_orphans(trials, requests, orphans, earlier.end_others());
    return trials;
}

}  // namespace loopbench::bench
