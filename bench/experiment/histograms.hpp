// Whole histograms, from the side file that a contender writes to histograms.jsonl beside the journal, and
// from there to a report in a format that shows them.
//
// histograms.jsonl has a header line and then a line for each trial that had any: where it belongs, and what
// its side file said (bench/contenders/process/side_file.hpp). It is beside the journal and not in
// it, because it is a hundred times as large, and no verdict needs it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/experiment/runner.hpp"
#include "reports/files/posix_io.hpp"
#include "reports/formats/hgrm.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// histograms.jsonl, as it is written.
class histogram_log {
public:
    enum class beginning { anew, behind_what_is_there };

    /// Throws reports::file_error.
    histogram_log(const std::filesystem::path& folder, beginning how);

    /// Appends the trial's histograms, if it has any. Throws reports::file_error.
    void append(const run_plan& plan, const trial_record& record);

private:
    std::string path_;
    reports::unique_fd file_;
};

/// What histograms.jsonl of a record has that is merged from those in these folders: for
/// reports::new_file::rest. It throws reports::file_error, and format_error for what is no such file.
std::function<std::string_view()> joined_histograms(std::vector<std::filesystem::path> folders);

/// Whether the file's folder has what histograms_beside() needs.
bool has_histograms_beside(const std::filesystem::path& report_file);

/// The histograms of the report's cells in the file beside it, in the report's order: of the trials that
/// count by the journal, which is there, too (counting_attempts). Throws reports::format_error when the file
/// is not one, usage_error when there is none or the journal is of another run than the report. Of the
/// histograms a line at a time is in memory: there may be more than fit.
std::vector<reports::histogram> histograms_beside(const std::filesystem::path& report_file,
                                                  const reports::report& report);

}  // namespace loopbench::bench
