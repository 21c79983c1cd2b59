// The cost of recording one latency, which is a part of the measurement overhead.
#pragma once

namespace loopbench::bench {

/// Returns the time for one reading of the clock and one recorded value in nanoseconds. This is what each
/// latency costs a workload. The function measures for about a millisecond: it uses the smallest of several
/// tries, in a tight loop with warm caches. Inside a workload, a latency costs this time or somewhat more. To
/// measure the whole overhead, compare with a run with LOOPBENCH_RECORD=off.
double sample_cost_ns();

}  // namespace loopbench::bench
