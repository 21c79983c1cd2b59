// Random numbers that are the same on every machine. The results of std::mt19937_64 are the same in all
// libraries; those of std::uniform_int_distribution and std::shuffle are not.
#pragma once

#include <cstdint>
#include <random>

namespace loopbench::bench {

/// Returns a uniform random number in [0, bound). Rejects the values that would make small results more
/// likely. `bound` must be above 0.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
    // The smallest (2^64 mod bound) values must be rejected. The division that computes this limit is rarely
    // executed.
    for (;;)
        if (const auto value = random(); value >= bound || value >= (0 - bound) % bound) return value % bound;
}

}  // namespace loopbench::bench
