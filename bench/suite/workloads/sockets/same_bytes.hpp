// The comparison of bytes that every proof uses, in contenders, floors and the load generator alike.
//
// It runs inside timed sections, so it must cost almost nothing. std::ranges::equal over std::byte would
// compare one byte at a time (libstdc++ turns it into memcmp only for integers, and an enum is not one). For
// a chunk of 64 KiB, that took longer than the system calls that carried the chunk.
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
