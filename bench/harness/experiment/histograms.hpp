// Whole histograms: from a contender's histogram file to histograms.jsonl beside the journal, and from there
// to a report in a format that shows them.
//
// histograms.jsonl has a header line and then a line for each trial with histograms: the trial's place, and
// the content of its histogram file (bench/suite/contenders/process/histogram_file.hpp). It is not part of
// the journal, because it is a hundred times as large and no verdict needs it.
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

    /// Opens the file. Throws reports::file_error.
    histogram_log(const std::filesystem::path& folder, beginning how);

    /// Appends the trial's histograms, if it has any. Throws reports::file_error.
    void append(const run_plan& plan, const trial_record& record);

private:
    std::string path_;
    reports::unique_fd file_;
};

/// Returns the content of histograms.jsonl for a record that is merged from those in these folders, in
/// pieces, for reports::new_file::rest. The function throws reports::file_error, and format_error for a file
/// of another kind.
std::function<std::string_view()> joined_histograms(std::vector<std::filesystem::path> folders);

/// Returns true if the file's folder has what histograms_beside() needs.
bool has_histograms_beside(const std::filesystem::path& report_file);

/// Returns the histograms of the report's results from the file in the folder of its run, in the report's
/// order, for the trials of the record that count (counting_attempts). Throws reports::format_error if the
/// file has another format, and reports::file_error if it cannot be read. Keeps only one line of histograms
/// in memory, because the file can be too large.
std::vector<reports::histogram> histograms_in(const std::filesystem::path& folder,
                                              const session_record& record, const reports::report& report);

/// Does the same for a report that was read from a file; reads the record from the journal beside it. Throws
/// usage_error if one of the files is missing or the journal belongs to another run.
std::vector<reports::histogram> histograms_beside(const std::filesystem::path& report_file,
                                                  const reports::report& report);

}  // namespace loopbench::bench
