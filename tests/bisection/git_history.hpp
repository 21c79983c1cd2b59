#pragma once

#include <string>
#include <vector>

#include "tests/support/command_support.hpp"

namespace loopbench::tests {

/// A git repository with a program whose time per operation is the content of the file `time`. The build
/// writes the program `out/bench`, and adds the time to the file `builds` in the test's folder.
///
/// Some values of `time` are special. These commits cannot be measured:
///     broken     does not build; the output contains an escape sequence
///     missing    builds no program
///     crash      exits with 3
///     renamed    has another benchmark
///     full       does not build, because the disk is full
/// These programs differ from a program with one time:
///     data N     reads N from the commit's file `time` in its working directory
///     two A B    has the benchmarks BM_sort (A ns) and BM_find (B ns, or "error")
///     count N    takes 10 ns and makes N allocations
///     unclear    takes 10 and 20 ns by turns
///     fading N   takes 20 ns in the steps, and N ns in the last comparison
///     shaky S    takes 10 ns, but its A/A copy takes 40 ns as soon as the session S has begun
/// These do something once, and then create the file `happened` in the test's folder:
///     once N     takes N ns; its first build runs the shell code in the file `once`
///     deadly     takes 20 ns; its second trial kills loopbench
///     flaky S    takes 10 ns; its first trial after the session S has begun fails
///     fragile    takes 10 ns; its first trial in the last comparison kills loopbench; then it does not build
/// The file `pid` has the process ID of loopbench.
class git_history {
public:
    /// Creates a repository in the folder `repo` with one commit for each time, and the tag `first`.
    git_history(const loopbench_command& loopbench, const std::vector<std::string>& times);

    /// Runs `loopbench bisect WORDS` in the repository, with few blocks and the output folder out().
    [[nodiscard]] bench::child_outcome bisect(const std::string& words = building(), int blocks = 6) const;

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
