// Random numbers that are the same on every machine: std::uniform_int_distribution and std::shuffle may
// differ between libraries, std::mt19937_64 may not.
#pragma once

#include <cstdint>
#include <random>

namespace loopbench::bench {

/// Uniform in [0, bound), by rejection of the part of the range that would favour small values. `bound` > 0.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
    // Of 2^64 values 2^64 mod bound are unfair, the smallest; a division hardly ever has to say how many.
    for (;;)
        if (const auto value = random(); value >= bound || value >= (0 - bound) % bound) return value % bound;
}

}  // namespace loopbench::bench
