// journal.jsonl: what has been measured is safe from then on, whatever happens to the run. Its lines are
// those of record.hpp, each written with one write() as soon as it is known.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "bench/experiment/record.hpp"
#include "reports/files/posix_io.hpp"

namespace loopbench::bench {

/// Throws reports::file_error when a journal in the folder is being written: before contenders are started
/// for a run that could not begin, and that would disturb the one that writes.
void refuse_folder_in_use(const std::filesystem::path& folder);

class journal {
public:
    /// Begins a new journal; an old one of that name is replaced as soon as the new one's header is written.
    /// Throws reports::file_error, also when another run's journal in the same folder is being written, and
    /// usage_error when the plan is too large for a line.
    journal(const std::filesystem::path& path, const session_record& begun);

    /// Opens an old journal, and changes nothing until keep(). Throws reports::file_error, also when it is
    /// being written.
    explicit journal(const std::filesystem::path& path);

    /// Goes on behind the first `bytes` bytes, the whole lines of an old journal. Throws reports::file_error.
    void keep(std::uint64_t bytes);

    /// Says how the run ended; a journal without this line was killed. Throws reports::file_error.
    void end(const run_outcome& outcome) { write_line(end_line(outcome)); }

    /// Appends what the counting pass found. Throws reports::file_error.
    void append(std::span<const counted_cell> cells) { write_line(counted_line(cells)); }

    /// Appends the trial. Throws reports::file_error; then the journal ends with the trial before.
    void append(const run_plan& plan, const trial_record& record) { write_line(trial_line(plan, record)); }

private:
    void write_line(const nlohmann::ordered_json& value);

    std::string path_;
    reports::unique_fd lock_;  // of the folder
    reports::unique_fd file_;
};

}  // namespace loopbench::bench
