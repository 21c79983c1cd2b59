#pragma once

#include <algorithm>
#include <chrono>

namespace loopbench::bench {

/// Returns the time of one call, measured in the fastest of several batches of calls. Slower batches are
/// ignored, because a single preemption makes a batch hundreds of times as long. `clock` measures the
/// batches; each batch takes some microseconds.
template <class clock, class function>
double fastest_call_ns(int batches, int calls, function call) {
    auto least = clock::duration::max();
    for (int batch = 0; batch < batches; ++batch) {
        const auto start = clock::now();
        for (int i = 0; i < calls; ++i) call();
        least = std::min(least, clock::now() - start);
    }
    return std::chrono::duration<double, std::nano>{least}.count() / calls;
}

template <class clock>
double cost_of_clock_ns() {
    constexpr int batches = 64, calls = 500;
    return fastest_call_ns<clock>(batches, calls, [] { [[maybe_unused]] const auto now = clock::now(); });
}

}  // namespace loopbench::bench
