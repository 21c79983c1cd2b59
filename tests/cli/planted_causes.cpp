// A Google Benchmark program with planted slowdowns. With SLOWER=1, each benchmark takes about eight times as
// long, for another cause. With SLOWER=0, the program is the base of comparisons.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

constexpr std::int64_t rounds = 20'000, rounds_if_slower = SLOWER ? 8 * rounds : rounds;

[[gnu::noinline]] void compute(std::int64_t times) {
    std::uint64_t value = 1;
    for (std::int64_t i = 0; i < times; ++i) {
        value = value * 6364136223846793005U + 1442695040888963407U;
        benchmark::DoNotOptimize(value);
    }
}

[[gnu::noinline]] void planted_function() {
    compute(0);
    std::uint64_t value = 1;
    for (std::int64_t i = 0; i < (SLOWER ? 8 * rounds : rounds / 10); ++i) {
        value = value ^ (value << 13U) ^ static_cast<std::uint64_t>(i);
        benchmark::DoNotOptimize(value);
    }
}

int null_device() {
    static const int opened = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    return opened;
}

void allocate(std::size_t bytes) {
    void* volatile planted = std::malloc(bytes);
    std::free(planted);
}

void writes(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
        compute(rounds_if_slower);
        if (::write(null_device(), "x", 1) != 1) state.SkipWithError("cannot write");
        for (int i = 0; i < 2 * SLOWER; ++i) benchmark::DoNotOptimize(::write(null_device(), "x", 1));
    }
}
BENCHMARK(writes);

void allocates(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
        compute(rounds_if_slower);
        if (SLOWER) allocate(48);
    }
}
BENCHMARK(allocates);

void calls_a_function(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
        compute(rounds);
        planted_function();
    }
}
BENCHMARK(calls_a_function);

/// Allocates much more memory outside the loop.
void sets_up(benchmark::State& state) {
    for (int i = 0; i < (SLOWER ? 5000 : 10); ++i) allocate(100);
    for ([[maybe_unused]] auto _ : state) compute(rounds_if_slower);
}
BENCHMARK(sets_up);

void has_fixed_iterations(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
        compute(rounds_if_slower);
        if (SLOWER) benchmark::DoNotOptimize(::write(null_device(), "x", 1));
    }
}
BENCHMARK(has_fixed_iterations)->Iterations(50);

void uses_threads(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
        compute(rounds_if_slower);
        if (SLOWER) allocate(32);
    }
}
BENCHMARK(uses_threads)->Threads(2)->UseRealTime();

/// Writes megabytes to the standard error, so that the log of the library is lost.
void writes_messages(benchmark::State& state) {
    static const std::string message(4000, '.');
    for ([[maybe_unused]] auto _ : state) {
        compute(rounds_if_slower);
        std::cerr << message << '\n';
    }
}
BENCHMARK(writes_messages);

}  // namespace

BENCHMARK_MAIN();
