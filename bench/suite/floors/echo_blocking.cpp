// The echo floor echo_blocking makes four blocking calls per round trip. The calls never wait, because on
// loopback a message has arrived when send() returns.
//
// With many connections, only one request is in flight at a time. The difference between this floor and the
// other contenders therefore includes the cost of many requests in flight.
#include <sys/socket.h>

#include "bench/suite/floors/echo_floor.hpp"

namespace loopbench::bench::floors {

namespace {

int send_all(int fd, std::span<const std::byte> bytes) noexcept {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(bytes.size())) return 0;
    return sent < 0 ? errno : ECONNRESET;
}

/// Receives until `bytes` is full. Returns 0 or an errno. A loop is needed, because recv() can return a part
/// of the message even with MSG_WAITALL. This happens if a signal arrives, or if the kernel has other work
/// for the thread (for example, after an io_uring was closed).
int receive_all(int fd, std::span<std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t got = ::recv(fd, bytes.data(), bytes.size(), MSG_WAITALL);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : ECONNRESET;
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return 0;
}

int serve(echo_pair& pair, std::span<std::byte> buffer) noexcept {
    while (pair.unserved_bytes() > 0) {
        const ssize_t got = ::recv(pair.server, buffer.data(), buffer.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : ECONNRESET;
        const auto bytes = static_cast<std::size_t>(got);
        if (const int error = send_all(pair.server, buffer.first(bytes)); error != 0) return error;
        pair.served_bytes += bytes;
    }
    return 0;
}

bool make_round_trip(echo_pair& pair, std::span<std::byte> buffer, echo_phase& phase) noexcept {
    if (pair.counts.fail(send_all(pair.client, pair.next_request()))) return false;
    if (pair.counts.fail(serve(pair, buffer))) return false;
    if (pair.counts.fail(receive_all(pair.client, pair.reply))) return false;
    return pair.finish_round_trip(phase);
}

}  // namespace

void echo_blocking(std::span<const connection> connections, std::size_t bytes, trial& t) {
    const echo_messages messages(bytes);
    std::vector<echo_pair> pairs = make_pairs(connections, bytes, messages);
    server_buffer buffer = make_server_buffer(bytes);
    std::vector<echo_pair*> active;
    active.reserve(pairs.size());
    run_echo_trial(pairs, t, [&](echo_phase& phase) {
        for (echo_pair& pair : pairs)
            if (pair.enter(phase)) active.push_back(&pair);
        while (!active.empty())
            std::erase_if(active, [&](echo_pair* pair) { return !make_round_trip(*pair, buffer, phase); });
    });
}

}  // namespace loopbench::bench::floors
