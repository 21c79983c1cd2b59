#pragma once

#include <filesystem>
#include <optional>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns $XDG_STATE_HOME/loopbench/calibration.json for sequential trials, and calibration-PAIRING.json in
/// the same folder for other pairings. If XDG_STATE_HOME is unset or is not an absolute path, uses
/// ~/.local/state instead (XDG Base Directory Specification). Returns nothing if the home folder is also
/// unknown.
std::optional<std::filesystem::path> calibration_path(reports::pairing made);

std::string write_calibration(const reports::calibration& found, const reports::environment& where);

/// Reads a calibration file. Returns nothing if the file does not exist or belongs to another machine
/// (kernel, CPU model or number of cores). Throws reports::file_error if the file cannot be read, and
/// reports::format_error if it is invalid.
std::optional<reports::calibration> read_calibration(const std::filesystem::path& path,
                                                     const reports::environment& where);

/// Reads the calibration of this machine and pairing from calibration_path(). Returns nothing if there is no
/// such calibration.
std::optional<reports::calibration> stored_calibration(const reports::environment& where,
                                                       reports::pairing made);

}  // namespace loopbench::bench
