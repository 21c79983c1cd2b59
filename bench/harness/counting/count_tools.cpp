#include "bench/harness/counting/count_tools.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "bench/harness/counting/callgrind.hpp"
#include "bench/harness/counting/system_calls.hpp"

namespace loopbench::bench {

namespace {

using reports::count_kind;

class heap_counter : public count_tool {
public:
    explicit heap_counter(std::string counter) : counter_{std::move(counter)} {}

    process_counts count(const counted_benchmark& of, const amount_of_work& amount) const override {
        const heap_record record{counter_};
        const auto process = of.run(amount, {}, record.environment());
        const auto& usage = process.outcome.usage;
        named_counts counts{
            {{count_kind::context_switches, ""}, static_cast<double>(usage.switches_voluntary)}};
        if (const auto heap = record.content(of.speed().runs_command ? process.work.operations : 1)) {
            counts[{count_kind::allocations, ""}] = heap->allocations;
            counts[{count_kind::allocated_bytes, ""}] = heap->bytes;
        }
        // Other programs that use the CPU are no reason why this one waits.
        const auto wall_ns = std::max<std::int64_t>(process.outcome.wall.count() - usage.run_delay_ns, 0);
        return {std::move(counts), process.work,
                reports::operation_time{static_cast<double>(wall_ns), static_cast<double>(usage.user_ns),
                                        static_cast<double>(usage.system_ns)}};
    }

private:
    std::string counter_;
};

/// A tool whose command precedes the command of the contender, and that writes a record into files.
class tracing_tool : public count_tool {
public:
    explicit tracing_tool(std::string program) : program_{std::move(program)} {}

    process_counts count(const counted_benchmark& of, const amount_of_work& amount) const override {
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
            refuse_if_unusable(of.time(), name);
            throw uncountable{"the record of {} is incomplete: {}", name, error.what()};
        } catch (const uncountable& error) {
            refuse_if_unusable(of.time(), name);
            throw uncountable{"under {}: {}", name, error.what()};
        }
    }

protected:
    [[nodiscard]] virtual command_words arguments(const std::string& record) const = 0;
    [[nodiscard]] virtual named_counts counts_in(std::string_view record) const = 0;

private:
    std::string program_;

    /// Throws unusable_tool if the tool cannot even count a shell that does nothing, and out_of_time if no
    /// time is left.
    void refuse_if_unusable(const time_for_pass& time, const std::string& name) const {
        const record_file record;
        auto command = arguments(record.path());
        command.insert(command.begin(), program_);
        command.insert(command.end(), {"/bin/sh", "-c", ":"});
        const std::chrono::nanoseconds left = time.end - time_for_pass::clock::now();
        if (left <= left.zero()) throw out_of_time{"the time was over"};
        const auto limit = std::min<std::chrono::nanoseconds>(std::chrono::seconds{30}, left);
        const auto ended = run_child(
            {.command = command, .environment = {}, .cpu = {}, .limit = limit, .stop_fd = time.stop_fd});
        if (ended.end == child_end::stopped) throw out_of_time{"interrupted"};
        if (ended.end == child_end::timed_out && time.is_over()) throw out_of_time{"the time was over"};
        if (const auto failure = failure_of(ended, limit)) throw unusable_tool{"{}: {}", name, *failure};
        try {
            [[maybe_unused]] const auto counted = counts_in(record.contents());
        } catch (const std::exception& error) {
            throw unusable_tool{"{}: {}", name, error.what()};
        }
    }
};

named_counts by_name(const system_calls& calls) {
    named_counts counts;
    for (const auto& [name, count] : calls.by_name)
        counts[{count_kind::system_call, name}] = static_cast<double>(count);
    return counts;
}

class perf_trace : public tracing_tool {
public:
    explicit perf_trace(const std::string& perf) : tracing_tool{perf} {}

private:
    [[nodiscard]] command_words arguments(const std::string& record) const override {
        command_words words{perf_trace_arguments.begin(), perf_trace_arguments.end()};
        words.insert(words.end(), {record, "--"});
        return words;
    }
    [[nodiscard]] named_counts counts_in(std::string_view record) const override {
        return by_name(read_perf_trace(record));
    }
};

class strace : public tracing_tool {
public:
    explicit strace(const std::string& path) : tracing_tool{path} {}

private:
    [[nodiscard]] command_words arguments(const std::string& record) const override {
        return {"-f", "-qq", "-s", "0", "-e", "signal=none", "-o", record, "--"};
    }
    [[nodiscard]] named_counts counts_in(std::string_view record) const override {
        return by_name(read_strace_log(record));
    }
};

class perf_stat : public tracing_tool {
public:
    explicit perf_stat(const std::string& perf) : tracing_tool{perf} {}

private:
    [[nodiscard]] command_words arguments(const std::string& record) const override {
        return {"stat", "-x", ",", "-e", "instructions:u", "-o", record, "--"};
    }
    [[nodiscard]] named_counts counts_in(std::string_view record) const override {
        return {{{count_kind::instructions, ""}, instructions_in_perf_stat(record)}};
    }
};

class callgrind : public tracing_tool {
public:
    explicit callgrind(const std::string& valgrind) : tracing_tool{valgrind} {}

    [[nodiscard]] wanted_work work() const override { return work_for_callgrind; }

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

double instructions_in_perf_stat(std::string_view record) {
    // A line is for example "1234,,instructions:u,...". The number is "<not supported>" if the machine has no
    // counter, and "<not counted>" if the program did not run on this kind of core.
    std::optional<double> all;
    while (!record.empty()) {
        const auto end = std::min(record.find('\n'), record.size());
        const auto line = record.substr(0, end);
        record.remove_prefix(std::min(end + 1, record.size()));
        std::uint64_t count = 0;
        const auto* const line_end = line.data() + line.size();
        const auto [rest, error] = std::from_chars(line.data(), line_end, count);
        if (line.find("instructions") != std::string_view::npos && error == std::errc{} && rest != line_end &&
            *rest == ',')
            all = all.value_or(0) + static_cast<double>(count);
    }
    if (!all) throw uncountable{"this machine has no counter of instructions that perf can read"};
    return *all;
}

std::optional<counts_per_operation> count_operations(const counted_benchmark& of, const count_tool& with,
                                                     const std::vector<amount_of_work>& amounts) {
    std::vector<process_counts> processes;
    std::vector<work_of_process> work;
    std::set<count_key> keys;
    for (const auto& amount : amounts) {
        work.push_back(processes.emplace_back(with.count(of, amount)).work);
        for (const auto& [key, count] : processes.back().counts) keys.insert(key);
    }
    const auto found = slope_of(work);
    if (!found) return std::nullopt;
    const auto values_of = [&](const auto& value_in) {
        std::vector<double> values;
        for (const auto& each : processes) values.push_back(value_in(each));
        return values;
    };
    counts_per_operation all{.per_event = found->per_event(), .set_up_included = found->set_up_included};
    for (const auto& key : keys) {
        // Only system calls can be absent because there were none. Otherwise, a process could not be counted.
        const auto has_key = [&](const process_counts& each) { return each.counts.contains(key); };
        if (key.first != count_kind::system_call && !std::ranges::all_of(processes, has_key)) continue;
        const auto values = values_of([&](const process_counts& each) {
            const auto at = each.counts.find(key);
            return at == each.counts.end() ? 0 : at->second;
        });
        all.counts[key] = found->of(values);
        all.variances[key] = found->variance_of(values);
    }
    if (std::ranges::all_of(processes, [](const auto& each) { return each.time.has_value(); }))
        all.time = {found->of(values_of([](const auto& each) { return each.time->wall_ns; })),
                    found->of(values_of([](const auto& each) { return each.time->user_ns; })),
                    found->of(values_of([](const auto& each) { return each.time->system_ns; }))};
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
