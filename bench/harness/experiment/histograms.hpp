// The file histograms.jsonl is in the folder of the journal. It has a header line, and then one line for each
// trial with histograms (bench/suite/contenders/process/histogram_file.hpp). The histograms are not part of
// the journal, because they are a hundred times as large as the rest of it, and no verdict needs them.
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

class histogram_log {
public:
    enum class beginning { anew, behind_what_is_there };

    /// Creates histograms.jsonl, or continues an existing file, as `how` requires. Throws reports::file_error
    /// if the file cannot be created or opened, and reports::other_format if an existing file has another
    /// format.
    histogram_log(const std::filesystem::path& folder, beginning how);

    /// Writes the trial's histograms. Throws reports::file_error if writing fails.
    void append(const run_plan& plan, const trial_record& record);

private:
    std::string path_;
    reports::unique_fd file_;
};

/// Returns a function that joins the histograms.jsonl files of `folders` (for reports::new_file::rest). Each
/// call of this function returns the next piece of the joined text. The call throws reports::file_error if a
/// file cannot be read, and reports::format_error if a file is not a valid histogram file.
std::function<std::string_view()> joined_histograms(std::vector<std::filesystem::path> folders);

bool has_histograms_beside(const std::filesystem::path& report_file);

/// Returns the histograms of the report's results, in the report's order. Each histogram contains the values
/// of all trials that count according to `record` (counting_attempts). Throws reports::format_error if
/// histograms.jsonl is not a valid histogram file, and reports::file_error if it cannot be read. Keeps only
/// one line of the file in memory.
std::vector<reports::histogram> histograms_in(const std::filesystem::path& folder,
                                              const session_record& record, const reports::report& report);

/// Returns the histograms for a report. Reads the description of the run from the journal beside the report.
/// Throws usage_error if the journal or histograms.jsonl is missing, or if the journal belongs to another run
/// than the report.
std::vector<reports::histogram> histograms_beside(const std::filesystem::path& report_file,
                                                  const reports::report& report);

}  // namespace loopbench::bench
