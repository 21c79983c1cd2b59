#include "bench/suite/contenders/contender_main.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/select.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bench/catalog/used_cores.hpp"
#include "bench/suite/contenders/process/histogram_file.hpp"
#include "bench/suite/contenders/process/process_facts.hpp"
#include "bench/suite/contenders/process/settings.hpp"
#include "bench/suite/recording/memory.hpp"
#include "bench/suite/recording/sample_cost.hpp"

namespace loopbench::bench {

namespace {

constexpr int usage_exit_code = 2;

std::optional<contender_settings> read_settings() {
    try {
        return settings_from_environment();
    } catch (const std::invalid_argument& error) {
        fmt::print(stderr, "{}\n", error.what());
        return std::nullopt;
    }
}

rlim_t most_open_files(const std::vector<contender_workload>& workloads) {
    std::size_t most = 0;
    for (const contender_workload& each : workloads) most = std::max(most, each.shape.open_files);
    return most;
}

double nanoseconds(std::chrono::nanoseconds time) {
    return static_cast<double>(time.count());
}

/// Returns sample_cost_ns(), which is measured only once per process. Measuring it in each run of a workload
/// would take too long: a measurement takes a millisecond, and Google Benchmark's calibration runs a workload
/// several times.
double sample_cost_of_this_process_ns() {
    static const double cost_ns = sample_cost_ns();
    return cost_ns;
}

void report_latency(benchmark::State& state, const histogram& latency) {
    if (latency.count() == 0) return;
    state.counters["latency_p50"] = static_cast<double>(latency.percentile_ns(50));
    state.counters["latency_p90"] = static_cast<double>(latency.percentile_ns(90));
    state.counters["latency_p99"] = static_cast<double>(latency.percentile_ns(99));
    state.counters["latency_p999"] = static_cast<double>(latency.percentile_ns(99.9));
    state.counters["latency_max"] = static_cast<double>(latency.max_ns());
    state.counters["sample_cost"] = sample_cost_of_this_process_ns();
}

void report_lateness(benchmark::State& state, const signed_histogram& lateness) {
    if (lateness.count() == 0) return;
    state.counters["late_p50"] = static_cast<double>(lateness.percentile_ns(50));
    state.counters["late_p99"] = static_cast<double>(lateness.percentile_ns(99));
    state.counters["timers"] = static_cast<double>(lateness.count());
    state.counters["late_max"] = static_cast<double>(lateness.max_ns());
    state.counters["early"] = static_cast<double>(lateness.early_count());
}

void report_the_rest(benchmark::State& state, const trial& t) {
    for (const auto& [metric, value] : t.reported()) state.counters[metric] = value;
}

void report_cost(benchmark::State& state, const trial& t) {
    const auto operations = static_cast<double>(t.operations_timed());
    const double wall_s = std::chrono::duration<double>(t.cost().wall).count();
    state.counters["cpu"] = nanoseconds(t.cost().cpu) / operations;
    state.counters["spin"] = nanoseconds(t.cost().cpu) / nanoseconds(t.cost().wall);
    state.counters["operations"] = static_cast<double>(t.operations_done());
    if (t.is_of_another_process()) return;
    state.counters["cpu_user"] = nanoseconds(t.cost().user) / operations;
    state.counters["cpu_system"] = nanoseconds(t.cost().system) / operations;
    state.counters["wakeups"] = static_cast<double>(t.cost().voluntary_switches) / wall_s;
    if (const auto peak = resident_peak_bytes(); peak > 0)
        state.counters["rss_peak"] = static_cast<double>(peak);
}

void report_claims(benchmark::State& state, const trial& t, std::chrono::steady_clock::time_point started) {
    state.counters["timed_operations"] = static_cast<double>(t.operations_timed());
    state.counters["timed_wall"] = nanoseconds(t.cost().wall);
    if (!t.is_of_another_process()) state.counters["timed_cpu"] = nanoseconds(t.cost().cpu);
    if (t.latency().count() > 0) {
        state.counters["latencies"] = static_cast<double>(t.latency().count());
        state.counters["latency_mean"] = t.latency().mean_ns();
    }
    state.counters["clock_age"] = nanoseconds(std::chrono::steady_clock::now() - started);
}

std::optional<std::string> run_trial(const contender_workload& workload, rlim_t open_files_limit, trial& t) {
    if (workload.shape.open_files > open_files_limit)
        return fmt::format(
            "unsupported: the workload needs {} open files, and the limit is {}; raise the limit with "
            "`ulimit -n`",
            workload.shape.open_files, open_files_limit);
    try {
        workload.run(t);
    } catch (const lacking& error) {
        return std::string("unsupported: ") + error.what();
    } catch (const std::exception& error) {
        return error.what();
    }
    if (t.unsupported()) return "unsupported: " + *t.unsupported();
    if (const auto failure = t.failure()) return "proof: " + *failure;
    if (t.cost().wall <= std::chrono::nanoseconds(0))
        return "proof: the clock did not advance during the timed section; let the workload do more "
               "operations";
    return std::nullopt;
}

/// Runs the workload with more and more operations until a run takes a millisecond. The limit is a time and
/// not a number of operations, so that it is the same for fast and slow contenders. The runs bring heap, page
/// tables and caches into their steady state before an interleaved trial. (In other trials, Google
/// Benchmark's calibration does this.) Returns the error of a run that fails.
std::optional<std::string> warm_up(const contender_workload& workload, const contender_settings& settings,
                                   rlim_t open_files_limit) {
    constexpr std::uint64_t most = 100'000'000;
    constexpr std::chrono::duration<double> enough = std::chrono::milliseconds(1);
    for (std::uint64_t operations = 1; operations <= most;) {
        trial t(settings.size, operations);
        if (auto error = run_trial(workload, open_files_limit, t)) return error;
        const std::chrono::duration<double> wall = t.cost().wall;  // above 0, or run_trial() fails
        if (wall >= enough) break;
        const double factor = std::min(10.0, 1.4 * (enough / wall));
        const auto done = static_cast<double>(t.operations_done());
        operations = std::max(operations + 1, static_cast<std::uint64_t>(done * factor));
    }
    return std::nullopt;
}

void run_workload(benchmark::State& state, const contender_workload& workload,
                  const contender_settings& settings, rlim_t open_files_limit, histogram_file& histograms,
                  std::chrono::steady_clock::time_point started) {
    // All iterations form one batch. Otherwise, the runtime would be started and stopped for every operation.
    while (state.KeepRunningBatch(state.max_iterations)) {
        if (settings.slices && !settings.operations && workload.shape.calibrated()) {
            if (const auto error = warm_up(workload, settings, open_files_limit)) {
                state.SkipWithError(error->c_str());
                break;
            }
        }
        const auto iterations = static_cast<std::uint64_t>(state.max_iterations);
        // An interleaved trial has no fixed number of operations; the harness ends it after enough slices.
        // With a fixed number, the workload could end before its first timed part is complete.
        constexpr std::uint64_t unlimited = std::uint64_t{1} << 62;
        const std::uint64_t operations = settings.slices ? std::min(unlimited, workload.shape.most_operations)
                                         : workload.shape.calibrated()
                                             ? iterations
                                             : workload.shape.operations(settings.size);
        trial t(settings.size, settings.operations.value_or(operations), settings.recording,
                settings.slowdown, settings.slices);
        if (const auto error = run_trial(workload, open_files_limit, t)) {
            state.SkipWithError(error->c_str());
            break;
        }
        // Google Benchmark divides the iteration time by its own number of iterations, but the workload might
        // have made more operations. The iteration time is therefore the time of one operation times the
        // number of iterations.
        const double operation_s =
            std::chrono::duration<double>(t.cost().wall).count() / static_cast<double>(t.operations_timed());
        state.SetIterationTime(operation_s * static_cast<double>(iterations));
        report_cost(state, t);
        report_latency(state, t.latency());
        report_lateness(state, t.lateness());
        report_the_rest(state, t);
        report_claims(state, t, started);
        state.SetLabel(label_of(t.cores()));
        histograms.keep(workload.shape.name, t.latency(), t.lateness());
    }
    if (workload.shape.throughput) state.SetItemsProcessed(state.iterations());
}

using context = std::vector<std::pair<std::string, std::string>>;

context context_of(const contender_info& info, const contender_settings& settings) {
    context all{{"contender", info.name},
                {"library", info.library},
                {"library_version", info.library_version},
                {"driver", info.driver},
                {"sanitizers", sanitizers_in_use()},
                {"allocator", allocator_in_use()},
                {"clock", clock_in_use()},
                {"timer_slack_ns", timer_slack_in_use()},
                {"buffers", info.buffers},
                {"slices", "1"},
                {"size", settings.size == workload_size::small ? "small" : "full"}};
    if (settings.slowdown > 0) all.emplace_back("slowdown", fmt::format("{:g} %", 100 * settings.slowdown));
    if (!info.role.empty()) all.emplace_back("role", info.role);
    if (!info.files.empty()) all.emplace_back("files", info.files);
    if (!info.options.empty()) all.emplace_back("options", info.options);
    if (info.build) {
        all.emplace_back("compiler", info.build->compiler);
        all.emplace_back("compiler_flags", info.build->flags);
        all.emplace_back("build_type", info.build->type);
        all.emplace_back("optimised", info.build->optimised ? "yes" : "no");
        all.emplace_back("assertions", info.build->assertions ? "on" : "off");
    }
    return all;
}

bool asked_to_describe() {
    const char* const text = std::getenv("LOOPBENCH_DESCRIBE");
    return text != nullptr && std::string_view(text) == "1";
}

void print_description(context all, const contender_info& info) {
    if (info.socket_options) all.emplace_back("socket_options", info.socket_options());
    nlohmann::ordered_json whole{{"context", nlohmann::ordered_json::object()},
                                 {"benchmarks", nlohmann::ordered_json::array()}};
    for (const auto& [key, value] : all) whole["context"][key] = value;
    fmt::print("{}\n", whole.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

bool kernel_refuses(const std::error_code& error) noexcept {
    return error == std::errc::function_not_supported || error == std::errc::operation_not_permitted ||
           error == std::errc::permission_denied || error == std::errc::not_enough_memory;
}

std::string workload_buffers() {
    return fmt::format("the echo server's buffers have the size of a message, but at least {} bytes",
                       workloads::echo_buffer_bytes_min);
}

std::optional<std::string> why_not(const contender_info& info, const workload_shape& shape) {
    for (const missing_need& each : info.missing)
        if (shape.needed.has(each.what)) return each.reason;
    if (info.driver == "select" && shape.open_files >= FD_SETSIZE)
        return fmt::format("select can watch only descriptors below {}, but this workload opens {} files",
                           FD_SETSIZE, shape.open_files);
    return std::nullopt;
}

rlim_t raise_open_files_limit(rlim_t wanted) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const rlimit more{std::max(limit.rlim_max, wanted), std::max(limit.rlim_max, wanted)};
    if (setrlimit(RLIMIT_NOFILE, &more) == 0) return more.rlim_cur;
    const rlim_t before = std::exchange(limit.rlim_cur, limit.rlim_max);
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

int run_contender(int argc, char** argv, const contender_info& info,
                  const std::vector<contender_workload>& workloads) {
    const auto started = std::chrono::steady_clock::now();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return usage_exit_code;
    const auto settings = read_settings();
    if (!settings) return usage_exit_code;
    const context described = context_of(info, *settings);
    if (asked_to_describe()) {
        print_description(described, info);
        return EXIT_SUCCESS;
    }

    const rlim_t open_files_limit = raise_open_files_limit(most_open_files(workloads));
    histogram_file histograms(info.name);
    for (const contender_workload& each : workloads) {
        auto* const registered = benchmark::RegisterBenchmark(
            std::string(each.shape.name).c_str(), [&, open_files_limit, started](benchmark::State& state) {
                run_workload(state, each, *settings, open_files_limit, histograms, started);
            });
        registered->UseManualTime();
        if (!each.shape.calibrated() || settings->operations || settings->slices) registered->Iterations(1);
    }
    for (const auto& [key, value] : described) benchmark::AddCustomContext(key, value);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    if (settings->histogram_file.empty()) return EXIT_SUCCESS;
    try {
        histograms.write(settings->histogram_file);
    } catch (const std::system_error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

}  // namespace loopbench::bench
