// A contender that needs much cache, for settle_evidence.py. Each operation reads a cache line that holds the
// index of the next one, so that neither prefetching nor reordering hides how neighbours changed the caches.
// In a slice it reads its whole block at least once.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "bench/statistics/random.hpp"
#include "bench/workloads/trial/trial.hpp"

namespace {

using loopbench::bench::trial;
using loopbench::bench::trial_size;
using loopbench::bench::turn_settings;

struct alignas(64) cache_line {
    std::size_t next = 0;
};

/// A cycle through all lines in random order, and this order.
struct circle {
    explicit circle(std::size_t bytes) : lines(bytes / sizeof(cache_line)), order(lines.size()) {
        std::mt19937_64 random{1};
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        for (std::size_t left = order.size(); left > 1; --left)
            std::swap(order[left - 1], order[loopbench::bench::below(random, left)]);
        for (std::size_t i = 0; i < order.size(); ++i) lines[order[i]].next = order[(i + 1) % order.size()];
    }
    std::vector<cache_line> lines;
    std::vector<std::size_t> order;
};

std::optional<turn_settings> turns() {
    const char* const text = std::getenv("LOOPBENCH_TURNS");
    return text == nullptr ? std::nullopt : std::optional{loopbench::bench::parse_turns(text)};
}

void walk(benchmark::State& state) {
    const circle all{static_cast<std::size_t>(state.range(0))};
    const auto settings = turns();
    while (state.KeepRunningBatch(state.max_iterations)) {
        const auto iterations = static_cast<std::uint64_t>(state.max_iterations);
        constexpr std::uint64_t until_told = std::uint64_t{1} << 62U;
        trial t{trial_size::real, settings ? until_told : iterations, false, 0, settings};
        std::size_t here = all.order.front();
        constexpr std::uint64_t step = 1024;
        t.begin({.operations = step});
        while (const std::uint64_t count = t.next())
            for (std::uint64_t i = 0; i < count; ++i) here = all.lines[here].next;
        t.end();
        t.prove("the line that it came to", all.order[t.operations_done() % all.order.size()], here);
        if (const auto failure = t.failure()) {
            state.SkipWithError(failure->c_str());
            break;
        }
        const double wall_s = std::chrono::duration<double>(t.cost().wall).count();
        state.SetIterationTime(wall_s / static_cast<double>(t.operations_timed()) *
                               static_cast<double>(iterations));
    }
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    auto* const registered =
        benchmark::RegisterBenchmark("cache/walk", walk)->ArgName("bytes")->UseManualTime();
    for (const std::int64_t bytes : {1 << 20, 4 << 20}) registered->Arg(bytes);
    if (std::getenv("LOOPBENCH_TURNS") != nullptr) registered->Iterations(1);
    benchmark::AddCustomContext("contender", "hungry");
    benchmark::AddCustomContext("turns", "1");
    benchmark::RunSpecifiedBenchmarks();
    return EXIT_SUCCESS;
}
