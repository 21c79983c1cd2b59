// Copies histograms from the histogram files of trials to histograms.jsonl, which is in the folder of the
// journal. Reads histograms.jsonl for report formats that show histograms.
//
// histograms.jsonl has a header line, and then one line for each trial with histograms. The line of a trial
// identifies the trial and contains its histograms (bench/suite/contenders/process/histogram_file.hpp). The
// histograms are not part of the journal, because they are a hundred times as large as the rest of the
// journal, and no verdict needs them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/experiment/record.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/results.hpp"
#include "reports/render/formats/hgrm.hpp"

namespace loopbench::bench {

/// The writer of histograms.jsonl.
class histogram_log {
public:
    enum class beginning { anew, behind_what_is_there };

    /// Creates histograms.jsonl in the folder, or opens the existing file to append to it. Throws
    /// reports::file_error if the file cannot be created or opened, and reports::other_format if the existing
    /// file has another format.
    histogram_log(const std::filesystem::path& folder, beginning how);

    /// Appends the trial's histograms. Does nothing for a trial without histograms. Throws
    /// reports::file_error if writing fails.
    void append(const run_plan& plan, const trial_record& record);

private:
    std::string path_;
    reports::unique_fd file_;
};

/// Returns a function for reports::new_file::rest. Each call of this function returns the next piece of a
/// text: the histograms.jsonl files of these folders, joined into one. The returned function throws
/// reports::file_error if a file cannot be read, and reports::format_error if a file has another format.
std::function<std::string_view()> joined_histograms(std::vector<std::filesystem::path> folders);

/// Returns true if the folder of the report contains the files that histograms_beside() needs: the journal
/// and histograms.jsonl.
bool has_histograms_beside(const std::filesystem::path& report_file);

/// Returns the histograms of the report's results, in the report's order, from histograms.jsonl in `folder`.
/// Includes only the trials that count according to `record` (counting_attempts). Throws
/// reports::format_error if the file has another format, and reports::file_error if the file cannot be read.
/// Keeps only one line of the file in memory, because the file can be larger than the memory.
std::vector<reports::histogram> histograms_in(const std::filesystem::path& folder,
                                              const session_record& record, const reports::report& report);

/// Does the same as histograms_in() for a report that was read from a file. Reads the record from the journal
/// beside the report. Throws usage_error if the journal or histograms.jsonl is missing, or if the journal
/// belongs to another run.
std::vector<reports::histogram> histograms_beside(const std::filesystem::path& report_file,
                                                  const reports::report& report);

}  // namespace loopbench::bench
