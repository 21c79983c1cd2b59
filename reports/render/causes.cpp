#include "reports/render/causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::reports {

namespace {

/// Formats a count with three digits, and a whole number without decimal places.
std::string count_text(double value) {
    constexpr double as_good_as_whole = 0.005;
    const double whole = std::round(value);
    if (std::abs(value - whole) < as_good_as_whole || std::abs(value) >= 99.5) return with_commas(whole);
    return three_digits(value);
}

/// Returns the number of operations with which the text states a difference: 1, or for rare events a number
/// that makes the difference larger than 0.
double operations_of(double difference) {
    constexpr double rare = 0.005, smallest_shown = 0.5, most = 1e9;
    double operations = 1;
    if (difference <= 0 || difference >= rare) return operations;
    while (difference * operations < smallest_shown && operations < most) operations *= 1000;
    return operations;
}

std::string noun_of(const changed_count& of, bool is_one) {
    switch (of.kind) {
        case count_kind::system_call:
            return of.name + "(2)";
        case count_kind::allocations:
            return is_one ? "allocation" : "allocations";
        case count_kind::allocated_bytes:
            return is_one ? "allocated byte" : "allocated bytes";
        case count_kind::context_switches:
            return is_one ? "context switch" : "context switches";
        case count_kind::instructions:
            return is_one ? "instruction" : "instructions";
    }
    return of.name;
}

double growth_of(const changed_count& of) {
    return of.after - of.before;
}

double operations_of(const changed_count& of) {
    return operations_of(std::abs(growth_of(of)));
}

/// Returns the difference as the text states it, for example "2".
std::string difference_text(const changed_count& of) {
    return count_text(std::abs(growth_of(of)) * operations_of(of));
}

std::string growth_text(const changed_count& of) {
    const auto difference = difference_text(of);
    return fmt::format("{} {} {}", difference, growth_of(of) > 0 ? "more" : "fewer",
                       noun_of(of, difference == "1"));
}

/// Returns " (96 B in all)", the additional bytes of the additional allocations, or "" if the bytes did not
/// change.
std::string bytes_of_allocations(const changed_count& allocations, const std::vector<changed_count>& all) {
    const auto bytes = std::ranges::find(all, count_kind::allocated_bytes, &changed_count::kind);
    if (bytes == all.end() || growth_of(*bytes) * growth_of(allocations) <= 0) return "";
    return fmt::format(" ({} B{})", with_commas(std::abs(growth_of(*bytes)) * operations_of(allocations)),
                       difference_text(allocations) == "1" ? "" : " in all");
}

/// Returns for example " (5 %)". A decrease to less than half is a factor, too.
std::string share_of_change(const changed_count& of) {
    if (of.before <= 0 || of.after <= 0) return "";
    const bool is_factor = of.after > of.before || of.before >= 2 * of.after;
    const double larger = std::max(of.before, of.after), smaller = std::min(of.before, of.after);
    return fmt::format(" ({})", pct_or_factor(100 * (larger - smaller) / (is_factor ? smaller : larger)));
}

std::string detail_of(const changed_count& of, const std::vector<changed_count>& all) {
    if (of.kind == count_kind::allocations) return bytes_of_allocations(of, all);
    return of.kind == count_kind::instructions ? share_of_change(of) : "";
}

/// Returns the counts in the order of the text: those that grew first, system calls first, the largest change
/// first. Leaves out the bytes if the text already contains them with the allocations.
std::vector<const changed_count*> in_order(const std::vector<changed_count>& all) {
    const bool has_allocations =
        std::ranges::find(all, count_kind::allocations, &changed_count::kind) != all.end();
    std::vector<const changed_count*> found;
    for (const auto& each : all)
        if (each.kind != count_kind::allocated_bytes || !has_allocations) found.push_back(&each);
    std::ranges::sort(found, {}, [](const changed_count* each) {
        return std::tuple{growth_of(*each) < 0, each->kind, -std::abs(growth_of(*each)), each};
    });
    return found;
}

std::string changes_text(const slowdown_cause& of) {
    constexpr std::size_t most = 6;
    std::vector<std::string> parts;
    const auto all = in_order(of.changed);
    bool has_unit = false;  // the first count without a unit of its own states that of the others
    for (const auto* const each : std::span{all}.first(std::min(most, all.size()))) {
        const double operations = operations_of(*each);
        std::string unit;
        if (operations > 1)
            unit = fmt::format(" per {} {}s", with_commas(operations), of.per);
        else if (!std::exchange(has_unit, true))
            unit = " per " + of.per;
        parts.push_back(growth_text(*each) + unit + detail_of(*each, of.changed));
    }
    if (all.size() > most) parts.push_back(fmt::format("{} more changed counts", all.size() - most));
    const bool has_growth = growth_of(*all.front()) > 0;
    return fmt::format("{}{}{}", has_growth ? "" : "no count grew; ", fmt::join(parts, ", "),
                       of.set_up_included ? " (work outside the loop included)" : "");
}

/// Returns the additional time in which no CPU works for the program, if it is at least half of all
/// additional time.
std::optional<double> additional_waiting_ns(const slowdown_cause& of) {
    constexpr double least_share = 0.1;
    if (!of.time_before || !of.time_after) return std::nullopt;
    const double more_ns = of.time_after->wall_ns - of.time_before->wall_ns,
                 waiting_ns = of.time_after->waiting_ns(),
                 longer_ns = waiting_ns - of.time_before->waiting_ns();
    if (more_ns <= 0 || longer_ns <= 0 || longer_ns < more_ns / 2 ||
        waiting_ns < least_share * of.time_after->wall_ns)
        return std::nullopt;
    return longer_ns;
}

/// Returns the function that takes at least half of the additional time, or null. Returns null if the CPU
/// time did not grow or is unknown.
const profiled_function* main_function(const slowdown_cause& of) {
    if (!of.profiled || !of.time_before || !of.time_after) return nullptr;
    const double more_ns = of.time_after->wall_ns - of.time_before->wall_ns,
                 more_cpu_ns = of.time_after->cpu_ns() - of.time_before->cpu_ns();
    const auto found = std::ranges::find_if(of.profiled->functions, [&](const profiled_function& each) {
        return each.name != other_functions && each.name != while_waiting && each.name != in_kernel &&
               each.is_certainly_slower() && each.more_ns >= more_ns / 2;
    });
    return more_cpu_ns > 0 && found != of.profiled->functions.end() ? &*found : nullptr;
}

std::string names_of_unstable(const slowdown_cause& of) {
    constexpr std::size_t most = 4;
    const auto shown_names = std::span{of.unstable}.first(std::min(most, of.unstable.size()));
    return fmt::format(
        "{}{}", fmt::join(shown_names, ", "),
        of.unstable.size() > most ? fmt::format(" and {} more", of.unstable.size() - most) : std::string{});
}

/// Returns the kinds of counts that were compared, for example "system calls, allocations".
std::string names_of_compared(const slowdown_cause& of) {
    std::vector<std::string> names;
    for (const auto kind : of.compared) {
        std::string name{kind == count_kind::system_call ? "system_calls" : name_of(kind)};
        std::ranges::replace(name, '_', ' ');
        names.push_back(std::move(name));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string without_changes_text(const slowdown_cause& of, bool has_layouts) {
    const auto is_compared = [&](count_kind kind) {
        return std::ranges::find(of.compared, kind) != of.compared.end();
    };
    if (of.compared.empty()) return "the cause is unknown";
    if (!is_compared(count_kind::system_call) || !is_compared(count_kind::allocations))
        return "no change in " + names_of_compared(of);
    // Without the times, it is unknown if the benchmark waits longer.
    if (main_function(of) != nullptr || !of.time_before || !of.time_after || additional_waiting_ns(of) ||
        !of.unstable.empty())
        return "no count changed";
    return fmt::format("no count changed; {}",
                       has_layouts ? "the code itself" : "code placement or the code itself");
}

std::string text_without_reasons(const slowdown_cause& of, bool has_layouts) {
    auto text = of.changed.empty() ? without_changes_text(of, has_layouts) : changes_text(of);
    if (const auto longer_ns = additional_waiting_ns(of))
        text += fmt::format("; it waits {} longer", human_time(*longer_ns));
    if (const auto* const function = main_function(of))
        text += fmt::format("; {} takes {} more", shown(function->name), human_time(function->more_ns));
    if (!of.unstable.empty()) text += "; some counts vary too much to be compared: " + names_of_unstable(of);
    return text;
}

std::string reason_text(const std::string& reason) {
    constexpr std::size_t longest_reason = 300;
    return valid_utf8(reason.substr(0, longest_reason)) + (reason.size() > longest_reason ? "..." : "");
}

}  // namespace

std::string cause_text(const slowdown_cause& of, bool has_layouts) {
    auto text = text_without_reasons(of, has_layouts);
    for (const auto& reason : of.missing) text += "; " + reason_text(reason);
    return text;
}

namespace {

bool has_layouts(const report& content) {
    return content.plan && content.plan->layouts.value_or(1) > 1;
}

}  // namespace

std::optional<std::string> cause_of(const report& content, std::string_view workload,
                                    std::string_view contender) {
    if (!content.causes) return std::nullopt;
    for (const auto& each : *content.causes)
        if (each.workload == workload && each.contender == contender)
            return cause_text(each, has_layouts(content));
    return std::nullopt;
}

std::vector<std::string> cause_sentences(const report& content) {
    constexpr std::size_t most = 10;
    std::vector<std::string> all, common;
    if (!content.causes || content.causes->empty()) return all;
    const auto& causes = *content.causes;
    const auto has = [](const std::string& reason) {
        return [&](const slowdown_cause& each) {
            return std::ranges::find(each.missing, reason) != each.missing.end();
        };
    };
    if (causes.size() > 1)
        for (const auto& reason : causes.front().missing)
            if (std::ranges::all_of(causes, has(reason))) common.push_back(reason);
    for (auto each : std::span{causes}.first(std::min(most, causes.size()))) {
        std::erase_if(each.missing, [&](const std::string& reason) {
            return std::ranges::find(common, reason) != common.end();
        });
        all.push_back(fmt::format("{}: {}.", shown(each.workload), cause_text(each, has_layouts(content))));
    }
    if (causes.size() > most) all.push_back(fmt::format("And {} more (report.json).", causes.size() - most));
    for (const auto& reason : common)
        all.push_back(fmt::format("In all benchmarks, {}.", reason_text(reason)));
    return all;
}

std::string title_of_profile(const slowdown_cause& of) {
    return fmt::format("{}: functions by additional time per {} ({}{})", shown(of.workload), of.per,
                       of.profiled->profiler == "callgrind" ? "estimated from callgrind's instructions"
                                                            : "estimated from perf's samples",
                       of.profiled->set_up_included ? "; work outside the loop included" : "");
}

std::vector<profiled_function> functions_to_show(const slowdown_cause& of) {
    constexpr std::size_t most = 10;
    constexpr double least_share = 0.01;
    std::vector<profiled_function> found;
    if (!of.profiled) return found;
    double whole_ns = 0;
    if (of.time_after)
        whole_ns = of.time_after->wall_ns;
    else
        for (const auto& each : of.profiled->stacks) whole_ns += each.after_ns;
    for (const auto& each : of.profiled->functions)
        if (found.size() < most && each.is_certainly_slower() && each.more_ns >= least_share * whole_ns)
            found.push_back(each);
    return found;
}

std::string more_time_text(double more_ns) {
    return fmt::format("{}{}", more_ns > 0 ? "+" : "", human_time(more_ns));
}

std::string write_causes(const report& content) {
    std::string text;
    for (const auto& sentence : cause_sentences(content)) text += printable(sentence) + "\n";
    if (!content.causes) return text;
    for (const auto& each : *content.causes) {
        if (!each.profiled) continue;
        text += printable(title_of_profile(each)) + ":\n";
        if (functions_to_show(each).empty()) text += fmt::format("  {}\n", no_function_to_show);
        for (const auto& function : functions_to_show(each))
            text += fmt::format("  {:>10}  {:>7} -> {:>7}  {}\n", more_time_text(function.more_ns),
                                share_text(function.before_pct / 100), share_text(function.after_pct / 100),
                                printable(function.name));
    }
    return text;
}

}  // namespace loopbench::reports
