// What `check` measures: counts of cells, and paired times of contenders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/cli/session/session.hpp"
#include "bench/cli/session/session_options.hpp"
#include "bench/experiment/counted.hpp"
#include "bench/gate/check.hpp"
#include "bench/trial/contender_list.hpp"
#include "bench/trial/process/interrupt.hpp"

namespace loopbench::bench {

struct check_options {
    std::string against, to = "asio-epoll", format = "text";
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

/// `check --update`: measures, or takes the reports, writes the baseline and shows the difference. Gives the
/// exit code; the file is as it was unless that is 0.
int update_baseline(const check_options& options, const invocation& by);

class check_session {
public:
    /// Finds the contenders and asks them for their workloads. Throws usage_error for one that is not there,
    /// where `named_by` is who wants it ("the baseline"), and interrupted, as everything here does.
    check_session(const check_options& options, const std::vector<std::string>& names,
                  const std::string& named_by, const invocation& by);

    [[nodiscard]] bool has(const cell_name& cell) const;
    [[nodiscard]] const std::vector<contender>& contenders() const { return contenders_; }

    /// Counts each cell once. Those that the contender does not have are not counted, and say so. counts.json
    /// is in the output folder, of a second count in its folder `again`.
    std::vector<counted_cell> count(std::span<const cell_name> cells, std::uint64_t number);

    /// One session of trials of these cells beside the contender `times.to`, with an A/A. `number` is 0 for
    /// the first and 1 for the confirming one, which has an order of its own. Journal and report.json are in
    /// a folder of that number in the output folder. Workloads with ratios in `times` are measured in the way
    /// that these were, unless the options say another one; nothing else of the ratios is looked at.
    reports::report measure(const expected_times& times, std::span<const cell_name> cells,
                            std::uint64_t number);

private:
    const check_options& options_;
    const invocation& by_;
    interrupt stop_;
    std::vector<contender> contenders_;
    run_plan plan_;  // without contenders

    [[nodiscard]] const contender& find(const std::string& name) const;
    [[nodiscard]] run_plan plan_for(const expected_times& times, std::span<const cell_name> cells) const;
};

}  // namespace loopbench::bench
