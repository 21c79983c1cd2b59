// Orphaned processes are descendants of a contender that left its process group, as a daemon does. They
// outlive the group and would disturb the next trials.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

void adopt_orphans() noexcept;

/// Ends all children of this process that belong to the process group `group` or have the trial's temporary
/// folder in their environment. Returns the name of the first ended child outside the group. Other children
/// continue to run, because a program can start children and then replace itself with loopbench by exec. Does
/// nothing if the kernel was built without CONFIG_PROC_CHILDREN.
std::optional<std::string> end_orphans(int group, const std::filesystem::path& folder);

/// The children of this process that existed before the contenders started. Create the object before the
/// contenders start. After all contenders have ended, end_others() ends every child that is younger than the
/// object, even one that has cleared its environment, and returns the name of the first ended child.
class earlier_children {
public:
    earlier_children();
    std::optional<std::string> end_others() const;

private:
    [[nodiscard]] bool has(const child_facts& child) const;

    std::uint64_t now_ticks_;
    std::vector<pid_t> young_;  // the children that existed when the object was created
};

child_outcome ask(const child_request& question);

}  // namespace loopbench::bench
