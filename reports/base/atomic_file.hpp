#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace loopbench::reports {

/// Replaces or creates the file. Replaces the target of a symbolic link; writes directly to a device, or to a
/// pipe with a reader. Throws file_error; the old content is then unchanged. If the process is killed, the
/// next write of the same file removes the temporary file.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

struct new_file {
    std::filesystem::path path;
    std::string_view content;
    /// Returns the next piece of the file after `content`, or an empty text at the end. Set only if the
    /// content might not fit into memory.
    std::function<std::string_view()> rest = {};
};

/// Writes the content of all files before it renames the first one. Throws file_error.
void write_files_atomically(std::span<const new_file> files);

/// Removes the temporary files that killed writers of `target` left. Needed only for a file that is never
/// replaced with write_file_atomically().
void remove_abandoned(const std::filesystem::path& target);

/// Throws file_error if the folder cannot be created, or if no files can be created in it.
void prepare_output_folder(const std::filesystem::path& folder);

}  // namespace loopbench::reports
