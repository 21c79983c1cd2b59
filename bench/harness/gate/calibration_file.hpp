// The file with the machine's calibration. Later reports quote its rates.
#pragma once

#include <filesystem>
#include <optional>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns $XDG_STATE_HOME/loopbench/calibration.json for sequential trials, and calibration-PAIRING.json in
/// the same folder for other pairings. If XDG_STATE_HOME is not an absolute path, ~/.local/state replaces it
/// (XDG Base Directory Specification). Returns nothing if there is no home folder either.
std::optional<std::filesystem::path> calibration_path(reports::pairing made);

/// Returns the text of a calibration file for the machine that `where` describes.
std::string write_calibration(const reports::calibration& found, const reports::environment& where);

/// Reads the file at `path`. Returns nothing if the file does not exist. Returns nothing, too, if it belongs
/// to another machine (another kernel, CPU model or number of cores), because its rates are not valid here.
/// Throws reports::file_error, or reports::format_error with the file and the remedy.
std::optional<reports::calibration> read_calibration(const std::filesystem::path& path,
                                                     const reports::environment& where);

/// Reads the calibration file for this pairing, at calibration_path().
std::optional<reports::calibration> stored_calibration(const reports::environment& where,
                                                       reports::pairing made);

}  // namespace loopbench::bench
