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

/// Ends all children of this process that belong to the trial's process group or have its temporary folder in
/// their environment. Returns the name of the first one outside the group. Other children continue to run,
/// because a program can start children and then replace itself with loopbench by exec. Does nothing without
/// CONFIG_PROC_CHILDREN.
std::optional<std::string> end_orphans(int group, const std::filesystem::path& folder);

/// Finds orphaned processes by their start time, even if they have cleared their environment. Must be created
/// before contenders start. end_others() ends every child that is younger than the object, and returns the
/// name of the first one. Must be called after all contenders have ended.
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
