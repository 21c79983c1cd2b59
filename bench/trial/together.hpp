// Programs that know nothing of turns, at once on one core: the kernel's scheduler takes turns between them,
// some milliseconds long, and what is judged is the CPU time of each. Its limits: what is waited for is not
// in that time (the summary warns when one side waits more than another), and nothing at the beginning of the
// scheduler's turns is left out, so that both sides pay for what their neighbours do to the caches: some per
// cent of the time of a program that uses much of them, and a ratio that much nearer to 1.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "bench/trial/process/child_process.hpp"

namespace loopbench::bench {

/// Runs all of them at once, until all have ended; `limit` is for all together. Their requests say the core.
/// `ended` is called for each as it ends. Main thread only; see run_child().
std::vector<child_outcome> run_together(
    std::span<const child_request> requests, std::chrono::nanoseconds limit, int stop_fd,
    const std::function<void(std::size_t, const child_outcome&)>& ended = {});

}  // namespace loopbench::bench
