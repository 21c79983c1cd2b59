// Measurement overhead: the cost of recording one latency.
#pragma once

namespace loopbench::bench {

/// Returns the nanoseconds for one reading of the clock and one recorded value, the cost of each latency to a
/// workload. Measured now, in about a millisecond, as the least of several tries in a tight loop with warm
/// caches: inside a workload it costs this or somewhat more. To measure the whole overhead, compare with a
/// run under LOOPBENCH_RECORD=off.
double sample_cost_ns();

}  // namespace loopbench::bench
