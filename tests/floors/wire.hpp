// Connections in which a thread between client and server passes on every message. For each message, a test
// decides whether it arrives whole, in pieces, changed, or not at all.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "bench/suite/floors/connections.hpp"
#include "bench/suite/floors/echo_floor.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

enum class direction { request, reply };

/// A message that the wire has received and has not yet passed on.
struct passing {
    std::size_t connection;
    direction which;
    std::uint64_t number;  // number of the round trip, from 0, including the warm-up
    std::span<std::byte> bytes;
};

enum class fate {
    whole,
    in_pieces,
    interrupted,  // in two pieces, between which the wire's creating thread gets SIGUSR1
    cut_off,      // only the first byte arrives; then the connection ends
    last,         // whole, after the wire has shut down all other directions of the connection
};

class wire {
public:
    /// Makes `connections` connections. The wire's thread calls `decide` for each message of `bytes` bytes.
    /// `decide` returns the fate of the message and can change its bytes.
    wire(std::size_t connections, std::function<fate(const passing&)> decide, std::size_t bytes = 64);
    wire(const wire&) = delete;
    wire& operator=(const wire&) = delete;
    ~wire();  // ends all connections

    std::span<const connection> connections() const noexcept { return ends_; }

private:
    // The wire's two sockets of one connection: one to the client, one to the server.
    struct link {
        loop::unique_fd to_client;
        loop::unique_fd to_server;
        std::array<std::uint64_t, 2> carried{};  // number of messages in each direction
    };

    void carry_messages();
    void carry(std::size_t connection, direction which);
    static void cut(const link& cut_link);

    std::function<fate(const passing&)> decide_;
    std::vector<std::byte> message_;  // the message that is being passed on
    std::vector<connection> ends_;
    std::vector<link> links_;
    loop::unique_fd stop_;
    const pthread_t maker_ = ::pthread_self();
    std::thread thread_;  // the last member, because the thread uses all members above
};

}  // namespace loopbench::bench::floors
