// The writer of journal.jsonl. A trial in the journal is kept even if the run is killed later. record.hpp
// defines the lines; each line is written with one write() as soon as its content is known.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "bench/harness/experiment/record.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

/// Throws reports::file_error if another process is writing a journal in the folder. Must be called before
/// contenders are started, because they would disturb the other run.
void refuse_folder_in_use(const std::filesystem::path& folder);

class journal {
public:
    /// Creates a new journal. The new journal replaces an old one as soon as its header is written. Throws
    /// reports::file_error if writing fails or if another run is writing in the same folder. Throws
    /// usage_error if the plan is too large for a line.
    journal(const std::filesystem::path& path, const session_record& begun);

    /// Opens an old journal, but does not change it before keep(). Throws reports::file_error if opening
    /// fails or if another run is writing in the same folder.
    explicit journal(const std::filesystem::path& path);

    /// Cuts an old journal after its first `bytes` bytes, which must be its complete lines. Throws
    /// reports::file_error if that fails.
    void keep(std::uint64_t bytes);

    /// Appends how the run ended. If a journal lacks this line, its run was killed. Throws
    /// reports::file_error if writing fails.
    void end(const run_outcome& outcome) { write_line(end_line(outcome)); }

    /// Appends the results of the passes after the trials. Throws reports::file_error if writing fails.
    void append(std::span<const counted_result> cells) { write_line(counted_line(cells)); }

    /// Appends the trial. If writing fails, throws reports::file_error; the journal then ends with the
    /// previous trial.
    void append(const run_plan& plan, const trial_record& record) { write_line(trial_line(plan, record)); }

private:
    void write_line(const nlohmann::ordered_json& value);

    std::string path_;
    reports::unique_fd lock_;  // locks the folder
    reports::unique_fd file_;
};

}  // namespace loopbench::bench
