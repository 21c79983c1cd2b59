// The git repository of a bisection, through the git command. Nothing changes the user's working tree.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/base/json_fields.hpp"

namespace loopbench::bench {

struct commit_info {
    std::string id;  // the whole hash
    std::string subject;
    std::uint64_t parents = 1;
};

constexpr auto fields_of(const commit_info*) {
    using reports::field;
    return std::tuple(field{"id", &commit_info::id}, field{"subject", &commit_info::subject},
                      field{"parents", &commit_info::parents});
}

/// Refuses an id that is not the hash of a commit, because ids become arguments of git and names of folders.
void check_fields(const commit_info& commit, const reports::node& from);

/// Returns the first ten digits of the hash. All names have one length, because the length of a program's
/// path changes its speed.
std::string short_id(const commit_info& commit);

/// Returns for example `1a2b3c4d5e "parser: faster numbers"`.
std::string text_of(const commit_info& commit);

class repository {
public:
    /// `folder` is any folder of the repository. Throws usage_error if there is no repository or no git.
    repository(std::filesystem::path folder, int stop_fd);

    /// Returns the commit that `revision` names. Throws usage_error if the repository lacks it. `role` names
    /// the argument in the message ("GOOD").
    [[nodiscard]] commit_info commit_of(const std::string& revision, std::string_view role) const;

    /// Returns the commits after `good` up to `bad`, oldest first: those on the first-parent line of `bad`.
    /// A merge is one commit there; the commits of the merged branch are part of it. Throws usage_error if
    /// `good` is not on this line.
    [[nodiscard]] std::vector<commit_info> line(const commit_info& good, const commit_info& bad) const;

    /// Creates a working tree of the commit in the folder `tree`, which must not exist. Throws
    /// std::runtime_error if that fails.
    void check_out(const commit_info& commit, const std::filesystem::path& tree) const;

private:
    struct answer {
        int code = 0;
        std::string output, error;
    };
    [[nodiscard]] answer git(std::vector<std::string> words) const;
    std::string require(std::vector<std::string> words) const;
    [[nodiscard]] bool is_ancestor(const commit_info& older, const commit_info& newer) const;
    [[nodiscard]] std::string remedy_if_shallow() const;
    [[noreturn]] void refuse_unrelated(const commit_info& good, const commit_info& bad) const;

    std::filesystem::path folder_;
    int stop_fd_;
};

}  // namespace loopbench::bench
