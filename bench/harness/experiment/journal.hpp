// The journal contains all finished trials even if the run is killed, because each line is written with one
// write() as soon as its content is known.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "bench/harness/experiment/record.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

/// Locks the folder of the file. Does not lock the file, because a new run would replace it with a new file,
/// which would not be locked. If the file system does not support locks, locks nothing. Throws
/// reports::file_error if another process has locked the folder.
reports::unique_fd locked_folder_of(const std::filesystem::path& file);

/// Throws reports::file_error if another process is writing a journal in the folder. Must be called before
/// any contender starts, because contenders would disturb the other run.
void refuse_folder_in_use(const std::filesystem::path& folder);

class journal {
public:
    /// Begins a new journal. Replaces an existing journal as soon as the header is written. Throws
    /// reports::file_error if writing fails or if another run is writing in the same folder, and usage_error
    /// if the plan is too large for one line.
    journal(const std::filesystem::path& path, const session_record& begun);

    /// Opens an existing journal. Throws reports::file_error if opening fails or if another run is writing in
    /// the same folder.
    explicit journal(const std::filesystem::path& path);

    /// Cuts the journal to `bytes`, its size without an incomplete last line. Throws reports::file_error if
    /// this fails.
    void keep(std::uint64_t bytes);

    /// Writes the end line. A journal without an end line comes from a killed run. Throws reports::file_error
    /// if writing fails.
    void end(const run_outcome& outcome) { write_line(end_line(outcome)); }

    /// Writes the results of the passes. If the line would be too long, leaves out the stacks of the
    /// profiles, then the profiles, then the causes. Throws reports::file_error if writing fails.
    void append(std::span<const counted_result> cells, found_causes causes = {});

    /// Writes a trial. If writing fails, throws reports::file_error and leaves the journal without this
    /// trial.
    void append(const run_plan& plan, const trial_record& record) { write_line(trial_line(plan, record)); }

private:
    void write_line(const nlohmann::ordered_json& value) { write_text(reports::dump(value)); }
    void write_text(std::string line);

    std::string path_;
    reports::unique_fd lock_;
    reports::unique_fd file_;
};

}  // namespace loopbench::bench
