// Finds and ends orphaned processes: processes that a contender started and that left its process group, as a
// daemon does. Orphaned processes outlive the group and would disturb the next trials. Their resource usage
// is not counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

/// Makes this process the new parent of every descendant whose parent ends from now on.
void adopt_orphans() noexcept;

/// Ends the remaining processes of a finished trial: all children of this process that belong to the trial's
/// process group or have the trial's temporary folder in their environment. Returns the name of the first
/// such process outside the group. Does not end other children, because a program can start children and then
/// replace itself with loopbench by exec. Does nothing if the kernel does not list children
/// (CONFIG_PROC_CHILDREN).
std::optional<std::string> end_orphans(int group, const std::filesystem::path& folder);

/// A way to find orphaned processes by their start time, even if these processes have cleared their
/// environment. The object must be created before contenders are started. After all contenders have ended,
/// end_others() ends every child that was started since the creation of the object, and returns the name of
/// the first such child. Older children continue to run, because no contender started them.
class earlier_children {
public:
    earlier_children();
    std::optional<std::string> end_others() const;

private:
    [[nodiscard]] bool has(const child_facts& child) const;

    std::uint64_t now_ticks_;
    std::vector<pid_t> young_;  // the children that existed when the object was created
};

/// Runs the command in `question` with run_child(), and then ends the processes that this command orphaned.
child_outcome ask(const child_request& question);

}  // namespace loopbench::bench
