// The file with the machine's calibration, which later reports quote.
#pragma once

#include <filesystem>
#include <optional>

#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Returns $XDG_STATE_HOME/loopbench/calibration.json for sequential trials, and calibration-PAIRING.json for
/// other pairings; in ~/.local/state if that variable is not an absolute path (XDG Base Directory
/// Specification). Returns nothing if there is no home folder either.
std::optional<std::filesystem::path> calibration_path(reports::pairing made);

/// Returns the text of such a file, for the machine that `where` describes.
std::string write_calibration(const reports::calibration& found, const reports::environment& where);

/// Reads the file at `path`. Returns nothing if the file does not exist or belongs to another machine
/// (kernel, CPU model or number of cores), because those rates do not apply here. Throws reports::file_error,
/// or reports::format_error with the file and the remedy.
std::optional<reports::calibration> read_calibration(const std::filesystem::path& path,
                                                     const reports::environment& where);

/// Reads the file at calibration_path() for this pairing.
std::optional<reports::calibration> stored_calibration(const reports::environment& where,
                                                       reports::pairing made);

}  // namespace loopbench::bench
