#include "bench/suite/workloads/threads/work.hpp"

namespace loopbench::bench::workloads::detail {

void prove_visits(trial& t, std::span<const echo_counts> counts, std::span<const std::uint64_t> served_bytes,
                  std::uint64_t visits_each) {
    const std::uint64_t all = (visits_each + warm_up_visits) * counts.size();
    std::uint64_t right_replies = 0;
    for (const echo_counts& each : counts) right_replies += each.round_trips;
    const auto served = std::ranges::count(served_bytes, echo_bytes);
    t.prove("number of connections with the right reply", all, right_replies);
    t.prove("number of connections that were served", all, static_cast<std::uint64_t>(served));
}

void prove_ticks(trial& t, std::uint64_t counted, std::size_t clocks) {
    t.prove("number of ticks that were counted without a lock", t.lateness().count(), counted);
    if (counted < clocks) t.fail("not every clock ticked");
}

void prove_idleness(const thread_records& records, std::uint64_t far_timers_fired) {
    records.t.prove("number of waits that ended", records.t.operations(), records.operations.sum());
    records.t.prove("number of far timers that fired", 0, far_timers_fired);
}

}  // namespace loopbench::bench::workloads::detail
