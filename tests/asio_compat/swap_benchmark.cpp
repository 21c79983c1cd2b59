// A Google Benchmark program on Boost.Asio that knows nothing of loopbench.
#include <benchmark/benchmark.h>

#include "swap_context.hpp"

namespace {

void runs_contexts(benchmark::State& state) {
    for ([[maybe_unused]] auto unused : state)
        if (run_context() != 1) state.SkipWithError("the context ran nothing");
}
BENCHMARK(runs_contexts);

}  // namespace

BENCHMARK_MAIN();
