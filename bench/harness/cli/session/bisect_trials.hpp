// The measurements of a bisection: comparisons of two commits, and of a commit with GOOD and BAD.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/bisection/steps_file.hpp"
#include "bench/harness/cli/session/session.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// A session of two commits, and its report. Its contenders are the older commit, the newer one, and the A/A
/// copy of the older one.
struct compared_commits {
    std::string folder;  // in the output folder
    run_plan plan;
    reports::report report;
};

class bisect_trials {
public:
    /// With `resumes`, sessions of an earlier bisection in the folder continue.
    bisect_trials(const bisect_request& request, std::filesystem::path folder, bool resumes,
                  const invocation& by, const interrupt& stop)
        : request_{request}, folder_{std::move(folder)}, resumes_{resumes}, by_{by}, stop_{stop} {}

    /// Returns the program of the commit that was built in `tree`. If it cannot be measured, its `problem` is
    /// the reason.
    [[nodiscard]] contender program_in(const std::filesystem::path& tree, const commit_info& commit) const;

    /// Compares two programs as `compare` does, in the folder `name` of the output folder. An unreliable
    /// session is measured once more. `workloads` are patterns. Throws usage_error if the programs have no
    /// benchmark in common, and `interrupted` after a signal.
    [[nodiscard]] compared_commits compare(const std::string& name, const contender& older,
                                           const contender& newer,
                                           const std::vector<std::string>& workloads) const;

    /// Compares only the benchmark with this full name, which both programs have. Otherwise like compare().
    [[nodiscard]] compared_commits compare_one(const std::string& name, const contender& older,
                                               const contender& newer, const std::string& workload) const;

    /// Renames the journal of a session in which a program failed, so that a continued bisection repeats the
    /// session. `name` is the session's folder in the output folder.
    void set_aside(const std::string& name) const;

    /// Writes the report of a comparison into its folder. Returns the path of the page.
    [[nodiscard]] std::filesystem::path write_report(const compared_commits& of) const;

    /// Measures a commit together with GOOD and BAD until it is known to be nearer to one of them, or until
    /// the maximum number of blocks. `first` is the session of GOOD and BAD. `progress` is the text for the
    /// progress. Returns the line for the file of steps. Throws `interrupted` after a signal, and
    /// std::runtime_error if the program of GOOD or BAD failed.
    [[nodiscard]] step_line judge(const commit_info& commit, const contender& program,
                                  const compared_commits& first, const std::string& workload, double error,
                                  const std::string& progress) const;

private:
    [[nodiscard]] run_plan usual_plan() const;
    struct pair_to_compare {
        const contender &older, &newer;
        std::vector<std::string> workloads;
        std::vector<unmatched_benchmark> unmatched;
        std::uint64_t seed;
    };
    [[nodiscard]] run_plan plan_of(const pair_to_compare& two, session_start started) const;
    [[nodiscard]] session_record session(const std::string& name, const std::function<run_plan()>& plan,
                                         session_place place) const;
    void require_both_ends(const std::string& name, const session_record& record) const;
    [[nodiscard]] compared_commits compare_once(const std::string& name, const pair_to_compare& two) const;
    [[nodiscard]] compared_commits compare_reliably(const std::string& name, pair_to_compare two) const;
    [[nodiscard]] run_plan plan_of_step(const commit_info& commit, const contender& program,
                                        const compared_commits& first, const std::string& workload) const;

    const bisect_request& request_;
    std::filesystem::path folder_;
    bool resumes_;
    const invocation& by_;
    const interrupt& stop_;
};

/// Returns the most blocks of a step.
std::uint64_t most_blocks_of_step(const bisect_request& request);

}  // namespace loopbench::bench
