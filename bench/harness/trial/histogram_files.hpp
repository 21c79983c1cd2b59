// Histogram files, in which contenders write data that their output cannot carry;
// bench/suite/contenders/process/histogram_file.hpp defines their content.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/render/formats/hgrm.hpp"

namespace simdjson::dom {
class element;
}

namespace loopbench::bench {

/// Reads one histogram of one trial from a histogram file, which does not name the contender. Throws
/// reports::format_error.
reports::histogram read_histogram(simdjson::dom::element from);

/// The limit for one workload's histograms in a file: with their surroundings, they are one line of a run's
/// file.
inline constexpr std::size_t histograms_bytes_max = std::size_t{15} << 20U;

/// Returns the histograms of `workload` in the file at `path`, as JSON objects separated by commas; empty if
/// the file does not exist. Throws reports::format_error if it is not a histogram file or cannot be read.
/// Opens only regular files: a pipe would block, and a link could lead to another user's file.
std::string read_histogram_file(const std::filesystem::path& path, std::string_view workload);

}  // namespace loopbench::bench
