#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "bench/harness/counting/amounts.hpp"
#include "bench/harness/counting/slope.hpp"
#include "bench/harness/counting/tools.hpp"
#include "bench/harness/trial/run_trial.hpp"

namespace loopbench::bench {

/// Throws uncountable if the workload runs for a fixed time. A request for twice as many operations does not
/// double the work of such a workload, so no count per operation can be computed.
void refuse_workload_without_slope(std::string_view workload);

/// The error after the end of the time for counting.
class out_of_time : public uncountable {
public:
    using uncountable::uncountable;
};

/// The time that is left for a pass. Must be used only in the main thread, because `stop_fd` ends children.
struct time_for_pass {
    using clock = std::chrono::steady_clock;

    clock::time_point end;
    int stop_fd = -1;

    [[nodiscard]] bool is_over() const { return clock::now() >= end; }
    /// Returns true after an interrupt.
    [[nodiscard]] bool is_stopped() const;
};

/// A process that ran a benchmark.
struct counted_process {
    work_of_process work;
    trial_outcome outcome;
};

/// One benchmark of one build: any benchmark of a Google Benchmark program, whose iterations are the
/// operations, or a workload of one of the suite's contenders.
class counted_benchmark {
public:
    /// Runs the benchmark for as short a time as possible. Throws uncountable if the program does not say how
    /// many operations it did, if it fails, or if the counts of the workload vary (counts_vary()).
    counted_benchmark(const contender& who, const std::string& workload, const time_for_pass& time);

    /// Runs a process. `front` is the command of a tool, and `environment` has additional variables. Throws
    /// uncountable if the process fails, and out_of_time if no time is left.
    counted_process run(const amount_of_work& amount, const command_words& front,
                        const variable_map& environment) const;

    [[nodiscard]] const benchmark_speed& speed() const { return speed_; }
    [[nodiscard]] const time_for_pass& time() const { return time_; }
    /// The threads that run the benchmark's function.
    [[nodiscard]] int threads() const;

private:
    const contender& who_;
    const std::string& workload_;
    const time_for_pass& time_;
    benchmark_speed speed_;

    /// Returns the name as the program prints it.
    [[nodiscard]] const std::string& printed_name() const;
    [[nodiscard]] bool is_timed_by_wall_clock() const;
    [[nodiscard]] trial_outcome outcome_of(const amount_of_work& amount, const command_words& front,
                                           const variable_map& environment) const;
    /// Throws uncountable if the program does not say how many operations it did.
    [[nodiscard]] work_of_process work_in(const trial_outcome& outcome, const amount_of_work& amount) const;
};

}  // namespace loopbench::bench
