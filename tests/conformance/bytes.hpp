// What the tests of streams and pipes share: bytes, and tasks that carry them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tests/conformance/runtimes.hpp"

namespace loopbench::conformance {

inline std::vector<std::byte> bytes_of_number(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u) >> 13);
    return bytes;
}

/// Reads to the end, in pieces, and lets others run between them.
template <bench::Runtime R, class Reader>
task_of<R> receive_all(R& runtime, Reader& from, std::vector<std::byte>& received, std::size_t piece) {
    std::vector<std::byte> buffer(piece);
    for (;;) {
        const auto result = co_await from.read_some(buffer);
        EXPECT_EQ(result.error, 0);
        if (result.error != 0 || result.bytes == 0) co_return;
        const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(result.bytes);
        received.insert(received.end(), buffer.begin(), end);
        co_await runtime.yield();
    }
}

/// A read that must end without a byte, and with this error.
template <bench::Runtime R, class Reader>
task_of<R> read_fails(Reader& from, int error) {
    std::array<std::byte, 16> buffer;
    const auto result = co_await from.read_some(buffer);
    EXPECT_EQ(result.error, error);
    EXPECT_EQ(result.bytes, 0u);
}

/// Writes until it fails, with this error or the other.
template <bench::Runtime R, class Writer>
task_of<R> write_fails(Writer& to, int error, int or_error) {
    const auto bytes = bytes_of_number(1000);
    int failed = 0;
    for (int i = 0; i < 100 && failed == 0; ++i) {
        const auto result = co_await to.write_all(bytes);
        failed = result.error;
    }
    EXPECT_TRUE(failed == error || failed == or_error) << failed;
}

}  // namespace loopbench::conformance
