// The price of measuring: what recording one latency costs.
#pragma once

namespace loopbench::bench {

/// Nanoseconds for one reading of the clock and one recorded value, which is what each latency costs a
/// workload. Measured here and now, in about a millisecond, as the least of several tries: in a tight loop
/// with warm caches, so that inside of a workload it costs this or somewhat more. Compare a run with
/// LOOPBENCH_RECORD=off for the whole.
double sample_cost_ns();

}  // namespace loopbench::bench
