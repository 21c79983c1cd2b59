// Counting runs up to seven short processes for each workload and contender. The first determines the number
// of operations N. Then each counter (the preloaded shared object, perf and strace) gets one process with N
// operations and one with 2N. If the counts vary, all of this is done three times or more.
#include "bench/harness/counting/counts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/counting/counted_benchmark.hpp"
#include "bench/harness/counting/tools.hpp"
#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/statistics/median.hpp"
#include "bench/harness/trial/run_trial.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view tracer_perf = "perf trace -s";

class contender_failed : public uncountable {
public:
    using uncountable::uncountable;
};

struct counted_run {
    std::uint64_t operations = 0;
    bool calibrated = false;
    std::int64_t voluntary_switches = 0;
    std::optional<std::string> record;
};

class counted_contender {
public:
    counted_contender(const contender& who, const std::string& workload, const counting_options& options)
        : who_{who}, workload_{workload}, options_{options}, executor_{options.stop_fd, watching::off} {}

    counted_run run(std::optional<std::uint64_t> operations, const command_words& front,
                    const variable_map& environment) {
        const auto ended = executor_.run({.who = who_,
                                          .workload = workload_,
                                          .min_time_s = 0.001,
                                          .size = workload_size::small,
                                          .limit = front.empty() ? options_.limit : options_.traced_limit,
                                          .operations = operations,
                                          .with_histogram_file = false,
                                          .front = front,
                                          .environment = environment});
        const bool failed = ended.status == reports::result_status::failed;
        if (failed && front.empty() && !ended.stopped) throw contender_failed{ended.reason};
        if (ended.status == reports::result_status::unsupported)
            throw uncountable{"unsupported: {}", ended.reason};
        if (failed) throw uncountable{ended.reason};
        if (!ended.operations)
            throw uncountable{
                "the contender does not report its number of operations (the counter `operations`)"};
        return {.operations = static_cast<std::uint64_t>(*ended.operations),
                .calibrated = ended.calibrated,
                .voluntary_switches = ended.usage.switches_voluntary,
                .record = {}};
    }

private:
    const contender& who_;
    const std::string& workload_;
    const counting_options& options_;
    process_executor executor_;
};

struct both_runs {
    counted_run small, large;

    double per_operation(double small_count, double large_count) const {
        return (large_count - small_count) / static_cast<double>(large.operations - small.operations);
    }
};

template <class Run>
both_runs run_both(std::uint64_t operations, Run run) {
    both_runs both{run(operations), run(2 * operations)};
    if (both.large.operations <= both.small.operations)
        throw uncountable{
            "the contender ignores the number of operations that LOOPBENCH_OPERATIONS requests: it did {} "
            "operations when {} were requested, and {} when {} were requested",
            both.small.operations, operations, both.large.operations, 2 * operations};
    return both;
}

/// Returns N, the number of operations to request. For workloads that work in batches (of at most 10,000
/// operations), N is a multiple of the batch size.
std::uint64_t operations_for(counted_contender& where) {
    constexpr std::uint64_t calibrated_operations = 20'000;
    const auto probe = where.run(std::nullopt, {}, {});
    return probe.calibrated ? calibrated_operations : std::max<std::uint64_t>(probe.operations, 1);
}

both_runs traced(counted_contender& where, std::uint64_t operations, const command_words& front_before_file,
                 const command_words& front_after_file) {
    return run_both(operations, [&](std::uint64_t count) {
        const record_file record;
        command_words front = front_before_file;
        front.push_back(record.path());
        front.insert(front.end(), front_after_file.begin(), front_after_file.end());
        try {
            auto result = where.run(count, front, {});
            result.record = record.content().value_or("");
            return result;
        } catch (const uncountable& error) {
            throw uncountable{"under {}: {}", fs::path{front.front()}.filename().native(), error.what()};
        }
    });
}

void take_names(operation_counts& counts, const both_runs& both, const system_calls& small,
                const system_calls& large) {
    const auto of = [](const system_calls& calls, const std::string& name) {
        const auto found = calls.by_name.find(name);
        return found == calls.by_name.end() ? 0.0 : static_cast<double>(found->second);
    };
    for (const auto* const calls : {&small, &large})
        for (const auto& entry : calls->by_name)
            if (const double each = both.per_operation(of(small, entry.first), of(large, entry.first));
                each != 0)
                counts.system_calls_by_name[entry.first] = each;
    counts.metrics["syscalls"] =
        both.per_operation(static_cast<double>(small.total()), static_cast<double>(large.total()));
}

bool count_with_perf(operation_counts& counts, counted_contender& where, std::uint64_t operations) {
    const auto perf = program_in_path("perf");
    if (!perf) return false;
    try {
        command_words front{*perf};
        front.insert(front.end(), perf_trace_arguments.begin(), perf_trace_arguments.end());
        const auto both = traced(where, operations, front, {"--"});
        const auto small = read_perf_trace(*both.small.record), large = read_perf_trace(*both.large.record);
        if (both.small.record == both.large.record) return false;
        take_names(counts, both, small, large);
        counts.tracer = tracer_perf;
        return true;
    } catch (const uncountable&) {
        return false;  // perf is probably not permitted; if strace also fails, it reports why
    } catch (const incomplete_record&) {
        return false;  // perf lost events; strace never loses events
    }
}

void count_with_strace(operation_counts& counts, counted_contender& where, std::uint64_t operations,
                       bool names_too) {
    const auto strace = program_in_path("strace");
    if (!strace) {
        counts.missing.push_back(
            "cannot count waits: strace is not installed; install it (apt-get install strace)");
        if (names_too)
            counts.missing.push_back(
                "cannot count system calls: perf is not installed or not permitted, and strace is not "
                "installed; install perf or strace");
        return;
    }
    const auto both =
        traced(where, operations, {*strace, "-f", "-qq", "-s", "0", "-e", "signal=none", "-o"}, {"--"});
    const auto read = [](const counted_run& run) {
        try {
            auto calls = read_strace_log(*run.record);
            if (!calls.by_name.contains("execve"))
                throw incomplete_record{"the log lacks the start of the process (execve)"};
            return calls;
        } catch (const incomplete_record& error) {
            throw uncountable{"strace's log is incomplete: {}; make sure that {} has free space",
                              error.what(), temporary_root().native()};
        }
    };
    const auto small = read(both.small), large = read(both.large);
    if (both.small.record == both.large.record)  // valid logs differ, because they contain process IDs
        throw uncountable{
            "strace wrote the same log for N operations as for 2N operations, so the log is not usable"};
    const auto take = [&](const char* metric, std::uint64_t before, std::uint64_t after) {
        counts.metrics[metric] = both.per_operation(static_cast<double>(before), static_cast<double>(after));
    };
    take("waits", small.waits, large.waits);
    take("empty_waits", small.empty_waits, large.empty_waits);
    take("zero_timeout_waits", small.zero_timeout_waits, large.zero_timeout_waits);
    if (!names_too) return;
    take_names(counts, both, small, large);
    counts.tracer = "strace -f";
}

void count_allocations_and_switches(operation_counts& counts, counted_contender& where,
                                    std::uint64_t operations, const fs::path& counter) {
    const bool can_count = ::access(counter.c_str(), R_OK) == 0;
    if (!can_count)
        counts.missing.push_back(
            fmt::format("cannot count allocations: {} does not exist; build or install loopbench again",
                        counter.native()));
    std::array<std::optional<heap_use>, 2> heap;
    std::size_t process = 0;
    const auto both = run_both(operations, [&](std::uint64_t count) {
        if (!can_count) return where.run(count, {}, {});
        const heap_record record{counter.native()};
        const auto result = where.run(count, {}, record.environment());
        heap[process++] = record.content();
        return result;
    });
    counts.operations = both.large.operations - both.small.operations;
    counts.metrics["context_switches"] =
        both.per_operation(static_cast<double>(both.small.voluntary_switches),
                           static_cast<double>(both.large.voluntary_switches));
    if (!can_count) return;
    if (!heap[0] || !heap[1]) {
        counts.missing.push_back(
            "cannot count allocations: the contender is statically linked or contains its own allocator; "
            "link it dynamically, with the allocator of the C library");
        return;
    }
    counts.metrics["allocations"] = both.per_operation(heap[0]->allocations, heap[1]->allocations);
    counts.metrics["allocated_bytes"] = both.per_operation(heap[0]->bytes, heap[1]->bytes);
}

}  // namespace

fs::path default_malloc_counter() {
    return installed_file("libloopbench_malloc_counter.so");
}

namespace {

operation_counts count_once(const contender& who, const std::string& workload,
                            const counting_options& options) {
    operation_counts counts;
    try {
        refuse_workload_without_slope(workload);
        counted_contender where{who, workload, options};
        const auto operations = operations_for(where);
        count_allocations_and_switches(counts, where, operations, options.malloc_counter);
        const bool perf = count_with_perf(counts, where, operations);
        // The two tracers change differently how often threads wait for each other.
        if (!perf || !counts_vary(workload)) count_with_strace(counts, where, operations, !perf);
    } catch (const contender_failed& error) {
        counts.failed = true;
        counts.missing.emplace_back(error.what());
    } catch (const uncountable& error) {
        counts.missing.emplace_back(error.what());
    }
    const auto* const shape = find_shape(workload);
    if (shape != nullptr && shape->threads > 0 && !counts.tracer.empty()) {
        const auto found = counts.system_calls_by_name.find("futex");
        counts.metrics["futex_calls"] = found == counts.system_calls_by_name.end() ? 0 : found->second;
    }
    return counts;
}

/// Returns the median of each count. A median below zero means that the counts vary by more than the
/// operations cause; `missing` then has the reason instead.
operation_counts medians_of(const std::vector<operation_counts>& all) {
    operation_counts medians;
    medians.operations = all.front().operations;
    medians.tracer = all.front().tracer;
    std::map<std::string, std::vector<double>> by_name;
    for (const auto& each : all) {
        for (const auto& [metric, value] : each.metrics) medians.samples[metric].push_back(value);
        for (const auto& [name, value] : each.system_calls_by_name) by_name[name].push_back(value);
        for (const auto& reason : each.missing)
            if (std::ranges::find(medians.missing, reason) == medians.missing.end())
                medians.missing.push_back(reason);
    }
    for (const auto& [metric, values] : medians.samples) medians.metrics[metric] = median_of(values);
    std::erase_if(medians.metrics, [&](const auto& entry) {
        if (entry.second >= 0) return false;
        medians.missing.push_back(
            fmt::format("{}: the counts vary by more than the operations cause", entry.first));
        medians.samples.erase(entry.first);
        return true;
    });
    for (auto& [name, values] : by_name) {
        values.resize(all.size(), 0);  // a process that is not in the list did not make the call
        if (const double median = median_of(values); median >= 0) medians.system_calls_by_name[name] = median;
    }
    return medians;
}

}  // namespace

operation_counts count(const contender& who, const std::string& workload, const counting_options& options) {
    auto first = count_once(who, workload, options);
    if (!counts_vary(workload) || first.failed) return first;
    // The counts of different tracers cannot be mixed. perf sometimes fails, and then strace counts.
    constexpr std::size_t counts_wanted = 3, counts_most = 6;
    std::map<std::string, std::vector<operation_counts>> by_tracer;
    by_tracer[first.tracer].push_back(std::move(first));
    const auto largest = [&] {
        return std::ranges::max_element(by_tracer, {}, [](const auto& entry) { return entry.second.size(); });
    };
    for (std::size_t made = 1; made < counts_most && largest()->second.size() < counts_wanted; ++made) {
        auto next = count_once(who, workload, options);
        if (next.failed) return next;
        by_tracer[next.tracer].push_back(std::move(next));
    }
    const auto& most = largest()->second;
    auto medians = medians_of(most);
    if (most.size() < counts_wanted)
        medians.missing.push_back(fmt::format(
            "only {} of {} counts succeeded with the same tracer; count again when the machine is less busy",
            most.size(), counts_wanted));
    return medians;
}

}  // namespace loopbench::bench
