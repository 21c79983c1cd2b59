// Reads and writes the file with the machine's calibration, which later reports quote.
#pragma once

#include <filesystem>
#include <optional>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns $XDG_STATE_HOME/loopbench/calibration.json for sequential trials, and calibration-PAIRING.json in
/// the same folder for other pairings. If XDG_STATE_HOME is not an absolute path, uses ~/.local/state instead
/// (XDG Base Directory Specification). Returns nothing if the home folder is not known either.
std::optional<std::filesystem::path> calibration_path(reports::pairing made);

/// Returns the text of a calibration file for the machine that `where` describes.
std::string write_calibration(const reports::calibration& found, const reports::environment& where);

/// Reads the file at `path`. Returns nothing if the file does not exist. Also returns nothing if the file
/// belongs to another machine (another kernel, CPU model or number of cores), because its calibration is not
/// valid on this machine. Throws reports::file_error if the file cannot be read, and reports::format_error
/// with the remedy if the file is invalid.
std::optional<reports::calibration> read_calibration(const std::filesystem::path& path,
                                                     const reports::environment& where);

/// Reads the calibration file at calibration_path() with read_calibration(). Also returns nothing if the file
/// belongs to another pairing.
std::optional<reports::calibration> stored_calibration(const reports::environment& where,
                                                       reports::pairing made);

}  // namespace loopbench::bench
