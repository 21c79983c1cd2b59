// The comparison that every proof of bytes is made of, in contenders, floors and the load generator alike.
//
// It is inside of timed sections, so it must cost next to nothing there. std::ranges::equal over std::byte
// would be a loop of one byte at a time (libstdc++ turns it into memcmp for integers only, and an enum is
// none): for a chunk of 64 KiB that was more than the system calls that carried it.
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
