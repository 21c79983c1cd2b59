// A third-party Google Benchmark program with output that is difficult to parse: odd names, units,
// repetitions, aggregates, counters, threads and errors. The program sets its times (SetIterationTime), so
// that they are the same on every machine; only real/chain does real work. SLOWER_PCT is the slowdown of the
// build in per cent.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

constexpr double slower = 1 + SLOWER_PCT / 100.0;

void set_times(benchmark::State& state, double us) {
    const double luck = 1 + 0.001 * (::getpid() * 37 % 7 - 3);
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(us * 1e-6 * luck * slower);
}

void plain(benchmark::State& state) {
    set_times(state, 100);
}
BENCHMARK(plain)->Name("set/plain")->UseManualTime();
BENCHMARK(plain)
    ->Name(R"(set/odd name: sort<std::pair<int, long>>(a, b)[3]{2}+*?.^$|\ "q" ü -x)")
    ->UseManualTime();
BENCHMARK(plain)->Name("set/unit")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(plain)->Name("set/repeated")->UseManualTime()->Repetitions(3);
BENCHMARK(plain)->Name("set/aggregates")->UseManualTime()->Repetitions(3)->ReportAggregatesOnly(true);
BENCHMARK(plain)->Name("set/iterations")->UseManualTime()->Iterations(10);

void counted(benchmark::State& state) {
    set_times(state, 100);
    state.SetItemsProcessed(state.iterations() * 7);
    state.SetBytesProcessed(state.iterations());
    state.counters["own"] = 3;
    state.counters["rate per s"] = benchmark::Counter(1, benchmark::Counter::kIsRate);
    state.SetLabel("a label, with \"quotes\"");
}
BENCHMARK(counted)->Name("set/counters")->UseManualTime();

void of_size(benchmark::State& state) {
    set_times(state, static_cast<double>(state.range(0)));
    state.SetComplexityN(state.range(0));
}
BENCHMARK(of_size)->Name("set/complexity")->Arg(64)->Arg(128)->UseManualTime()->Complexity();

void threaded(benchmark::State& state) {
    set_times(state, 100);
}
BENCHMARK(threaded)->Name("set/threads")->UseManualTime()->Threads(1)->Threads(2);

/// The program's argv[0]. Programs find their data files next to it.
const char* called = "";

void finds_itself(benchmark::State& state) {
    if (::access(called, X_OK) != 0) state.SkipWithError("argv[0] is not the path of the program");
    set_times(state, 100);
}
BENCHMARK(finds_itself)->Name("set/argv0")->UseManualTime();

void broken(benchmark::State& state) {
    state.SkipWithError("no such device");
    for ([[maybe_unused]] auto _ : state) {
    }
}
BENCHMARK(broken);

void chain(benchmark::State& state) {
    constexpr auto rounds = static_cast<std::int64_t>(100'000 * slower);
    std::uint64_t value = 1;
    for ([[maybe_unused]] auto _ : state) {
        for (std::int64_t i = 0; i < rounds; ++i) {
            value = value * 6364136223846793005U + 1442695040888963407U;
            benchmark::DoNotOptimize(value);
        }
    }
}
BENCHMARK(chain)->Name("real/chain");

}  // namespace

int main(int argc, char** argv) {
    called = argv[0];
    for (int i = 1; i < argc; ++i)
        if (const std::string_view word = argv[i]; word.starts_with("--also="))
            benchmark::RegisterBenchmark(std::string{word.substr(7)}.c_str(), plain)->UseManualTime();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
