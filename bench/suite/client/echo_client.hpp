// The client of an echo server.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench {

/// Measures round trips of 64 bytes, one per operation, on `connections` connections to that port of
/// 127.0.0.1, each with one message in flight. Connecting and some round trips come before and are not timed.
/// Every byte that comes back is compared.
void ask_echo_server(trial& t, std::size_t connections, std::uint16_t port);

}  // namespace loopbench::bench
