#include "bench/harness/counting/counted_benchmark.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/trial/gbench_names.hpp"

namespace loopbench::bench {

namespace {

constexpr std::size_t log_bytes_max = std::size_t{1} << 20U;

}  // namespace

bool time_for_pass::is_stopped() const {
    pollfd stop{.fd = stop_fd, .events = POLLIN, .revents = 0};
    return stop_fd >= 0 && ::poll(&stop, 1, 0) > 0;
}

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
    if (counts_vary(workload))
        throw uncountable{
            "{} has several threads, so its counts vary too much to be compared; `loopbench run --counts` "
            "reports them",
            workload};
    if (const auto* const listed = find_benchmark(who, workload); listed != nullptr && listed->alike > 1)
        throw uncountable{
            "several benchmarks have this name, so their counts cannot be separated; give each benchmark its "
            "own name"};
    const auto probe = outcome_of({}, {}, {});
    speed_.runs_command = who.environment.contains("LOOPBENCH_COMMAND");
    // Only the suite's contenders know slices, and these contenders also take LOOPBENCH_OPERATIONS.
    speed_.takes_operations = probe.operations.has_value() && probe.context.contains("slices");
    speed_.is_calibrated = probe.calibrated;
    speed_.operations_of_probe = work_in(probe, {}).operations;
    const auto time_ns = probe.metrics.at("time").value_or(0);
    speed_.operation_s =
        (is_timed_by_wall_clock() ? time_ns : std::min(time_ns, probe.cpu_time_ns.value_or(time_ns))) / 1e9;
}

const std::string& counted_benchmark::printed_name() const {
    const auto* const listed = find_benchmark(who_, workload_);
    return listed != nullptr ? listed->printed : workload_;
}

int counted_benchmark::threads() const {
    return threads_of(printed_name());
}

bool counted_benchmark::is_timed_by_wall_clock() const {
    const auto& name = printed_name();
    return name.find("/real_time") != std::string::npos || name.find("/manual_time") != std::string::npos;
}

trial_outcome counted_benchmark::outcome_of(const amount_of_work& amount, const command_words& front,
                                            const variable_map& environment) const {
    const std::chrono::nanoseconds longest =
        std::chrono::seconds{60} + std::chrono::nanoseconds{std::llround(100e9 * speed_.operation_s)};
    const std::chrono::nanoseconds left = time_.end - time_for_pass::clock::now();
    if (left <= left.zero() || time_.is_stopped()) throw out_of_time{"the time was over"};
    command_words flags{"--v=2"};
    if (amount.repetitions > 1)
        flags.push_back(fmt::format("--benchmark_repetitions={}", amount.repetitions));
    process_executor executor{time_.stop_fd, watching::off};
    auto outcome = executor.run({.who = who_,
                                 .workload = workload_,
                                 .min_time_s = amount.min_time_s,
                                 .size = workload_size::small,
                                 .limit = std::min(left, longest),
                                 .operations = amount.operations,
                                 .with_histogram_file = false,
                                 .front = front,
                                 .environment = environment,
                                 .flags = flags,
                                 .error_bytes = log_bytes_max});
    if (outcome.stopped || (outcome.timed_out && time_.is_over())) throw out_of_time{"the time was over"};
    if (outcome.status == reports::result_status::unsupported)
        throw uncountable{"unsupported: {}", outcome.reason};
    if (outcome.status == reports::result_status::failed) throw uncountable{outcome.reason};
    return outcome;
}

work_of_process counted_benchmark::work_in(const trial_outcome& outcome, const amount_of_work& amount) const {
    // The standard error of a command belongs to the command, and can have any size.
    if (speed_.runs_command) return {static_cast<double>(amount.operations.value_or(1)), 1};
    if (speed_.takes_operations) return {outcome.operations.value_or(0), 1};
    if (outcome.errors.size() >= log_bytes_max)
        throw uncountable{
            "the program writes more than {} KiB to its standard error, so the log of its iterations is "
            "incomplete; let it write less",
            log_bytes_max >> 10U};
    const auto work = work_in_log(outcome.errors, threads());
    if (!(work.operations > 0))
        throw uncountable{
            "the program does not log its iterations, as Google Benchmark does with --v=2, so the counts of "
            "an operation are unknown; let it pass its arguments to benchmark::Initialize()"};
    return work;
}

counted_process counted_benchmark::run(const amount_of_work& amount, const command_words& front,
                                       const variable_map& environment) const {
    auto outcome = outcome_of(amount, front, environment);
    const auto work = work_in(outcome, amount);
    return {work, std::move(outcome)};
}

}  // namespace loopbench::bench
