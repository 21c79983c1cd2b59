// What lies between the generator and a server on another machine, measured before any request: latencies are
// of both.
#pragma once

#include <cstdint>

#include "loop/net/sockets.hpp"

namespace loopbench::bench {

struct path_quality {
    std::int64_t rtt_p50_ns = 0, rtt_p99_ns = 0;  // of connecting: the two kernels and what is between them
    double bytes_per_s = 0;                       // of one connection, in the direction of the server
};

/// `discarder`: a server that takes connections and reads until their end. Throws std::system_error.
path_quality measure_path(const loop::endpoint& discarder);

}  // namespace loopbench::bench
