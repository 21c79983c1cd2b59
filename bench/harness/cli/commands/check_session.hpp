#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/cli/session/session.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/experiment/counted.hpp"
#include "bench/harness/gate/check.hpp"
#include "bench/harness/trial/contender_list.hpp"
#include "bench/harness/trial/process/interrupt.hpp"

namespace loopbench::bench {

struct check_options {
    std::string against, format = "text";
    std::optional<std::string> baseline;  // with --update: the contender that new ratios are relative to
    std::vector<std::string> reports, contenders, workloads;
    bool update = false, quick = false;
    std::optional<tier> only;
    std::optional<double> slack_per_op, slack_pct;
    double tolerated_pct = 5;
    session_options session;

    [[nodiscard]] bool wants(tier which) const { return !only || *only == which; }
    [[nodiscard]] time_rule rule() const {
        return {session.threshold_pct.value_or(run_plan{}.threshold_pct), tolerated_pct};
    }
};

/// Implements `check --update`. If the returned exit code is not 0, the baseline file is unchanged.
int update_baseline(const check_options& options, const invocation& by);

class check_session {
public:
    /// Starts each contender in `names` to list its workloads. Throws usage_error if a contender does not
    /// exist; the message begins with `named_by`, the source of the names (for example the path of a baseline
    /// file). All functions of this class that start processes throw `interrupted` after a signal.
    check_session(const check_options& options, const std::vector<std::string>& names,
                  const std::string& named_by, const invocation& by);

    [[nodiscard]] bool has(const cell_name& cell) const;
    [[nodiscard]] const std::vector<contender>& contenders() const { return contenders_; }

    /// Measures the counts of these workloads and contenders. Writes counts.json into the output folder if
    /// `number` is 0 (the first count), otherwise into its subfolder `again`. If a contender lacks a
    /// workload, the result contains only the reason.
    std::vector<counted_result> count(std::span<const cell_name> cells, std::uint64_t number);

    /// Runs a session, and writes the journal and report.json into the subfolder `first` or `second`.
    /// `number` is 0 for the first session, and 1 for the second, which confirms the first in another random
    /// order. `times` only determines the pairing of each workload, and only if the options do not choose a
    /// pairing.
    reports::report measure(const expected_times& times, std::span<const cell_name> cells,
                            std::uint64_t number);

private:
    const check_options& options_;
    const invocation& by_;
    interrupt stop_;
    std::vector<contender> contenders_;
    run_plan plan_;
    std::chrono::nanoseconds listing_took_{0};  // counts toward the budget of the first session

    [[nodiscard]] const contender& find(const std::string& name) const;
    [[nodiscard]] run_plan plan_for(const expected_times& times, std::span<const cell_name> cells,
                                    session_start started) const;
};

}  // namespace loopbench::bench
