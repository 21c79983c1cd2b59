#include "bench/suite/generator/path.hpp"

#include <sys/socket.h>

#include <array>
#include <chrono>

#include "bench/suite/generator/link.hpp"
#include "bench/suite/recording/histogram.hpp"

namespace loopbench::bench {

namespace {

using clock = std::chrono::steady_clock;

/// Returns the times that connect() takes. The server's kernel answers connect() even if the server is busy.
/// connect() returns when the second of three segments arrives (tcp(7)), so each time is one round trip
/// through the network.
histogram measure_round_trips(const loop::endpoint& to) {
    constexpr int enough = 200;
    histogram found;
    for (int i = 0; i < enough; ++i) {
        const auto before = clock::now();
        const auto connected = connect_to(to, 1);
        found.record((clock::now() - before).count());
    }
    return found;
}

double measure_rate(const loop::endpoint& to) {
    constexpr std::chrono::milliseconds time{100};
    static constexpr std::array<char, 65'536> piece{};
    const auto connected = connect_to(to, 1);
    const int fd = connected.front().get();
    double bytes = 0;
    const auto start = clock::now();
    while (clock::now() < start + time) {
        const ssize_t sent = ::send(fd, piece.data(), piece.size(), MSG_NOSIGNAL);
        if (sent < 0) loop::throw_failed("cannot send to the server at --path-port");
        bytes += static_cast<double>(sent);
    }
    loop::checked(::shutdown(fd, SHUT_WR), "shutdown");
    char end = 0;
    if (::recv(fd, &end, 1, 0) != 0) loop::throw_failed("cannot receive from the server at --path-port");
    return bytes / std::chrono::duration<double>(clock::now() - start).count();
}

}  // namespace

path_quality measure_path(const loop::endpoint& discarder) {
    const histogram round_trips = measure_round_trips(discarder);
    return {round_trips.percentile_ns(50), round_trips.percentile_ns(99), measure_rate(discarder)};
}

}  // namespace loopbench::bench
