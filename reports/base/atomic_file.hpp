// Functions that replace files atomically: at any time, a file has either its complete old content or its
// complete new content. The new content is written to a temporary file in the same folder, synced, and
// renamed in one step.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace loopbench::reports {

/// Replaces or creates the file `path`. If `path` is a symbolic link, replaces the link's target. If `path`
/// is a device, or a pipe with a reader, writes to it directly. After an error, throws file_error; the old
/// content is then unchanged and no temporary file remains. If the process is killed, the next write of the
/// same file removes the temporary file.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

struct new_file {
    std::filesystem::path path;
    std::string_view content;
    /// A function that returns the next piece of what follows `content`, or an empty text at the end. Set
    /// only if the whole content might not fit into memory.
    std::function<std::string_view()> rest = {};
};

/// Replaces or creates several files like write_file_atomically(). Writes the content of all files before it
/// renames the first one.
void write_files_atomically(std::span<const new_file> files);

/// Removes the temporary files that killed writers of `target` left. Needed for a file to which programs only
/// append, because write_file_atomically() never replaces such a file.
void remove_abandoned(const std::filesystem::path& target);

/// Creates the folder if it does not exist, and checks that files can be created in it. Throws file_error.
void prepare_output_folder(const std::filesystem::path& folder);

}  // namespace loopbench::reports
