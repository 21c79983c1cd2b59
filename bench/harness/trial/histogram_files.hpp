// bench/suite/contenders/process/histogram_file.hpp defines the format of the files that contenders write.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/render/formats/hgrm.hpp"

namespace simdjson::dom {
class element;
}

namespace loopbench::bench {

/// Parses a histogram. Throws reports::format_error if it is invalid. Leaves the contender's name empty,
/// because a histogram file does not contain that name.
reports::histogram read_histogram(simdjson::dom::element from);

/// The maximum size in bytes of the histograms of one workload, because they become one line of
/// histograms.jsonl.
inline constexpr std::size_t histograms_bytes_max = std::size_t{15} << 20U;

/// Returns the histograms as JSON objects separated by commas, or an empty text if the file does not exist.
/// Throws reports::format_error if the file is invalid, too large or unreadable. Opens only regular files,
/// because a pipe would block and a link could refer to another user's file.
std::string read_histogram_file(const std::filesystem::path& path, std::string_view workload);

}  // namespace loopbench::bench
