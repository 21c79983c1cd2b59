#include "bench/harness/profiling/profilers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "bench/harness/counting/callgrind.hpp"
#include "bench/harness/profiling/perf_script.hpp"
#include "bench/harness/profiling/profile.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

namespace {

using profiler = std::function<weighted_stacks(const counted_benchmark&)>;

/// Converts perf's record to text. perf cannot write text while it records.
std::string text_of_record(const std::string& perf, const std::string& record, int stop_fd) {
    constexpr std::size_t text_bytes_max = std::size_t{1} << 30U;
    // --no-inline: perf would start a process for each address to find inlined functions.
    auto ended = run_child({.command = {perf, "script", "--no-inline", "-F", "ip,sym,dso", "-i", record},
                            .environment = {},
                            .cpu = {},
                            .limit = std::chrono::minutes{2},
                            .output_bytes_max = text_bytes_max,
                            .stop_fd = stop_fd});
    if (ended.end == child_end::stopped) throw out_of_time{"interrupted"};
    if (ended.end != child_end::exited || ended.code != 0)
        throw uncountable{"`perf script` failed: {}", ended.error_tail.substr(0, 200)};
    return std::move(ended.output);
}

/// Samples the CPU time with the kernel's timer, which needs no hardware counter. The kernel copies the stack
/// with each sample, because most programs are compiled without frame pointers.
weighted_stacks sample_with_perf(const std::string& perf, const counted_benchmark& of) {
    constexpr std::chrono::milliseconds long_enough{1000};
    constexpr double fewest = 50;
    const record_file record;
    of.run(of.amount_for(long_enough),
           {perf, "record", "-q", "--no-buildid", "--no-buildid-cache", "-e", "cpu-clock", "-F", "997",
            "--call-graph", "dwarf,16384", "-o", record.path(), "--"},
           {});
    auto found = stacks_in_perf_script(text_of_record(perf, record.path(), of.time().stop_fd));
    if (total_weight(found) < fewest) throw uncountable{"perf recorded only {} samples", total_weight(found)};
    return found;
}

weighted_stacks count_with_callgrind(const std::string& valgrind, const counted_benchmark& of) {
    constexpr std::chrono::milliseconds long_enough{500};
    const record_file record;
    command_words front = callgrind_arguments(record.path());
    front.insert(front.begin(), valgrind);
    of.run(of.amount_for(long_enough), front, {});
    return stacks_in_callgrind(record.contents());
}

struct named_profiler {
    std::string name;
    profiler run;
};

std::vector<named_profiler> installed_profilers() {
    std::vector<named_profiler> all;
    if (const auto perf = program_in_path("perf"))
        all.push_back({"perf", [perf](const auto& of) { return sample_with_perf(*perf, of); }});
    if (const auto valgrind = program_in_path("valgrind"))
        all.push_back(
            {"callgrind", [valgrind](const auto& of) { return count_with_callgrind(*valgrind, of); }});
    return all;
}

std::string remedy_for(const std::string& failures) {
    return failures.empty()
               ? "neither perf nor valgrind is installed; install perf (on Debian, apt-get install "
                 "linux-perf) or valgrind (apt-get install valgrind)"
               : failures +
                     "; allow profiling (sysctl kernel.perf_event_paranoid=2; containers "
                     "need the capability PERFMON), or install valgrind";
}

}  // namespace

void compare_functions(reports::slowdown_cause& found, const two_builds& builds,
                       const measured_times& times) {
    std::string failures;
    for (const auto& [name, run] : installed_profilers()) {
        try {
            const profiled_build before{run(builds.before), times.before_ns},
                after{run(builds.after), times.after_ns};
            found.profiled = compare_profiles(name, before, after);
            return;
        } catch (const out_of_time&) {
            throw;
        } catch (const uncountable& error) {
            failures += fmt::format("{}{}: {}", failures.empty() ? "" : "; ", name, error.what());
        }
    }
    found.missing.push_back("functions were not profiled: " + remedy_for(failures));
}

}  // namespace loopbench::bench
