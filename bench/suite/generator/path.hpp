// Measures the network path between the generator and a server on another machine, because the measured
// latencies include the time that this path takes.
#pragma once

#include <cstdint>

#include "loop/net/sockets.hpp"

namespace loopbench::bench {

struct path_quality {
    std::int64_t rtt_p50_ns = 0, rtt_p99_ns = 0;  // time that connect() takes
    double bytes_per_s = 0;
};

/// Measures the path to `discarder`, a server that accepts connections and reads each one until its end.
/// Throws std::system_error.
path_quality measure_path(const loop::endpoint& discarder);

}  // namespace loopbench::bench
