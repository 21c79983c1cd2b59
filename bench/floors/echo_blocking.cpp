// Four blocking calls a round trip. They never do block, because on loopback a message has arrived when send
// returns: so this is what TCP costs through system calls, with no waiting in it.
//
// With many connections they take turns. Every connection makes as many round trips as in the other
// contenders and is as far as its neighbours at any time, but only one request is on its way at once: what
// the others pay for keeping many in flight is the difference to this. A latency is counted from the end of
// the connection's last round trip, as everywhere, and so has the turns of all others in it.
#include <sys/socket.h>

#include "bench/floors/echo.hpp"

namespace loopbench::bench::floors {

namespace {

/// The error of a call that has to move a whole message; 0 when it did.
int error_of(ssize_t moved) noexcept {
    if (moved == static_cast<ssize_t>(sizeof(echo_message))) return 0;
    return moved < 0 ? errno : ECONNRESET;
}

int send_message(int fd, const echo_message& message) noexcept {
    return error_of(::send(fd, message.data(), message.size(), MSG_NOSIGNAL));
}

int receive_message(int fd, echo_message& message) noexcept {
    return error_of(::recv(fd, message.data(), message.size(), MSG_WAITALL));
}

/// False when the connection failed or has nothing left to do.
bool make_round_trip(echo_pair& pair, histogram* latency) noexcept {
    echo_message served;
    if (pair.counts.fail(send_message(pair.client, pair.next_request()))) return false;
    if (pair.counts.fail(receive_message(pair.server, served))) return false;
    if (pair.counts.fail(send_message(pair.server, served))) return false;
    pair.served_bytes += served.size();
    if (pair.counts.fail(receive_message(pair.client, pair.reply))) return false;
    return pair.finish_round_trip(latency);
}

}  // namespace

void echo_blocking(std::span<const connection> connections, trial& t) {
    std::vector<echo_pair> pairs = make_pairs(connections);
    std::vector<echo_pair*> active;
    active.reserve(pairs.size());
    run_echo_trial(pairs, t, [&](const echo_phase& phase) {
        for (echo_pair& pair : pairs)
            if (pair.enter(phase)) active.push_back(&pair);
        while (!active.empty())
            std::erase_if(active,
                          [&phase](echo_pair* pair) { return !make_round_trip(*pair, phase.latency); });
    });
}

}  // namespace loopbench::bench::floors
