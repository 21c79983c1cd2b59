// Reads histogram files, into which contenders write data that does not fit into their output.
// bench/suite/contenders/process/histogram_file.hpp defines their format.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/render/formats/hgrm.hpp"

namespace simdjson::dom {
class element;
}

namespace loopbench::bench {

/// Parses one histogram of a histogram file. The contender's name stays empty, because the file does not
/// contain it. Throws reports::format_error if the histogram is invalid.
reports::histogram read_histogram(simdjson::dom::element from);

/// The maximum size of a workload's histograms in one histogram file. A run stores these histograms as one
/// line of its own file.
inline constexpr std::size_t histograms_bytes_max = std::size_t{15} << 20U;

/// Returns the histograms of `workload` in the file at `path`, as JSON objects separated by commas. Returns
/// an empty text if the file does not exist. Throws reports::format_error if the file is invalid, too large
/// or unreadable. Opens only regular files: a pipe would block, and a link could refer to another user's
/// file.
std::string read_histogram_file(const std::filesystem::path& path, std::string_view workload);

}  // namespace loopbench::bench
