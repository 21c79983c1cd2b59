// The programs of a bisection. Each commit is built once, in a working tree of its own, and stays there, so
// that a program finds its libraries and data.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/harness/bisection/repository.hpp"

namespace loopbench::bench {

struct build_rules {
    std::string command;  // for /bin/sh, which starts in the working tree; empty if nothing is built
    std::string program;  // the path that must exist afterwards, relative to the tree; empty to check nothing
};

struct built_commit {
    std::filesystem::path tree;
    std::optional<std::string> failure;
    double seconds = 0;
    bool is_cached = false;  // true if an earlier bisection in the same folder built it
};

class build_cache {
public:
    /// `folder` is the output folder. It gets the folder `trees` with the working trees, and the folder
    /// `builds` with the output of each build and a file for each build that succeeded.
    build_cache(const repository& of, std::filesystem::path folder, build_rules rules, int stop_fd);

    /// Returns the working tree of the commit, in which the command succeeded and left the program. Returns
    /// a failure if it did not. Throws `interrupted` after a signal, and std::runtime_error if git cannot
    /// create the working tree, or if the disk is full.
    [[nodiscard]] built_commit build(const commit_info& commit) const;

    [[nodiscard]] std::filesystem::path log_of(const commit_info& commit) const;
    [[nodiscard]] std::filesystem::path tree_of(const commit_info& commit) const;

private:
    [[nodiscard]] std::filesystem::path note_of(const commit_info& commit) const;
    [[nodiscard]] std::string note() const;
    [[nodiscard]] bool is_built(const commit_info& commit) const;
    void refuse_full_disk(std::string_view output) const;
    [[nodiscard]] std::optional<std::string> failure_of_build(const commit_info& commit) const;

    const repository& repository_;
    std::filesystem::path folder_;
    build_rules rules_;
    int stop_fd_;
};

}  // namespace loopbench::bench
