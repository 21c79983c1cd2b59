#pragma once

namespace loopbench::bench {

/// Returns the time in nanoseconds that one reading of the clock and one recorded value take together, with
/// warm caches. In a real workload, both together can take
/// somewhat longer.
double sample_cost_ns();

}  // namespace loopbench::bench
