// A third-party Google Benchmark program. With SLOWER=1, `computes` takes twice as long. `crowd` has twice as
// many threads as CPUs, and sets its times, so that they are the same in all trials.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <thread>

namespace {

void compute(std::int64_t rounds) {
    std::uint64_t value = 1;
    for (std::int64_t i = 0; i < rounds; ++i) {
        value = value * 6364136223846793005U + 1442695040888963407U;
        benchmark::DoNotOptimize(value);
    }
}

void crowd(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
        compute(500'000);
        state.SetIterationTime(1e-3);
    }
}

void computes(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) compute(SLOWER ? 400'000 : 200'000);
}
BENCHMARK(computes);

}  // namespace

int main(int argc, char** argv) {
    const int cpus = static_cast<int>(std::thread::hardware_concurrency());
    benchmark::RegisterBenchmark("crowd", crowd)->Threads(2 * cpus)->UseManualTime()->Iterations(100);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
