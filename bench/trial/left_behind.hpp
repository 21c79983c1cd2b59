// Processes that a contender started and that left its process group, as a daemon does: they outlive the
// group, would work beside the next trials, and are in nobody's numbers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace loopbench::bench {

/// From now on what loses its parent below this process becomes its child.
void adopt_orphans() noexcept;

/// Ends what is left of a trial that is over, as far as it was adopted: the rest of its process group, and
/// whatever else has the trial's folder for temporary files in its environment, of which it tells the first
/// one's name. No other child of this process is touched: whoever called it may have left it some. Nothing
/// where the kernel does not list children (CONFIG_PROC_CHILDREN).
std::optional<std::string> end_what_is_left(int group, const std::filesystem::path& scratch);

}  // namespace loopbench::bench
