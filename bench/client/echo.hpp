// The client of a server that sends back what it gets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench {

/// One operation: one round trip of 64 bytes, on one of so many connections to that port of 127.0.0.1, each
/// with one message under way. Connecting, and some round trips, come before and are not timed. Every byte
/// that comes back is compared.
void ask_echo_server(trial& t, std::size_t connections, std::uint16_t port);

}  // namespace loopbench::bench
