// Replaces files atomically, so that a report is either the old one or the new one, never half of one: the
// content goes to a temporary file in the same folder, is synced, and is renamed in one step.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace loopbench::reports {

/// Replaces or creates the file `path`. A symbolic link keeps its target; a device, or a pipe with a reader,
/// is written to directly. Throws file_error; the old content is then unchanged and no temporary file
/// remains. If the process is killed, its temporary file is removed by the next write of the same file.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

struct new_file {
    std::filesystem::path path;
    std::string_view content;
    /// Returns the rest of the content, piece by piece, then an empty piece; for content that need not fit
    /// into memory.
    std::function<std::string_view()> rest = {};
};

/// Does the same for files that belong together: all are written before the first is renamed.
void write_files_atomically(std::span<const new_file> files);

/// Removes the temporary files of killed writers of `target`; for callers that append to a file instead of
/// rewriting it.
void remove_abandoned(const std::filesystem::path& target);

/// Creates the folder if it does not exist, and checks that files can be created in it. Throws file_error.
void prepare_output_folder(const std::filesystem::path& folder);

}  // namespace loopbench::reports
