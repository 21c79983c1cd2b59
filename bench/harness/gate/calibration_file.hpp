#pragma once

#include <filesystem>
#include <optional>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns $XDG_STATE_HOME/loopbench/calibration.json for sequential trials, and calibration-PAIRING.json for
/// other pairings. If XDG_STATE_HOME is not an absolute path, uses ~/.local/state (XDG Base Directory
/// Specification). Returns nothing if the home folder is unknown, too.
std::optional<std::filesystem::path> calibration_path(reports::pairing made);

std::string write_calibration(const reports::calibration& found, const reports::environment& where);

/// Returns nothing if the file does not exist or belongs to another machine (kernel, CPU model or number of
/// cores). Throws reports::file_error if the file cannot be read, and reports::format_error if it is invalid.
std::optional<reports::calibration> read_calibration(const std::filesystem::path& path,
                                                     const reports::environment& where);

/// Returns nothing if read_calibration() does, or if the file belongs to another pairing.
std::optional<reports::calibration> stored_calibration(const reports::environment& where,
                                                       reports::pairing made);

}  // namespace loopbench::bench
