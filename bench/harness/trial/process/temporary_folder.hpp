// Temporary folders: each trial has its own, so that no contender finds another one's files.
#pragma once

#include <filesystem>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

/// Returns $TMPDIR, or /tmp if that is not set.
std::filesystem::path temporary_root();

/// An empty folder in temporary_root() that only this user can enter; the destructor removes it with its
/// contents. A process's first one also removes the folders of processes that were killed: a folder in use is
/// locked.
class temporary_folder {
public:
    /// Throws reports::file_error if no folder can be made.
    temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    reports::unique_fd lock_;  // the folder itself, by flock(2); the kernel releases it when the process ends
};

}  // namespace loopbench::bench
