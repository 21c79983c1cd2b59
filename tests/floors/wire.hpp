// The wire is a thread between client and server. It passes on each message as a whole, in pieces, or only
// its first byte. It can also change the bytes of a message.
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
    std::uint64_t number;  // number of the round trip on this connection, from 0, with the warm-up
    std::span<std::byte> bytes;
};

enum class fate {
    whole,
    in_pieces,
    interrupted,  // in two pieces; between them, the thread that made the wire gets SIGUSR1
    cut_off,      // only the first byte arrives; then the connection ends
    last,         // passed on after all other directions of the connection were shut down
};

class wire {
public:
    /// Starts the wire's thread. For each message of `bytes` bytes, the thread calls `decide`, which returns
    /// the message's fate and can change its bytes.
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
