// journal.jsonl: a trial in it is safe, whatever happens to the run. Its lines are those of record.hpp; each
// is written with one write() as soon as it is known.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "bench/harness/experiment/record.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

/// Throws reports::file_error if a journal in the folder is being written. Called before contenders are
/// started, because they would disturb the other run.
void refuse_folder_in_use(const std::filesystem::path& folder);

class journal {
public:
    /// Begins a new journal, which replaces an old one as soon as the new header is written. Throws
    /// reports::file_error, also if another run's journal in the same folder is being written, and
    /// usage_error if the plan is too large for a line.
    journal(const std::filesystem::path& path, const session_record& begun);

    /// Opens an old journal, and changes nothing until keep(). Throws reports::file_error, also if the
    /// journal is being written.
    explicit journal(const std::filesystem::path& path);

    /// Continues after the first `bytes` bytes, the complete lines of an old journal. Throws
    /// reports::file_error.
    void keep(std::uint64_t bytes);

    /// Writes how the run ended; a journal without this line was killed. Throws reports::file_error.
    void end(const run_outcome& outcome) { write_line(end_line(outcome)); }

    /// Appends the results of the counting pass. Throws reports::file_error.
    void append(std::span<const counted_result> cells) { write_line(counted_line(cells)); }

    /// Appends the trial. Throws reports::file_error; the journal then ends with the previous trial.
    void append(const run_plan& plan, const trial_record& record) { write_line(trial_line(plan, record)); }

private:
    void write_line(const nlohmann::ordered_json& value);

    std::string path_;
    reports::unique_fd lock_;  // of the folder
    reports::unique_fd file_;
};

}  // namespace loopbench::bench
