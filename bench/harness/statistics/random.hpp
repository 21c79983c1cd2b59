// std::mt19937_64 gives the same numbers with all standard libraries, but std::uniform_int_distribution and
// std::shuffle do not. Therefore only the generator comes from the standard library.
#pragma once

#include <cstdint>
#include <random>

namespace loopbench::bench {

/// Returns a uniform random number in [0, bound). `bound` must be above 0.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
    // The loop rejects the smallest (2^64 mod bound) values, because they would make small results more
    // likely. The first comparison avoids the division in almost all cases.
    for (;;)
        if (const auto value = random(); value >= bound || value >= (0 - bound) % bound) return value % bound;
}

}  // namespace loopbench::bench
