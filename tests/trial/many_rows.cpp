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
                             "encode/radix64/3",
                             "encode/radix64/64",
                             "encode/radix64",
                             "encode_with_buffer/radix64/3",  // bheisler/criterion.rs#304
                             "find",
                             "find_all",  // vincenthz/hs-gauge#80
                             "ideal/999",
                             "ideal/9999_median",  // google/benchmark#1484
                             "stm32f4",
                             "stm32f4-0.14.0",  // rust-lang/rustc-perf#1279
                             "test1",
                             "test10",  // google/benchmark#847
                             "lhs[0/(a|b)]",
                             "lhs[0/(a|b)] vs. rhs[.*]",
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
    // Equal names of other forms: haskell/containers#621, llvm/llvm-project#215676, bpftrace/bpftrace#4390,
    // ordo-one/benchmark#20, ocurrent/current-bench#62, ocaml-multicore/multicore-bench#29
    for (int i = 0; i < 2; ++i) {
        add("same")->Arg(8);
        add("same")->Iterations(50);
        add("same/8");
        add("same_mean");
        add("same[0/*]");
        add("same/#1/2");
        add("")->Arg(1);
    }
}

void add_counters() {
    benchmark::RegisterBenchmark("counters", [](benchmark::State& state) {
        for ([[maybe_unused]] auto _ : state) state.SetIterationTime(1e-3);
        for (const auto* name : {"real_time",
                                 "cpu_time",
                                 "time",
                                 "family_index",
                                 "per_family_instance_index",
                                 "repetition_index",
                                 "name",
                                 "run_name",
                                 "error_occurred",
                                 "skipped",
                                 "error_message",
                                 "skip_message",
                                 "run_type",
                                 "aggregate_name",
                                 "time_unit",
                                 "threads",
                                 "iterations",
                                 "repetitions",
                                 "label",
                                 "big_o",
                                 "rms",
                                 "cpu_coefficient"})
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
