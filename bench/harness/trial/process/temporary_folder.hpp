#pragma once

#include <filesystem>

#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

std::filesystem::path temporary_root();

/// A temporary folder that only this user can enter. The folder is removed with the object. The first object
/// of a process also removes the unlocked temporary folders of killed processes.
class temporary_folder {
public:
    /// Throws reports::file_error if the folder cannot be created or locked.
    temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    // The kernel releases this lock when the process ends. Thus a later process can recognise and remove the
    // folder.
    reports::unique_fd lock_;
};

}  // namespace loopbench::bench
