// A Google Benchmark program whose benchmarks are difficult to tell apart. The Nth benchmark takes N
// microseconds, which the program sets itself.
#include <benchmark/benchmark.h>

#include <initializer_list>
#include <limits>
#include <string>

namespace {

using benchmark::internal::Benchmark;

Benchmark* add(const std::string& name) {
    static int number = 0;
    const double seconds = ++number * 1e-6;
    return benchmark::RegisterBenchmark(name.c_str(),
                                        [seconds](benchmark::State& state) {
                                            for ([[maybe_unused]] auto _ : state)
                                                state.SetIterationTime(seconds);
                                        })
        ->UseManualTime();
}

void add_names() {
    for (const auto* name : {"f/1/1/1",
                             "f/1/1/16",
                             "f/1/1/128",  // google/benchmark#1695
                             "g/n:1",
                             "g/n:10",
                             "g/n:-1",
                             "sort<int, long>",
                             "Sort<int, long>",
                             "quote<'\"'>",  // google/benchmark#107
                             "back\\slash",
                             "größe/日本語",
                             " blank ",
                             "tab\there",
                             "-dash",
                             "end/",
                             "a//b",
                             "%s%n",
                             "h#1",
                             "h",
                             "h/#1",
                             "real_time",
                             "threads:2",
                             "x_mean",
                             "x_stddev",
                             "x",
                             "yield",
                             "idle/mine",
                             "served/mine",
                             "command"})
        add(name);
    add(std::string(3000, 'l'));
}

void add_variants() {
    add("variant");
    add("variant")->Iterations(50);
    add("variant")->MinTime(0.002);
    add("variant")->MinWarmUpTime(0.001);
    add("variant")->MeasureProcessCPUTime();  // google/benchmark#970
    add("variant")->Threads(1);
    add("variant")->Threads(2);  // google/benchmark#769
    add("variant")->Repetitions(3);
    add("aggregates")->Repetitions(3)->ReportAggregatesOnly();
    add("statistics")
        ->Repetitions(3)
        ->ReportAggregatesOnly()
        ->ComputeStatistics("max", [](const std::vector<double>& times) { return times.back() + 1; });
    add("unit")->Unit(benchmark::kSecond);
    add("complexity")->Complexity();
    for (int i = 0; i < 3; ++i) add("same");  // Bodigrim/tasty-bench#9
}

void add_counters() {
    benchmark::RegisterBenchmark("counters", [](benchmark::State& state) {
        for ([[maybe_unused]] auto _ : state) state.SetIterationTime(1e-3);
        for (const auto* name : {"real_time", "cpu_time", "time", "family_index", "per_family_instance_index",
                                 "repetition_index", "name", "run_name", "error_occurred", "skipped"})
            state.counters[name] = 3;
        state.counters["nan"] = std::numeric_limits<double>::quiet_NaN();
        state.SetLabel("a \"label\"\twith a tab");
    })->UseManualTime();
}

}  // namespace

int main(int argc, char** argv) {
    add_names();
    add_variants();
    add_counters();
    benchmark::AddCustomContext("odd \"key\"", "back\\slash");  // google/benchmark#1479
    benchmark::AddCustomContext("date", "mine");
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
