// Counting runs up to seven short processes for each workload and contender. The first determines the number
// of operations N. Then each counter (the preloaded shared object, perf and strace) gets one process with N
// operations and one with 2N.
#include "bench/harness/counting/counts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/process/temporary_folder.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "reports/base/formatted_error.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

class uncountable : public reports::formatted_error {
public:
    using formatted_error::formatted_error;
};

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

class record_file {
public:
    std::string path() const { return (folder_.path() / "record").native(); }
    std::optional<std::string> content() const {
        try {
            return reports::read_regular_file(path(), bytes_max);
        } catch (const reports::file_error& error) {
            throw uncountable{error.what()};
        }
    }

private:
    static constexpr std::size_t bytes_max = std::size_t{4} << 30U;  // enough for 40 million system calls
    temporary_folder folder_;
};

std::optional<std::string> program(std::string_view name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders{path != nullptr ? path : "/usr/bin:/bin"};
    for (std::string folder; std::getline(folders, folder, ':');) {
        const auto file = fs::path{folder} / name;
        if (::access(file.c_str(), X_OK) == 0) return file.native();
    }
    return std::nullopt;
}

using words = std::vector<std::string>;
using variables = std::map<std::string, std::string>;

class counted_contender {
public:
    counted_contender(const contender& who, const std::string& workload, const counting_options& options)
        : who_{who}, workload_{workload}, options_{options}, executor_{options.stop_fd, watching::off} {}

    counted_run run(std::optional<std::uint64_t> operations, const words& front,
                    const variables& environment) {
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

/// Throws an error if the workload runs for a fixed time. A request for twice as many operations does not
/// double the work of such a workload, so no count per operation can be computed.
void refuse_workload_without_slope(std::string_view workload) {
    if (const auto* const shape = find_shape(workload); shape != nullptr && !shape->countable)
        throw uncountable{
            "{} has no counts per operation, because it runs for a fixed time, and requesting twice as many "
            "operations does not double its work",
            workload};
}

/// Returns N, the number of operations to request. For workloads that work in batches (of at most 10,000
/// operations), N is a multiple of the batch size.
std::uint64_t operations_for(counted_contender& where) {
    constexpr std::uint64_t calibrated_operations = 20'000;
    const auto probe = where.run(std::nullopt, {}, {});
    return probe.calibrated ? calibrated_operations : std::max<std::uint64_t>(probe.operations, 1);
}

both_runs traced(counted_contender& where, std::uint64_t operations, const words& front_before_file,
                 const words& front_after_file) {
    return run_both(operations, [&](std::uint64_t count) {
        const record_file record;
        words front = front_before_file;
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
    for (const auto& [name, count] : large.by_name)
        if (const double each = both.per_operation(of(small, name), static_cast<double>(count)); each != 0)
            counts.system_calls_by_name[name] = each;
    counts.metrics["syscalls"] =
        both.per_operation(static_cast<double>(small.total()), static_cast<double>(large.total()));
}

bool count_with_perf(operation_counts& counts, counted_contender& where, std::uint64_t operations) {
    const auto perf = program("perf");
    if (!perf) return false;
    try {
        const auto both = traced(where, operations, {*perf, "trace", "-s", "-o"}, {"--"});
        const auto small = read_perf_trace(*both.small.record), large = read_perf_trace(*both.large.record);
        if (both.small.record == both.large.record) return false;
        take_names(counts, both, small, large);
        counts.tracer = "perf trace -s";
        return true;
    } catch (const uncountable&) {
        return false;  // perf is probably not permitted; if strace also fails, it reports why
    } catch (const incomplete_record&) {
        return false;  // perf lost events; strace never loses events
    }
}

void count_with_strace(operation_counts& counts, counted_contender& where, std::uint64_t operations,
                       bool names_too) {
    const auto strace = program("strace");
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
    const auto both = run_both(operations, [&](std::uint64_t count) {
        const record_file record;
        variables environment;
        if (can_count)
            environment = {{"LD_PRELOAD", counter.native()}, {"LOOPBENCH_MALLOC_FILE", record.path()}};
        auto result = where.run(count, {}, environment);
        result.record = record.content();
        return result;
    });
    counts.operations = both.large.operations - both.small.operations;
    counts.metrics["context_switches"] =
        both.per_operation(static_cast<double>(both.small.voluntary_switches),
                           static_cast<double>(both.large.voluntary_switches));
    if (!can_count) return;
    if (!both.small.record && !both.large.record) {
        counts.missing.push_back(
            "cannot count allocations: the contender is statically linked; link it dynamically");
        return;
    }
    const auto read = [&](const std::optional<std::string>& written) {
        const auto record = written.value_or("");
        std::array<double, 2> numbers{};
        if (!record.ends_with('\n') || !(std::istringstream{record} >> numbers[0] >> numbers[1]))
            throw uncountable{
                "the counting library did not write the number of allocations; make sure that {} has free "
                "space",
                temporary_root().native()};
        return numbers;
    };
    const auto small = read(both.small.record), large = read(both.large.record);
    counts.metrics["allocations"] = both.per_operation(small[0], large[0]);
    counts.metrics["allocated_bytes"] = both.per_operation(small[1], large[1]);
}

}  // namespace

fs::path default_malloc_counter() {
    return installed_file("libloopbench_malloc_counter.so");
}

operation_counts count(const contender& who, const std::string& workload, const counting_options& options) {
    operation_counts counts;
    try {
        refuse_workload_without_slope(workload);
        counted_contender where{who, workload, options};
        const auto operations = operations_for(where);
        count_allocations_and_switches(counts, where, operations, options.malloc_counter);
        const bool perf = count_with_perf(counts, where, operations);
        count_with_strace(counts, where, operations, !perf);
    } catch (const contender_failed& error) {
        counts.failed = true;
        counts.missing.emplace_back(error.what());
    } catch (const uncountable& error) {
        counts.missing.emplace_back(error.what());
    }
    return counts;
}

}  // namespace loopbench::bench
