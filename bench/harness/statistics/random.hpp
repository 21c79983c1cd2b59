// Random numbers that are the same on every machine: std::uniform_int_distribution and std::shuffle can
// differ between libraries, std::mt19937_64 cannot.
#pragma once

#include <cstdint>
#include <random>

namespace loopbench::bench {

/// Returns a uniform number in [0, bound); rejects the part of the range that would favour small values.
/// `bound` > 0.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
    // The smallest (2^64 mod bound) values must be rejected; the division that computes this limit is rarely
    // needed.
    for (;;)
        if (const auto value = random(); value >= bound || value >= (0 - bound) % bound) return value % bound;
}

}  // namespace loopbench::bench
