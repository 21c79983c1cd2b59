// A thread between client and server passes on every message: whole, in pieces, changed, or not at all.
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

struct passing {
    std::size_t connection;
    direction which;
    std::uint64_t number;  // of the round trip, from 0, including the warm-up
    std::span<std::byte> bytes;
};

enum class fate {
    whole,
    in_pieces,
    interrupted,  // in two pieces, between which the wire's creating thread gets SIGUSR1
    cut_off,      // only the first byte arrives; then the connection ends
    last,         // after all other directions of the connection have been shut down
};

class wire {
public:
    /// For each message of `bytes` bytes, the wire's thread calls `decide`, which returns the message's fate
    /// and can change its bytes.
    wire(std::size_t connections, std::function<fate(const passing&)> decide, std::size_t bytes = 64);
    wire(const wire&) = delete;
    wire& operator=(const wire&) = delete;
    ~wire();

    std::span<const connection> connections() const noexcept { return ends_; }

private:
    struct link {
        loop::unique_fd to_client;
        loop::unique_fd to_server;
        std::array<std::uint64_t, 2> carried{};
    };

    void carry_messages();
    void carry(std::size_t connection, direction which);
    static void cut(const link& cut_link);

    std::function<fate(const passing&)> decide_;
    std::vector<std::byte> message_;
    std::vector<connection> ends_;
    std::vector<link> links_;
    loop::unique_fd stop_;
    const pthread_t maker_ = ::pthread_self();
    std::thread thread_;  // the last member, because it uses all members above
};

}  // namespace loopbench::bench::floors
