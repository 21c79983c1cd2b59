#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace loopbench::reports {

/// Creates or replaces the file. For a symbolic link, replaces its target. Writes directly to a device, or to
/// a pipe with a reader. Throws file_error, and then leaves the old content unchanged. If the process is
/// killed, the next write of the same file removes the temporary file.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

struct new_file {
    std::filesystem::path path;
    std::string_view content;
    /// A function that returns the next piece of the file after `content`, or an empty text at the end. It is
    /// set only if the content might not fit into memory.
    std::function<std::string_view()> rest = {};
};

/// Writes the content of all files before it renames the first one. Throws file_error.
void write_files_atomically(std::span<const new_file> files);

/// Removes the temporary files of `target` that killed processes left. write_file_atomically() also does
/// this, so call this function only for a file that is never replaced.
void remove_abandoned(const std::filesystem::path& target);

/// Creates the folder if it is missing. Throws file_error if that fails, or if no files can be created in it.
void prepare_output_folder(const std::filesystem::path& folder);

}  // namespace loopbench::reports
