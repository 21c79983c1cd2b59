// Each trial has its own temporary folder, so that no contender finds the files of another trial.
#pragma once

#include <filesystem>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

std::filesystem::path temporary_root();

/// Creates a folder that only this user can enter, and removes it on destruction. The first object of a
/// process also removes the temporary folders of killed processes, which no process has locked.
class temporary_folder {
public:
    /// Throws reports::file_error if this fails.
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
