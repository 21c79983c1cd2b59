// A report is either the old one or the new one, never half of one: the content goes to a temporary file in
// the same folder, is synced, and takes the name in one step.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace loopbench::reports {

/// Replaces or creates the file `path`. A symbolic link keeps pointing where it did; a device, or a pipe that
/// somebody reads from, is written to as it is. Throws file_error; then the old content is untouched and no
/// temporary file is left. One that a killed process left is removed by whoever writes the same file next.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

struct new_file {
    std::filesystem::path path;
    std::string_view content;
    /// What comes behind it, for what need not fit into memory: a piece at a time, and an empty one at the
    /// end.
    std::function<std::string_view()> rest = {};
};

/// The same for files that belong together: none takes its name before all of them are written.
void write_files_atomically(std::span<const new_file> files);

/// Removes the temporary files of writers of `target` that were killed: for whoever goes on with a file
/// instead of writing it anew.
void remove_abandoned(const std::filesystem::path& target);

/// Creates the folder where it is missing and tries that files can be made in it. Throws file_error.
void prepare_output_folder(const std::filesystem::path& folder);

}  // namespace loopbench::reports
