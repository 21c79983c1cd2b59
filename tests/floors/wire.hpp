// Connections that a test can interfere with. A thread between the client and the server of each connection
// passes every message on: whole or in pieces, right or wrong, or not at all.
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

/// A message on its way.
struct passing {
    std::size_t connection;
    direction which;
    std::uint64_t number;  // of the round trip, from 0; the warm-up comes first
    std::span<std::byte> bytes;
};

enum class fate {
    whole,
    in_pieces,
    interrupted,  // in pieces; in between, the thread that made the wire gets SIGUSR1
    cut_off,      // after its first byte, and the connection ends as well
    last,         // whole, but the last one: everything else of the connection is cut before it arrives
};

class wire {
public:
    /// `decide` returns what happens to each message of `bytes` bytes, and can change its bytes. It is called
    /// in the wire's thread.
    wire(std::size_t connections, std::function<fate(const passing&)> decide, std::size_t bytes = 64);
    wire(const wire&) = delete;
    wire& operator=(const wire&) = delete;
    ~wire();  // ends all connections

    std::span<const connection> connections() const noexcept { return ends_; }

private:
    // The wire's ends of one connection.
    struct link {
        loop::unique_fd to_client;
        loop::unique_fd to_server;
        std::array<std::uint64_t, 2> carried{};  // messages, by direction
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
    std::thread thread_;  // last: it uses all members above
};

}  // namespace loopbench::bench::floors
