// The files in which contenders leave what their output cannot carry: bench/contenders/process/side_file.hpp
// says what is in them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/formats/hgrm.hpp"

namespace simdjson::dom {
class element;
}

namespace loopbench::bench {

/// One histogram of a side file, of one trial and without its contender, which is not in it. Throws
/// reports::format_error.
reports::histogram read_histogram(simdjson::dom::element from);

/// Of a workload in a side file: with what stands around them they are a line of a run's histograms.
inline constexpr std::size_t histograms_bytes_max = std::size_t{15} << 20U;

/// The histograms of `workload` in the side file at `path`, as JSON, with commas between them; empty when
/// there is none. Throws reports::format_error when it is no side file, or cannot be read. What is no regular
/// file is not opened: a pipe would be waited for, and a link followed to somebody else's file.
std::string read_side_file(const std::filesystem::path& path, std::string_view workload);

}  // namespace loopbench::bench
