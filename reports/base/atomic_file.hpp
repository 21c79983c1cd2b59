#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <system_error>

namespace loopbench::reports {

/// Creates the file, or replaces it with a new one. If `path` is a symbolic link, replaces the link's target;
/// if it is a device or a pipe with a reader, writes into it. If it throws file_error, the file keeps its old
/// content. If the process is killed, its temporary file remains until the next write of the same file.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

struct new_file {
    std::filesystem::path path;
    std::string_view content;
    /// A function whose results follow `content` in the file: each call returns the next piece, and an empty
    /// text after the last piece. It is set only if the whole content might not fit into memory.
    std::function<std::string_view()> rest = {};
};

/// Writes the contents of all files into temporary files before it renames the first of these to its final
/// name, so that an error while writing replaces none of the files. Throws file_error.
void write_files_atomically(std::span<const new_file> files);

/// Removes the temporary files of `target` that killed processes left. write_file_atomically() also removes
/// them when it writes `target`; call this function for a file that might not be written in this way again.
void remove_abandoned(const std::filesystem::path& target);

/// Returns an error if permissions forbid writing the file or its folder, so that a command can tell the user
/// before it measures for minutes; otherwise returns no error. Stricter than write_file_atomically(), which
/// replaces read-only files, and needs no writable folder for devices and pipes.
std::error_code why_unwritable(const std::filesystem::path& path);

/// Creates the folder and its parents if they are missing. Throws file_error if that fails, or if no files
/// can be created in the folder.
void prepare_output_folder(const std::filesystem::path& folder);

}  // namespace loopbench::reports
