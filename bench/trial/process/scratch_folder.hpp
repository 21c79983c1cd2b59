// Where what is temporary lives: a folder of its own for each trial, so that what one contender leaves is
// never found by another.
#pragma once

#include <filesystem>

#include "reports/files/posix_io.hpp"

namespace loopbench::bench {

/// $TMPDIR, or /tmp where that is not set.
std::filesystem::path temporary_folder();

/// An empty folder in temporary_folder() that only this user may enter, and that goes with its contents. The
/// first one of a process removes those that processes left which were killed: a folder in use is locked.
class scratch_folder {
public:
    /// Throws reports::file_error where no folder can be made.
    scratch_folder();
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    reports::unique_fd lock_;  // the folder itself, by flock(2), which the kernel ends with the process
};

}  // namespace loopbench::bench
