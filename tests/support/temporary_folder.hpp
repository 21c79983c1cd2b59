#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "reports/base/atomic_file.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::tests {

class temporary_folder {
public:
    temporary_folder() {
        std::string name = LOOPBENCH_TEMPORARY_FOLDER "/test-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"cannot create " + name};
        path_ = name;
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::filesystem::path path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const {
        return path_ / name;
    }

    [[nodiscard]] std::size_t files() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{path_}) ++count;
        return count;
    }

private:
    std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& file) {
    return reports::read_file(file.native());
}

inline void write_script(const std::filesystem::path& file, std::string_view body) {
    std::filesystem::create_directories(file.parent_path());
    reports::write_file_atomically(file, std::string{"#!/bin/sh\n"}.append(body));
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace loopbench::tests
