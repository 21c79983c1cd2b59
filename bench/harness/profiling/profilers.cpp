#include "bench/harness/profiling/profilers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/harness/counting/callgrind.hpp"
#include "bench/harness/profiling/perf_script.hpp"
#include "bench/harness/profiling/profile.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {

namespace {

/// A profiler counts the samples, or the instructions, in each stack. The count tools then give the weight of
/// a stack per operation, without that of start-up and set-up.
class profiler : public count_tool {
public:
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual bool is_exact() const = 0;
    [[nodiscard]] virtual bool sees_kernel() const = 0;

protected:
    static named_counts counts_of(const weighted_stacks& stacks) {
        named_counts counts;
        for (const auto& [stack, weight] : stacks)
            counts[{reports::count_kind::system_call, stack}] = weight;  // the kind has no meaning here
        return counts;
    }
};

/// Samples the CPU time with the kernel's timer, which needs no hardware counter. The kernel copies the stack
/// with each sample, because most programs are compiled without frame pointers.
class perf_sampling : public profiler {
public:
    explicit perf_sampling(std::string perf) : perf_{std::move(perf)} {}

    [[nodiscard]] std::string name() const override { return "perf"; }
    [[nodiscard]] bool is_exact() const override { return false; }
    [[nodiscard]] bool sees_kernel() const override { return sees_kernel_; }
    [[nodiscard]] wanted_work work() const override { return {.least = std::chrono::milliseconds{700}}; }

    process_counts count(const counted_benchmark& of, const amount_of_work& amount) const override {
        const record_file record;
        const auto process =
            of.run(amount,
                   {perf_, "record", "-q", "--no-buildid", "--no-buildid-cache", "-e", "cpu-clock", "-F",
                    "997", "--call-graph", "dwarf,16384", "-o", record.path(), "--"},
                   {});
        const auto text = text_of(record.path(), of.time());
        sees_kernel_ = sees_kernel_ || text.find("([kernel") != std::string::npos;
        return {counts_of(stacks_in_perf_script(text)), process.work};
    }

private:
    std::string perf_;
    mutable bool sees_kernel_ = false;  // true if a sample was in the kernel

    /// Converts perf's record to text. perf cannot write text while it records.
    [[nodiscard]] std::string text_of(const std::string& record, const time_for_pass& time) const {
        constexpr std::size_t text_bytes_max = std::size_t{1} << 30U;
        const std::chrono::nanoseconds left = time.end - time_for_pass::clock::now(),
                                       longest = std::chrono::minutes{2};
        if (left <= left.zero()) throw out_of_time{"the time was over"};
        // --no-inline: perf would start a process for each address to find inlined functions.
        auto ended = run_child({.command = {perf_, "script", "--no-inline", "-F", "ip,sym,dso", "-i", record},
                                .environment = {{"DEBUGINFOD_URLS", ""}},  // no downloads
                                .cpu = {},
                                .limit = std::min(left, longest),
                                .output_bytes_max = text_bytes_max,
                                .stop_fd = time.stop_fd});
        if (ended.end == child_end::stopped || ended.end == child_end::timed_out)
            throw out_of_time{"the time was over"};
        if (ended.end != child_end::exited || ended.code != 0)
            throw uncountable{"`perf script` failed: {}", ended.error_tail.substr(0, 200)};
        return std::move(ended.output);
    }
};

class callgrind_profiling : public profiler {
public:
    explicit callgrind_profiling(std::string valgrind) : valgrind_{std::move(valgrind)} {}

    [[nodiscard]] std::string name() const override { return "callgrind"; }
    [[nodiscard]] bool is_exact() const override { return true; }
    [[nodiscard]] bool sees_kernel() const override { return false; }
    [[nodiscard]] wanted_work work() const override { return work_for_callgrind; }

    process_counts count(const counted_benchmark& of, const amount_of_work& amount) const override {
        const record_file record;
        auto front = callgrind_arguments(record.path());
        front.insert(front.begin(), valgrind_);
        const auto process = of.run(amount, front, {});
        return {counts_of(stacks_in_callgrind(record.contents())), process.work};
    }

private:
    std::string valgrind_;
};

std::vector<std::unique_ptr<profiler>> installed_profilers() {
    std::vector<std::unique_ptr<profiler>> all;
    if (const auto perf = program_in_path("perf")) all.push_back(std::make_unique<perf_sampling>(*perf));
    if (const auto valgrind = program_in_path("valgrind"))
        all.push_back(std::make_unique<callgrind_profiling>(*valgrind));
    return all;
}

void add(profiled_build& to, const counts_per_operation& counts, bool is_exact) {
    for (const auto& [key, weight] : counts.counts) to.stacks[key.second] += weight;
    if (is_exact) return;
    for (const auto& [key, variance] : counts.variances) to.variances[key.second] += variance;
}

/// Returns the number of samples that would be as precise as the weights, as a share of a sufficient number.
double precision_of(const profiled_build& of) {
    constexpr double enough = 250;
    const double weight = total_weight(of.stacks), variance = total_weight(of.variances);
    return weight <= 0 ? 0 : variance > 0 ? weight * weight / variance / enough : 1;
}

/// Profiles both builds up to five times, until there are enough samples.
reports::profile profile_with(const profiler& with, const two_builds& builds,
                              const reports::slowdown_cause& found, const measured_times& times) {
    constexpr double most_rounds = 5;
    profiled_build before{.stacks = {}}, after{.stacks = {}};
    bool set_up_included = false;
    for (double needed = 1, round = 0; round < needed; ++round) {
        const auto both = count_both(builds, with);
        add(before, both.before, with.is_exact());
        add(after, both.after, with.is_exact());
        set_up_included = set_up_included || both.before.set_up_included;
        const double precision = std::min(precision_of(before), precision_of(after));
        if (precision < 1) needed = (round + 1) / precision;
        if (needed > most_rounds)
            throw uncountable{
                "the profile has too few samples of the operations, because the benchmark spends most of its "
                "time waiting or outside its loop"};
    }
    before.sees_kernel = after.sees_kernel = with.sees_kernel();
    // Without a CPU time, all time counts as time in user space.
    before.time = found.time_before.value_or(reports::operation_time{times.before_ns, times.before_ns, 0});
    after.time = found.time_after.value_or(reports::operation_time{times.after_ns, times.after_ns, 0});
    auto compared = compare_profiles(with.name(), before, after);
    compared.set_up_included = set_up_included;
    return compared;
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
    for (const auto& each : installed_profilers()) {
        try {
            found.profiled = profile_with(*each, builds, found, times);
            return;
        } catch (const out_of_time&) {
            throw;
        } catch (const uncountable& error) {
            failures += fmt::format("{}{}: {}", failures.empty() ? "" : "; ", each->name(), error.what());
        }
    }
    found.missing.push_back("functions were not profiled: " + remedy_for(failures));
}

}  // namespace loopbench::bench
