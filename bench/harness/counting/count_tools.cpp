#include "bench/harness/counting/count_tools.hpp"

#include <charconv>
#include <filesystem>
#include <memory>
#include <set>

#include "bench/harness/counting/callgrind.hpp"
#include "bench/harness/counting/system_calls.hpp"

namespace loopbench::bench {

namespace {

using reports::count_kind;

class heap_counter : public count_tool {
public:
    explicit heap_counter(std::string counter) : counter_{std::move(counter)} {}

    [[nodiscard]] std::vector<count_kind> kinds() const override {
        return {count_kind::allocations, count_kind::allocated_bytes, count_kind::context_switches};
    }

    std::pair<named_counts, work_of_process> count(const counted_benchmark& of,
                                                   const amount_of_work& amount) const override {
        const heap_record record{counter_};
        const auto process = of.run(amount, {}, record.environment());
        named_counts counts{{{count_kind::context_switches, ""},
                             static_cast<double>(process.outcome.usage.switches_voluntary)}};
        if (const auto heap = record.content()) {
            counts[{count_kind::allocations, ""}] = heap->allocations;
            counts[{count_kind::allocated_bytes, ""}] = heap->bytes;
        }
        return {std::move(counts), process.work};
    }

private:
    std::string counter_;
};

/// A tool whose command precedes the command of the contender, and that writes a record into files.
class tracing_tool : public count_tool {
public:
    tracing_tool(std::string program, count_kind kind) : program_{std::move(program)}, kind_{kind} {}

    [[nodiscard]] std::vector<count_kind> kinds() const override { return {kind_}; }

    std::pair<named_counts, work_of_process> count(const counted_benchmark& of,
                                                   const amount_of_work& amount) const override {
        const record_file record;
        auto front = arguments(record.path());
        front.insert(front.begin(), program_);
        const auto name = std::filesystem::path{program_}.filename().native();
        try {
            const auto process = of.run(amount, front, {});
            return {counts_in(record.contents()), process.work};
        } catch (const out_of_time&) {
            throw;
        } catch (const incomplete_record& error) {
            throw uncountable{"the record of {} is incomplete: {}", name, error.what()};
        } catch (const uncountable& error) {
            throw uncountable{"under {}: {}", name, error.what()};
        }
    }

protected:
    [[nodiscard]] virtual command_words arguments(const std::string& record) const = 0;
    [[nodiscard]] virtual named_counts counts_in(std::string_view record) const = 0;

private:
    std::string program_;
    count_kind kind_;
};

named_counts by_name(const system_calls& calls) {
    named_counts counts;
    for (const auto& [name, count] : calls.by_name)
        counts[{count_kind::system_call, name}] = static_cast<double>(count);
    return counts;
}

class perf_trace : public tracing_tool {
public:
    explicit perf_trace(const std::string& perf) : tracing_tool{perf, count_kind::system_call} {}

private:
    [[nodiscard]] command_words arguments(const std::string& record) const override {
        return {"trace", "-s", "-o", record, "--"};
    }
    [[nodiscard]] named_counts counts_in(std::string_view record) const override {
        return by_name(read_perf_trace(record));
    }
};

class strace : public tracing_tool {
public:
    explicit strace(const std::string& path) : tracing_tool{path, count_kind::system_call} {}

private:
    [[nodiscard]] command_words arguments(const std::string& record) const override {
        return {"-f", "-qq", "-s", "0", "-e", "signal=none", "-o", record, "--"};
    }
    [[nodiscard]] named_counts counts_in(std::string_view record) const override {
        return by_name(read_strace_log(record));
    }
};

/// Returns the number in a line of `perf stat -x,`, for example "1234,,instructions:u,...". The number is
/// "<not supported>" if the machine has no counter.
double instructions_in(std::string_view record) {
    while (!record.empty()) {
        const auto end = std::min(record.find('\n'), record.size());
        const auto line = record.substr(0, end);
        record.remove_prefix(std::min(end + 1, record.size()));
        std::uint64_t count = 0;
        const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), count);
        if (line.find("instructions") != std::string_view::npos && error == std::errc{} && *rest == ',')
            return static_cast<double>(count);
    }
    throw uncountable{"this machine has no counter of instructions that perf can read"};
}

class perf_stat : public tracing_tool {
public:
    explicit perf_stat(const std::string& perf) : tracing_tool{perf, count_kind::instructions} {}

private:
    [[nodiscard]] command_words arguments(const std::string& record) const override {
        return {"stat", "-x", ",", "-e", "instructions:u", "-o", record, "--"};
    }
    [[nodiscard]] named_counts counts_in(std::string_view record) const override {
        return {{{count_kind::instructions, ""}, instructions_in(record)}};
    }
};

class callgrind : public tracing_tool {
public:
    explicit callgrind(const std::string& valgrind) : tracing_tool{valgrind, count_kind::instructions} {}

private:
    [[nodiscard]] command_words arguments(const std::string& record) const override {
        return callgrind_arguments(record);
    }
    [[nodiscard]] named_counts counts_in(std::string_view record) const override {
        return {{{count_kind::instructions, ""}, total_weight(stacks_in_callgrind(record))}};
    }
};

template <class tool>
std::unique_ptr<count_tool> if_installed(std::string_view program) {
    const auto path = program_in_path(program);
    return path ? std::make_unique<tool>(*path) : nullptr;
}

}  // namespace

counts_per_operation count_operations(const counted_benchmark& of, const count_tool& with) {
    std::vector<named_counts> counts;
    std::vector<work_of_process> work;
    const auto run = [&](const amount_of_work& amount) {
        auto [found, done] = with.count(of, amount);
        counts.push_back(std::move(found));
        work.push_back(done);
    };
    for (const auto& amount : of.amounts()) run(amount);
    auto found = slope_of(work);
    if (!found) {
        // The benchmark has a fixed number of iterations. Only repetitions can change the amount of its work.
        run({.repetitions = 3});
        found = slope_of(work);
    }
    if (!found)
        throw uncountable{
            "all processes did the same number of iterations, so counts of an operation are unknown"};
    std::set<count_key> keys;
    for (const auto& each : counts)
        for (const auto& [key, count] : each) keys.insert(key);
    counts_per_operation all{{}, found->set_up_included};
    for (const auto& key : keys) {
        std::vector<double> values;
        for (const auto& each : counts) {
            const auto at = each.find(key);
            values.push_back(at == each.end() ? 0 : at->second);
        }
        all.counts[key] = found->of(values);
    }
    return all;
}

std::unique_ptr<count_tool> heap_tool(const std::string& counter) {
    return std::make_unique<heap_counter>(counter);
}

std::unique_ptr<count_tool> perf_trace_tool() {
    return if_installed<perf_trace>("perf");
}

std::unique_ptr<count_tool> strace_tool() {
    return if_installed<strace>("strace");
}

std::unique_ptr<count_tool> perf_stat_tool() {
    return if_installed<perf_stat>("perf");
}

std::unique_ptr<count_tool> callgrind_tool() {
    return if_installed<callgrind>("valgrind");
}

}  // namespace loopbench::bench
