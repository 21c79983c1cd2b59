#pragma once

#include <string>
#include <vector>

#include "tests/support/command_support.hpp"

namespace loopbench::tests {

/// A git repository with a program whose time per operation is the content of the file `time`. The build
/// writes the program `out/bench`, and adds the time to the file `builds` in the test's folder.
///
/// Some values of `time` are special. A commit with "broken" does not build, "crash" exits with 3, "renamed"
/// has another benchmark, "missing" builds no program, and "unclear" takes 10 and 20 ns by turns. "fading"
/// takes 20 ns in the steps and 10 ns in the last comparison. "deadly" takes 20 ns, and its second trial
/// kills loopbench, once. With "once N", the commit's first build runs the shell code in the file `once`, and
/// the program takes N ns. The file `pid` has the process ID of loopbench.
class git_history {
public:
    /// Creates a repository in the folder `repo` with one commit for each time, and the tag `first`.
    git_history(const loopbench_command& loopbench, const std::vector<std::string>& times);

    /// Runs `loopbench bisect WORDS` in the repository, with few blocks and the output folder out().
    [[nodiscard]] bench::child_outcome bisect(const std::string& words = building()) const;

    /// Runs shell code in the repository. Fails the test if the code fails.
    std::string shell(const std::string& code) const;

    [[nodiscard]] static std::string building() { return "first HEAD --program out/bench -- sh build.sh"; }
    [[nodiscard]] nlohmann::json result() const;
    /// Returns the subjects of the commits that are suspects.
    [[nodiscard]] std::vector<std::string> suspects() const;
    /// Returns the times of all commits that were built, in the order of the builds.
    [[nodiscard]] std::vector<std::string> builds() const;

private:
    const loopbench_command& loopbench_;
};

}  // namespace loopbench::tests
