// Temporary folders. Each trial has its own temporary folder, so that no contender finds the files of another
// trial.
#pragma once

#include <filesystem>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

/// Returns $TMPDIR, or /tmp if TMPDIR is empty or not set.
std::filesystem::path temporary_root();

/// A new, empty folder in temporary_root() that only this user can enter. The destructor removes the folder
/// with its contents. The first object of a process also removes the temporary folders of killed processes,
/// which no process has locked.
class temporary_folder {
public:
    /// Creates and locks the folder. Throws reports::file_error if this fails.
    temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    // locks the folder with flock(2); the kernel releases the lock when the process ends
    reports::unique_fd lock_;
};

}  // namespace loopbench::bench
