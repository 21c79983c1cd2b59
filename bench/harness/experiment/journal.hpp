// The writer of journal.jsonl. Even if a run is killed, the journal contains all its finished trials, because
// each line is written with one write() as soon as its content is known. record.hpp defines the lines.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "bench/harness/experiment/record.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

/// Throws reports::file_error if another process is writing a journal in the folder. Must be called before
/// any contender is started, because contenders would disturb the other run.
void refuse_folder_in_use(const std::filesystem::path& folder);

class journal {
public:
    /// Creates a new journal, which replaces an existing journal as soon as its header is written. Throws
    /// reports::file_error if writing fails or if another run is writing in the same folder. Throws
    /// usage_error if the plan is too large for one line.
    journal(const std::filesystem::path& path, const session_record& begun);

    /// Opens an existing journal without changing it. Throws reports::file_error if opening fails or if
    /// another run is writing in the same folder.
    explicit journal(const std::filesystem::path& path);

    /// Cuts an existing journal to `bytes` bytes. `bytes` must be the size of the journal without an
    /// incomplete last line. Throws reports::file_error if the file cannot be cut.
    void keep(std::uint64_t bytes);

    /// Appends the end line, which states how the run ended. A journal without an end line comes from a run
    /// that was killed. Throws reports::file_error if writing fails.
    void end(const run_outcome& outcome) { write_line(end_line(outcome)); }

    /// Appends the results of the passes, which run after the trials. Throws reports::file_error if writing
    /// fails.
    void append(std::span<const counted_result> cells) { write_line(counted_line(cells)); }

    /// Appends the trial. If writing fails, throws reports::file_error and leaves the journal without this
    /// trial.
    void append(const run_plan& plan, const trial_record& record) { write_line(trial_line(plan, record)); }

private:
    void write_line(const nlohmann::ordered_json& value);

    std::string path_;
    reports::unique_fd lock_;  // locks the folder
    reports::unique_fd file_;
};

}  // namespace loopbench::bench
