#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

/// Measures the echo server that listens on `port` of 127.0.0.1. One operation is one round trip of 64 bytes.
void ask_echo_server(trial& t, std::size_t connections, std::uint16_t port);

}  // namespace loopbench::bench
