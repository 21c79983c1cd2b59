// The half of the echo workloads that does not depend on the runtime.
#include "bench/workloads/echo.hpp"

#include <fmt/format.h>

#include <bit>
#include <system_error>

namespace loopbench::bench::workloads::detail {

echo_message echo_pattern(std::uint64_t connection, std::uint64_t round_trip) noexcept {
    // SplitMix64 (Steele, Lea, Flood 2014), seeded with both numbers.
    std::uint64_t state = (connection << 40) ^ round_trip;
    std::array<std::uint64_t, echo_bytes / sizeof(std::uint64_t)> words;
    for (std::uint64_t& word : words) {
        state += 0x9e3779b97f4a7c15;
        word = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
        word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
        word ^= word >> 31;
    }
    return std::bit_cast<echo_message>(words);
}

void prove_echo(trial& t, std::span<const echo_counts> counts, std::span<const std::uint64_t> served_bytes,
                std::uint64_t round_trips_each) {
    const std::uint64_t with_warm_up = round_trips_each + 1;
    std::uint64_t wrong_replies = 0;
    std::uint64_t complete_clients = 0;
    for (const echo_counts& connection : counts) {
        wrong_replies += connection.wrong_replies;
        if (connection.round_trips == with_warm_up) ++complete_clients;
        if (connection.error != 0)
            t.fail(fmt::format("a client's connection failed: {}",
                               std::generic_category().message(connection.error)));
    }
    std::uint64_t complete_handlers = 0;
    for (const std::uint64_t bytes : served_bytes)
        if (bytes == with_warm_up * echo_bytes) ++complete_handlers;

    t.prove("replies that are not the bytes sent", 0, wrong_replies);
    t.prove("connections on which every round trip was made", counts.size(), complete_clients);
    t.prove("connections on which the server echoed every byte", served_bytes.size(), complete_handlers);
    t.prove("round trips with a latency", round_trips_each * counts.size(), t.latency().count());
}

}  // namespace loopbench::bench::workloads::detail
