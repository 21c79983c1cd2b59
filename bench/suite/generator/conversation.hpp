#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bench/suite/workloads/sockets/echo_session.hpp"

namespace loopbench::bench {

inline constexpr std::string_view http_request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
inline constexpr std::string_view http_reply =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, world\n";

/// The requests and their expected replies. They are either distinct messages, which the server echoes, or
/// one HTTP request and its reply. With HTTP, the generator can be compared with HTTP benchmark tools.
class conversation {
public:
    conversation(std::size_t bytes, bool http) : http_(http), messages_(bytes) {}

    std::span<const std::byte> request(std::size_t connection, std::uint64_t number) const noexcept {
        return http_ ? bytes_of(http_request) : messages_.message(connection, number);
    }
    std::span<const std::byte> reply(std::size_t connection, std::uint64_t number) const noexcept {
        return http_ ? bytes_of(http_reply) : messages_.message(connection, number);
    }

private:
    static std::span<const std::byte> bytes_of(std::string_view text) noexcept {
        return std::as_bytes(std::span(text.data(), text.size()));
    }

    bool http_;
    workloads::detail::echo_messages messages_;
};

}  // namespace loopbench::bench
