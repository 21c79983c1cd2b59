// The network path between the generator and a server on another machine, measured before any request:
// latencies contain both.
#pragma once

#include <cstdint>

#include "loop/net/sockets.hpp"

namespace loopbench::bench {

struct path_quality {
    std::int64_t rtt_p50_ns = 0, rtt_p99_ns = 0;  // of connecting: the two kernels and the network
    double bytes_per_s = 0;                       // of one connection, towards the server
};

/// Measures the path. `discarder`: a server that accepts connections and reads until their end. Throws
/// std::system_error.
path_quality measure_path(const loop::endpoint& discarder);

}  // namespace loopbench::bench
