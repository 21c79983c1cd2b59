// The client of an echo server.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

/// Measures an echo server at this port of 127.0.0.1. One operation is one round trip of 64 bytes. Each of
/// the `connections` connections has one message in flight. Connecting and the first round trips on each
/// connection are not timed. Every received byte is compared with the byte that was sent.
void ask_echo_server(trial& t, std::size_t connections, std::uint16_t port);

}  // namespace loopbench::bench
