#include "bench/suite/workloads/sockets/echo_session.hpp"

#include <fmt/format.h>

namespace loopbench::bench::workloads::detail {

namespace {

/// Returns the next random number of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t split_mix(std::uint64_t& state) noexcept {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t word = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

}  // namespace

echo_messages::echo_messages(std::size_t bytes) : bytes_(bytes), block_(bytes + windows) {
    std::uint64_t state = 1;
    for (std::byte& each : block_) each = static_cast<std::byte>(split_mix(state));
}

std::span<const std::byte> echo_messages::message(std::uint64_t connection,
                                                  std::uint64_t round_trip) const noexcept {
    std::uint64_t state = (connection << 40) ^ round_trip;
    return std::span(block_).subspan(split_mix(state) % windows, bytes_);
}

double jain_index(std::span<const std::uint64_t> shares) noexcept {
    double sum = 0;
    double sum_of_squares = 0;
    for (const std::uint64_t share : shares) {
        sum += static_cast<double>(share);
        sum_of_squares += static_cast<double>(share) * static_cast<double>(share);
    }
    return sum_of_squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * sum_of_squares) : 1.0;
}

void judge_fairness(trial& t, std::span<const std::uint64_t> shares, std::uint64_t round_trips_each) {
    constexpr std::uint64_t fewest_round_trips = 8;  // with fewer, a difference of one would look unfair
    constexpr double unfair = 0.75;                  // Jain's index if 1 of 4 connections made no round trip
    if (round_trips_each < fewest_round_trips || shares.empty()) return;
    const double index = jain_index(shares);
    t.report("fairness", index);
    if (index < unfair)
        t.fail(
            fmt::format("connections are starved: Jain's fairness index of their shares is {:.2f} when half "
                        "of the round trips are done; "
                        "expected at least {}",
                        index, unfair));
}

void prove_echo(trial& t, std::span<const echo_counts> counts, std::span<const std::uint64_t> served_bytes,
                std::uint64_t round_trips_each, std::size_t bytes) {
    const std::uint64_t with_warm_up = round_trips_each + warm_up_round_trips;
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
    for (const std::uint64_t served : served_bytes)
        if (served == with_warm_up * bytes) ++complete_handlers;

    t.prove("number of replies that differ from the bytes sent", 0, wrong_replies);
    t.prove("number of connections on which every round trip was made", counts.size(), complete_clients);
    t.prove("number of connections on which the server echoed every byte", served_bytes.size(),
            complete_handlers);
}

}  // namespace loopbench::bench::workloads::detail
