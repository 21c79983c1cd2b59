// Where the machine's calibration is kept, so that later reports can quote it.
#pragma once

#include <filesystem>
#include <optional>

#include "reports/results.hpp"

namespace loopbench::bench {

/// Of trials made apart $XDG_STATE_HOME/loopbench/calibration.json, of others calibration-WAY.json there; in
/// ~/.local/state when that variable is not an absolute path (XDG Base Directory Specification). Nothing when
/// there is no home either.
std::optional<std::filesystem::path> calibration_path(reports::way made);

/// The text of such a file, for the machine that `where` describes.
std::string write_calibration(const reports::calibration& found, const reports::environment& where);

/// What the file at `path` says. Nothing when it is not there, or is of another machine (kernel, CPU model or
/// number of cores): its rates say nothing of this one. Throws reports::file_error, or reports::format_error
/// naming the file and the remedy.
std::optional<reports::calibration> read_calibration(const std::filesystem::path& path,
                                                     const reports::environment& where);

/// The same for calibration_path(), of trials that were made in this way.
std::optional<reports::calibration> stored_calibration(const reports::environment& where, reports::way made);

}  // namespace loopbench::bench
