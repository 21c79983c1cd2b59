// Orphaned processes: a contender started them, and they left its process group, as a daemon does. They
// outlive the group, would disturb the next trials, and their resources are not counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

/// Makes this process the parent of all descendants that lose their parent from now on.
void adopt_orphans() noexcept;

/// Ends the remaining processes of a finished trial that became our children: the rest of its process group,
/// and every process with the trial's temporary folder in its environment. Returns the name of the first such
/// process outside the group. Leaves other children of this process alone: our caller may have started them.
/// Does nothing if the kernel does not list children (CONFIG_PROC_CHILDREN).
std::optional<std::string> end_orphans(int group, const std::filesystem::path& folder);

/// Finds by its age even a process that has cleared its environment. Create the object before contenders are
/// started. When none runs any more, end_others() ends every child of this process that was started since,
/// and returns the first one's name. Older children, which our caller started, are left alone.
class earlier_children {
public:
    earlier_children();
    std::optional<std::string> end_others() const;

private:
    [[nodiscard]] bool has(const child_facts& child) const;

    std::uint64_t now_ticks_;
    std::vector<pid_t> young_;  // those that may have been started in this very tick
};

/// Runs run_child() for a question to a contender, and ends the processes that this orphaned.
child_outcome ask(const child_request& question);

}  // namespace loopbench::bench
