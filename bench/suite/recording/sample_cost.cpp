#include "bench/suite/recording/sample_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "bench/suite/recording/histogram.hpp"

namespace loopbench::bench {

double sample_cost_ns() {
    using clock = std::chrono::steady_clock;
    constexpr int tries = 5;
    constexpr std::int64_t samples = 5000;
    histogram values;
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < tries; ++i) {
        const clock::time_point begin = clock::now();
        clock::time_point start = begin;
        for (std::int64_t sample = 0; sample < samples; ++sample) {
            const clock::time_point end = clock::now();
            // The changing factor spreads the values over the histogram's counters, like real latencies.
            values.record(std::chrono::nanoseconds(end - start).count() * (sample % 97));
            start = end;
        }
        least = std::min(least, std::chrono::duration<double, std::nano>(start - begin).count());
    }
    return least / static_cast<double>(samples);
}

}  // namespace loopbench::bench
