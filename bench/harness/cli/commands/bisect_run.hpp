// The steps of a bisection, from the first comparison to the result.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bench/harness/bisection/builds.hpp"
#include "bench/harness/bisection/commit_search.hpp"
#include "bench/harness/bisection/repository.hpp"
#include "bench/harness/bisection/steps_file.hpp"
#include "bench/harness/cli/commands/bisect_result.hpp"
#include "bench/harness/cli/session/bisect_trials.hpp"

namespace loopbench::bench {

struct bisect_place {
    std::filesystem::path folder;
    bool resumes;
    bool as_json;
    const invocation& by;
    const interrupt& stop;
};

class bisect_run {
public:
    /// `steps` contains the steps of an interrupted bisection, and gets the new ones; `file` gets them, too.
    bisect_run(steps_record& steps, steps_file& file, const bisect_place& place);

    /// Runs the bisection, prints the result and writes bisect.json. Returns the exit code. Throws
    /// usage_error if the programs cannot be compared, std::runtime_error if GOOD or BAD does not build, and
    /// `interrupted` after a signal.
    int run();

private:
    const contender& program_of(const commit_info& commit);
    const contender& require_program(const commit_info& commit, std::string_view role);
    bool is_slower(const compared_commits& first);
    bool is_without_verdict(const compared_commits& of);
    void explain_no_slowdown(const compared_commits& first);
    void conclude_search();
    void search(const compared_commits& first);
    step_line measure_step(const compared_commits& first, std::size_t number);
    void compare_with_predecessor();
    void judge_confirmation(const compared_commits& last);
    void set(bisect_outcome outcome, std::string reason);
    [[nodiscard]] std::string progress_text() const;
    int conclude();

    steps_record& steps_;
    steps_file& file_;
    bisect_place place_;
    repository repository_;
    build_cache builds_;
    bisect_trials trials_;
    commit_search search_;
    std::map<std::string, contender> programs_;  // by the commit's hash
    bisect_result result_;
};

}  // namespace loopbench::bench
