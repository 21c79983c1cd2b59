#pragma once

namespace loopbench::bench {

/// Returns nanoseconds: one reading of the clock and one recorded value, with warm caches. A real workload
/// can take somewhat longer.
double sample_cost_ns();

}  // namespace loopbench::bench
