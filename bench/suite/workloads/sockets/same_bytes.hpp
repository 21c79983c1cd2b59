// The comparison uses memcmp. std::ranges::equal over std::byte would compare one byte at a time, because
// libstdc++ uses memcmp only for integers. For a chunk of 64 KiB, this took longer than the system calls that
// transferred the chunk.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace loopbench::bench::workloads {

inline bool same_bytes(std::span<const std::byte> one, std::span<const std::byte> other) noexcept {
    return one.size() == other.size() &&
           (one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0);
}

}  // namespace loopbench::bench::workloads
