// The file steps.jsonl of a bisection. The first line is the request. Each build and each verdict adds a
// line, so that an interrupted or killed bisection can be continued.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/bisection/commit_search.hpp"
#include "bench/harness/bisection/repository.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

struct bisect_request {
    std::string folder;  // the folder of the repository in which git runs
    commit_info good;
    std::vector<commit_info> commits;    // the commits after `good`, oldest first; the last one is BAD
    std::string build;                   // the shell command that builds a commit; empty if nothing is built
    std::string program;                 // path in the tree: an executable, or a folder with layouts
    std::string arguments;               // of the program, as the user wrote them
    std::string run;                     // or a shell command, which is measured in the tree
    std::vector<std::string> workloads;  // patterns; empty: all benchmarks
    std::string metric = "time";
    double threshold_pct = 1;
    std::uint64_t blocks = 20;
    double min_time_s = 0.1, trial_limit_s = 60;
    std::optional<reports::pairing> pairing;  // the one that the user chose
    std::uint64_t seed = 0;

    [[nodiscard]] const commit_info& bad() const { return commits.back(); }
};

/// The largest probability that a bisection names a wrong commit because of chance.
inline constexpr double error_of_bisection = 0.05;

struct build_line {
    std::string build;  // the commit's hash
    double seconds = 0;
    std::optional<std::string> failure = {};
    std::optional<bool> reused = {};  // true if an earlier bisection built it
};

struct step_line {
    std::string step;  // the commit's hash
    commit_verdict verdict = commit_verdict::undecided;
    std::optional<std::string> reason = {};  // of a skipped commit
    std::uint64_t blocks = 0;
    std::optional<double> ratio = {};  // median ratio to GOOD, above 1 if better
    double error = 0;                  // the error rate of this comparison
    double seconds = 0;                // of the measurement
};

struct steps_record {
    bisect_request request;
    std::vector<build_line> builds;
    std::vector<step_line> steps;
};

nlohmann::ordered_json to_json(const step_line& step);
nlohmann::ordered_json to_json(const build_line& build);

/// Parses the file. Ignores an incomplete last line, which a killed bisection can leave. Throws
/// reports::format_error, with `name` in its message, if the text is invalid.
steps_record read_steps(std::string_view text, std::string_view name);

/// The file of a running bisection, which locks its folder. The constructors and add() throw
/// reports::file_error.
class steps_file {
public:
    /// Begins a new file in the folder, which must exist. Removes the files of an earlier bisection, except
    /// for its trees and builds. Throws usage_error if the folder contains anything else.
    steps_file(const std::filesystem::path& folder, const bisect_request& begun);
    /// Continues the file in the folder. Throws usage_error if the folder lacks the file.
    steps_file(const std::filesystem::path& folder, steps_record& found);

    void add(const build_line& line);
    void add(const step_line& line);

private:
    void write(const nlohmann::ordered_json& line);

    std::string path_;
    reports::unique_fd lock_;
    reports::unique_fd file_;
};

}  // namespace loopbench::bench
