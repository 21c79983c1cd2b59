#include "bench/harness/counting/counted_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/trial/gbench_names.hpp"

namespace loopbench::bench {

namespace {

/// A minimum time with which a program runs only one iteration.
constexpr double shortest_s = 1e-9;

constexpr std::size_t log_bytes_max = std::size_t{1} << 20U;

}  // namespace

void refuse_workload_without_slope(std::string_view workload) {
    if (const auto* const shape = find_shape(workload); shape != nullptr && !shape->countable)
        throw uncountable{
            "{} has no counts per operation, because it runs for a fixed time, and requesting twice as many "
            "operations does not double its work",
            workload};
}

counted_benchmark::counted_benchmark(const contender& who, const std::string& workload,
                                     const time_for_pass& time)
    : who_{who}, workload_{workload}, time_{time} {
    refuse_workload_without_slope(workload);
    if (const auto* const listed = find_benchmark(who, workload); listed != nullptr && listed->alike > 1)
        throw uncountable{
            "several benchmarks have this name, so their counts cannot be separated; give each benchmark its "
            "own name"};
    const auto probe = run({shortest_s}, {}, {});
    const auto& outcome = probe.outcome;
    // Only the suite's contenders know slices, and these contenders also take LOOPBENCH_OPERATIONS.
    takes_operations_ = outcome.operations.has_value() && outcome.context.contains("slices");
    is_calibrated_ = outcome.calibrated;
    operations_of_probe_ = takes_operations_ ? *outcome.operations : probe.work.operations;
    if (!(operations_of_probe_ > 0))
        throw uncountable{
            "the program does not log its iterations, as Google Benchmark does with --v=2, so the counts of "
            "an "
            "operation are unknown"};
    const auto time_ns = outcome.metrics.at("time").value_or(0);
    operation_s_ =
        (is_timed_by_wall_clock() ? time_ns : std::min(time_ns, outcome.cpu_time_ns.value_or(time_ns))) / 1e9;
}

bool counted_benchmark::is_timed_by_wall_clock() const {
    const auto* const listed = find_benchmark(who_, workload_);
    const auto& name = listed != nullptr ? listed->printed : workload_;
    return name.find("/real_time") != std::string::npos || name.find("/manual_time") != std::string::npos;
}

counted_process counted_benchmark::run(const amount_of_work& amount, const command_words& front,
                                       const variable_map& environment) const {
    const std::chrono::nanoseconds longest =
        std::chrono::seconds{60} + std::chrono::nanoseconds{std::llround(100e9 * operation_s_)};
    const std::chrono::nanoseconds left = time_.end - time_for_pass::clock::now();
    if (left <= left.zero()) throw out_of_time{"the time was over"};
    command_words flags{"--v=2"};
    if (amount.repetitions > 1)
        flags.push_back(fmt::format("--benchmark_repetitions={}", amount.repetitions));
    process_executor executor{time_.stop_fd, watching::off};
    counted_process found;
    found.outcome = executor.run({.who = who_,
                                  .workload = workload_,
                                  .min_time_s = amount.min_time_s > 0 ? amount.min_time_s : shortest_s,
                                  .size = workload_size::small,
                                  .limit = std::min(left, longest),
                                  .operations = amount.operations,
                                  .with_histogram_file = false,
                                  .front = front,
                                  .environment = environment,
                                  .flags = flags,
                                  .error_bytes = log_bytes_max});
    const auto& outcome = found.outcome;
    if (outcome.stopped || (outcome.timed_out && time_.is_over())) throw out_of_time{"the time was over"};
    if (outcome.status == reports::result_status::unsupported)
        throw uncountable{"unsupported: {}", outcome.reason};
    if (outcome.status == reports::result_status::failed) throw uncountable{outcome.reason};
    const auto* const listed = find_benchmark(who_, workload_);
    found.work = takes_operations_ ? work_of_process{outcome.operations.value_or(0), 1}
                                   : work_in_log(outcome.errors,
                                                 threads_of(listed != nullptr ? listed->printed : workload_));
    return found;
}

double counted_benchmark::operations_in(std::chrono::duration<double> time) const {
    constexpr double shortest_operation_s = 1e-10;
    return std::ceil(time.count() / std::max(operation_s_, shortest_operation_s));
}

std::vector<amount_of_work> counted_benchmark::amounts() const {
    if (takes_operations_) {
        constexpr double fewest = 100, most = 20'000;  // at least two batches, also of workloads with batches
        const double some = is_calibrated_
                                ? std::clamp(operations_in(std::chrono::milliseconds{100}), fewest, most)
                                : operations_of_probe_;
        const auto operations = static_cast<std::uint64_t>(some);
        return {{.operations = operations}, {.operations = 2 * operations}};
    }
    constexpr double least_s = 0.03, long_s = 0.02, very_long_s = 1;
    if (operation_s_ >= very_long_s) return {{shortest_s}};
    // The program runs a batch of one iteration, and then a batch with 1.4 times the minimum time.
    if (operation_s_ >= long_s) return {{1.5 * operation_s_}, {3 * operation_s_}};
    const double usual_s = std::max(least_s, 2.5 * operation_s_);
    // Twice the time usually means as many batches. The batches then cancel out exactly.
    return {{shortest_s}, {usual_s}, {2 * usual_s}};
}

amount_of_work counted_benchmark::amount_for(std::chrono::duration<double> time) const {
    if (!takes_operations_ && is_calibrated_) return {.min_time_s = std::max(time.count(), operation_s_)};
    if (!takes_operations_) {
        constexpr double most = 1000;
        const double repetitions = operations_in(time) / operations_of_probe_;
        return {.repetitions = static_cast<int>(std::clamp(repetitions, 1.0, most))};
    }
    return {.operations = static_cast<std::uint64_t>(std::max(operations_in(time), operations_of_probe_))};
}

}  // namespace loopbench::bench
