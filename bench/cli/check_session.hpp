// What `check` measures: counts of cells, and paired times of contenders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/cli/session.hpp"
#include "bench/experiment/counted.hpp"
#include "bench/gate/baseline.hpp"
#include "bench/trial/contender_list.hpp"
#include "bench/trial/interrupt.hpp"

namespace loopbench::bench {

enum class tier { counts, times };

struct check_options {
    std::string against, to = "asio-epoll", output = "loopbench-check", format = "text";
    std::vector<std::string> reports, contenders, workloads, contender_dirs;
    bool update = false, quick = false;
    std::optional<tier> only;
    std::uint64_t blocks = 20;
    std::optional<std::uint64_t> seed;
    std::optional<double> budget_s, slack_per_op, slack_pct;
    double min_time_s = 0.1, trial_limit_s = 60, threshold_pct = 1, tolerated_pct = 5;

    [[nodiscard]] bool wants(tier which) const { return !only || *only == which; }
};

struct cell_name {
    std::string workload, contender;
    bool operator==(const cell_name&) const = default;
};

/// `check --update`: measures, or takes the reports, writes the baseline and shows the difference. Gives the
/// exit code; the file is as it was unless that is 0.
int update_baseline(const check_options& options, const std::vector<std::string>& command);

class check_session {
public:
    /// Finds the contenders and asks them for their workloads. Throws usage_error for one that is not there;
    /// `named_by` is who wants them ("the baseline").
    check_session(const check_options& options, const std::vector<std::string>& names,
                  const std::string& named_by, const std::vector<std::string>& command);

    [[nodiscard]] bool has(const cell_name& cell) const;
    [[nodiscard]] bool stopped() const { return stop_.requested(); }
    [[nodiscard]] const std::vector<contender>& contenders() const { return contenders_; }

    /// Counts each cell once. Those that the contender does not have are not counted, and say so. counts.json
    /// is in the output folder, of a second count in its folder `again`.
    std::vector<counted_cell> count(std::span<const cell_name> cells, std::uint64_t number);

    /// One session of trials of these cells beside the contender `times.to`, with an A/A. `number` is 0 for
    /// the first and 1 for the confirming one, which has an order of its own. Journal and report.json are in
    /// a folder of that number in the output folder. Ratios in `times` are not looked at.
    reports::report measure(const expected_times& times, std::span<const cell_name> cells,
                            std::uint64_t number);

private:
    const check_options& options_;
    const std::vector<std::string>& command_;
    interrupt stop_;
    std::vector<contender> contenders_;
    std::uint64_t seed_;

    [[nodiscard]] const contender& find(const std::string& name) const;
    [[nodiscard]] run_plan plan_for(const expected_times& times, std::span<const cell_name> cells) const;
};

}  // namespace loopbench::bench
