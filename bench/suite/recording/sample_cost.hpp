// The cost of recording one latency, which is a part of the measurement overhead.
#pragma once

namespace loopbench::bench {

/// Returns the time in nanoseconds that a workload spends on recording one latency: for one reading of the
/// clock and one recorded value. Measures for about a millisecond, in a tight loop with warm caches, and
/// returns the smallest of several measured times. The time in a real workload can be somewhat longer. To
/// measure the whole overhead, compare a run with another run with LOOPBENCH_RECORD=off.
double sample_cost_ns();

}  // namespace loopbench::bench
