// Processes that a contender started and that left its process group, as a daemon does: they outlive the
// group, would work beside the next trials, and are in nobody's numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine/kernel_files.hpp"
#include "bench/trial/process/child_process.hpp"

namespace loopbench::bench {

/// From now on what loses its parent below this process becomes its child.
void adopt_orphans() noexcept;

/// Ends what is left of a trial that is over, as far as it was adopted: the rest of its process group, and
/// whatever else has the trial's folder for temporary files in its environment, of which it tells the first
/// one's name. No other child of this process is touched: whoever called it may have left it some. Nothing
/// where the kernel does not list children (CONFIG_PROC_CHILDREN).
std::optional<std::string> end_what_is_left(int group, const std::filesystem::path& scratch);

/// What finds a process that has cleared its environment, too: its age. Made before contenders are started;
/// when none runs any more, end_others() ends every child of this process that was started since, and tells
/// the first one's name. What a caller has left it is older.
class earlier_children {
public:
    earlier_children();
    std::optional<std::string> end_others() const;

private:
    [[nodiscard]] bool has(const child_facts& child) const;

    std::uint64_t now_ticks_;
    std::vector<pid_t> young_;  // those that may have been started in this very tick
};

/// run_child() for a question to a contender, which may leave something behind as well.
child_outcome ask(const child_request& question);

}  // namespace loopbench::bench
