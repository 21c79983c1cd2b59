// What goes over streams and pipes in the tests, and how it is read.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "bench/runtime.hpp"

namespace loopbench::conformance {

/// No two pieces of it are alike, so that one in the wrong place shows.
inline std::vector<std::byte> numbered_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * 2654435761u) >> 13);
    return bytes;
}

/// Reads a stream or a pipe to its end, in pieces, and lets others run between them.
template <bench::Runtime R, class Source>
bench::task_of<R> read_to_end(R& runtime, Source& source, std::vector<std::byte>& received,
                              std::size_t piece) {
    std::vector<std::byte> buffer(piece);
    for (;;) {
        const auto result = co_await source.read_some(buffer);
        EXPECT_EQ(result.error, 0);
        if (result.error != 0 || result.bytes == 0) co_return;
        received.insert(received.end(), buffer.begin(),
                        buffer.begin() + static_cast<std::ptrdiff_t>(result.bytes));
        co_await runtime.yield();
    }
}

}  // namespace loopbench::conformance
