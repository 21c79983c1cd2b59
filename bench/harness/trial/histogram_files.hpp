// Reads histogram files, into which contenders write the latencies of a trial.
// bench/suite/contenders/process/histogram_file.hpp defines the format of these files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/render/formats/hgrm.hpp"

namespace simdjson::dom {
class element;
}

namespace loopbench::bench {

/// Parses one histogram of a histogram file. Leaves the contender's name empty, because a histogram file does
/// not contain that name. Throws reports::format_error if the histogram is invalid.
reports::histogram read_histogram(simdjson::dom::element from);

/// The maximum size of a workload's histograms in one histogram file. A session stores these histograms as
/// one line of histograms.jsonl.
inline constexpr std::size_t histograms_bytes_max = std::size_t{15} << 20U;

/// Returns the histograms of `workload` in the file at `path`, as JSON objects separated by commas. Returns
/// an empty text if the file does not exist. Throws reports::format_error if the file is invalid, too large
/// or unreadable. Opens only regular files, because a pipe would block and a link could refer to another
/// user's file.
std::string read_histogram_file(const std::filesystem::path& path, std::string_view workload);

}  // namespace loopbench::bench
