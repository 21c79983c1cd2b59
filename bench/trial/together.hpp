// Programs that know nothing of turns, at once on one core: the kernel's scheduler takes turns between them,
// some milliseconds long, and what is judged is the CPU time of each.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "bench/trial/child_process.hpp"

namespace loopbench::bench {

/// Runs all of them at once, until all have ended; `limit` is for all together. Their requests say the core.
/// Main thread only; see run_child().
std::vector<child_outcome> run_together(std::span<const child_request> requests,
                                        std::chrono::nanoseconds limit, int stop_fd);

}  // namespace loopbench::bench
