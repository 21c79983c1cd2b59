// A Google Benchmark program for public_reports_test.cpp. The environment variable BENCHMARKS names its
// benchmarks, separated by semicolons; those in SLOWER take 50 % longer, and those in SKIPPED are skipped.
// The variable THREADS chooses one benchmark with threads instead. PRODUCT=large adds 2,500 benchmarks.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::vector<std::string> names_in(const char* list) {
    std::vector<std::string> all;
    std::istringstream text{variable(list)};
    for (std::string name; std::getline(text, name, ';');)
        if (!name.empty()) all.push_back(name);
    return all;
}

bool is_in(const char* list, const std::string& name) {
    const auto all = names_in(list);
    return std::find(all.begin(), all.end(), name) != all.end();
}

void add_named(const std::string& name) {
    const double seconds = is_in("SLOWER", name) ? 15e-5 : 10e-5;
    const bool is_skipped = is_in("SKIPPED", name);
    benchmark::RegisterBenchmark(name.c_str(), [seconds, is_skipped](benchmark::State& state) {
        if (is_skipped) state.SkipWithError("unsupported: not on this machine");
        for ([[maybe_unused]] auto _ : state) state.SetIterationTime(seconds);
    })->UseManualTime();
}

void compute(std::int64_t rounds) {
    std::uint64_t value = 1;
    for (std::int64_t i = 0; i < rounds; ++i) {
        value = value * 6364136223846793005U + 1442695040888963407U;
        benchmark::DoNotOptimize(value);
    }
}

void computes(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) compute(100'000);
}

/// Computes with two threads of its own in each iteration, and waits for them.
void starts_threads(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
        std::thread one{compute, 200'000}, other{compute, 200'000};
        one.join();
        other.join();
    }
}

class fixture : public benchmark::Fixture {
public:
    void SetUp(benchmark::State& state) override {
        if (state.thread_index() == 0) rounds = 100'000;
    }
    void TearDown(benchmark::State&) override {}
    std::int64_t rounds = 100'000;
};

BENCHMARK_DEFINE_F(fixture, shared)(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) compute(100'000);
}

void add_with_threads(std::string_view how) {
    const auto add = [](const char* name) { return benchmark::RegisterBenchmark(name, computes); };
    if (how == "two") add("computes")->Threads(2);
    if (how == "range") add("computes")->ThreadRange(1, 4);
    if (how == "per cpu") add("computes")->ThreadPerCpu();
    if (how == "crowd") add("computes")->Threads(4 * static_cast<int>(std::thread::hardware_concurrency()));
    if (how == "real time") add("computes")->Threads(2)->UseRealTime();
    if (how == "process time") add("computes")->Threads(3)->MeasureProcessCPUTime()->UseRealTime();
    if (how == "one") add("computes")->Threads(1);
    if (how == "repeated") add("computes")->Threads(2)->Repetitions(3)->ReportAggregatesOnly();
    if (how == "iterations") add("computes")->Threads(2)->Iterations(5)->Repetitions(2);
    if (how == "argument") add("computes")->ArgName("threads")->Arg(8)->UseRealTime();
    if (how == "own name") add("threads:2");
    if (how == "name in front") add("threads:4/bytes:64");
    if (how == "fixture")
        benchmark::internal::RegisterBenchmarkInternal(new fixture_shared_Benchmark)->Threads(2);
    const auto own = [](const char* name) { return benchmark::RegisterBenchmark(name, starts_threads); };
    if (how == "unnamed") own("starts_threads");
    if (how == "unnamed, real time") own("starts_threads")->UseRealTime();
    if (how == "unnamed, process time")
        own("starts_threads")->ArgNames({"N", "num_threads"})->Args({1'000'000, 2})->MeasureProcessCPUTime();
}

}  // namespace

int main(int argc, char** argv) {
    for (const auto& name : names_in("BENCHMARKS")) add_named(name);
    if (variable("PRODUCT") == "large")
        for (int i = 0; i < 50; ++i)
            for (int j = 0; j < 50; ++j) add_named("product/" + std::to_string(i) + "/" + std::to_string(j));
    add_with_threads(variable("THREADS"));
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
