// The amounts of work and the proofs that the workloads threads/... share with their floor
// (bench/suite/floors/threads_epoll.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/threads/records.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads::detail {

/// The number of untimed visits of each client of threads/accept. In a visit, a client opens a connection,
/// makes a round trip, and closes the connection.
inline constexpr std::uint64_t warm_up_visits = 2;

/// Returns the number of timed operations that each of `clients` clients makes.
inline std::uint64_t operations_each(const trial& t, std::size_t clients) noexcept {
    return std::max<std::uint64_t>(1, (t.operations() + clients - 1) / clients);
}

/// Fails the trial if a visit is missing or if a reply is wrong. `visits_each` does not include the warm-up.
/// `counts` has an entry for each client, and `served_bytes` for each connection.
void prove_visits(trial& t, std::span<const echo_counts> counts, std::span<const std::uint64_t> served_bytes,
                  std::uint64_t visits_each);

/// Fails the trial if a tick was not counted, or if a clock did not tick. `counted` is the number of ticks
/// that were counted without a lock. Must be called after thread_records::report().
void prove_ticks(trial& t, std::uint64_t counted, std::size_t clocks);

/// Fails the trial if a wait of threads/idle is missing, or if a far timer fired.
void prove_idleness(const thread_records& records, std::uint64_t far_timers_fired);

}  // namespace loopbench::bench::workloads::detail
