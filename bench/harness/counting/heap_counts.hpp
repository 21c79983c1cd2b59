#pragma once

#include <atomic>
#include <cstdint>

namespace loopbench::bench {

/// The content of the file in which the malloc counter counts. Several processes map the file at once. It
/// begins with zeros.
struct heap_counts {
    std::atomic<std::uint64_t> allocations{0}, bytes{0};
    std::atomic<std::uint64_t> loaded{0};   // programs that loaded the malloc counter, which counts all of
                                            // their allocations
    std::atomic<std::uint64_t> started{0};  // programs that the programs with the malloc counter started
};

}  // namespace loopbench::bench
