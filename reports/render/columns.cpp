#include "reports/render/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"
#include "reports/render/calibration.hpp"
#include "reports/render/terminal/unicode.hpp"

namespace loopbench::reports {

namespace {

/// Returns both ends of the interval, because a single ± width would hide that the distribution of times is
/// skewed.
std::string interval_text(const line& from) {
    const auto* time = from.find("time");
    if (time == nullptr || !time->low || !time->high) return "";
    return fmt::format("[{}, {}]", human_time(*time->low), human_time(*time->high));
}

std::string in_its_unit(const result& of, double value) {
    if (of.unit == "ns") return human_time(value);
    if (of.unit == "ratio") return share_text(value);
    return three_digits(value);
}

std::string about_text(const line& from) {
    const auto* const found = from.main();
    if (found == nullptr || found->metric == "time") return "";
    const auto front = fmt::format("{} {}", found->metric, in_its_unit(*found, *found->median));
    if (!found->low || !found->high) return front;
    return fmt::format("{} [{}, {}]", front, in_its_unit(*found, *found->low),
                       in_its_unit(*found, *found->high));
}

std::string difference_text(const result& of) {
    const auto with_sign = [&](double value) { return (value > 0 ? "+" : "") + in_its_unit(of, value); };
    const auto& [to, median, low, high] = *of.from_baseline;
    if (!low || !high) return with_sign(median);
    return fmt::format("{} [{}, {}]", with_sign(median), with_sign(*low), with_sign(*high));
}

std::string short_ratio(double value) {
    constexpr double small = 0.1;
    if (value >= small || value <= 0) return fixed_point(value, 2);
    return fixed_point(value, 1 - static_cast<int>(std::floor(std::log10(value))));
}

/// Returns for example "1.27 [1.25, 1.29]", with `mark` after the ratio, and "?" if there is no interval.
std::string ratio_digits(const result& of, std::string_view mark = {}) {
    const auto& ratio = *of.to_baseline;
    const auto median = short_ratio(ratio.median) + std::string{mark};
    if (!ratio.low || !ratio.high) return median.ends_with('?') ? median : median + "?";
    return fmt::format("{} [{}, {}]", median, short_ratio(*ratio.low), short_ratio(*ratio.high));
}

std::string ratio_text(const line& from) {
    if (from.contender == from.whole->baseline) return "baseline";
    const auto* const found = from.main();
    if (found != nullptr && found->from_baseline) return difference_text(*found);
    if (found == nullptr || !found->to_baseline) return "";
    return ratio_digits(*found, std::string{contradicts(from) ? contradiction_mark : ""} +
                                    (is_untrusted(*from.whole) ? "?" : ""));
}

std::string floor_text(const line& from) {
    const auto* const found = from.main();
    if (found == nullptr || !found->times_floor) return "";
    // Shows "floor" for every floor and not its multiple of the fastest floor, which can be below 1 by
    // chance.
    const auto is_this = [&](const contender& who) { return who.name == from.contender && is_floor(who); };
    const bool is_a_floor = std::ranges::any_of(from.whole->contenders, is_this);
    return is_a_floor || found->times_floor->floor == from.contender
               ? "floor"
               : three_digits(found->times_floor->median);
}

std::string verdict_on(const result& item) {
    const auto word = name_of(*item.judged);
    if (item.judged != verdict::inconclusive || item.from_baseline) return std::string{word};
    if (!item.detectable_pct) return fmt::format("{}, too few blocks to detect a difference", word);
    return fmt::format("{}, smallest detectable difference: {}", word, pct_or_factor(*item.detectable_pct));
}

std::string verdict_text(const line& from) {
    std::vector<const result*> judged;
    for (const auto& metric : from.headline)
        if (const auto* const found = from.find(metric); found != nullptr && found->judged)
            judged.push_back(found);
    const auto* const main = from.main();
    if (judged.empty()) return main != nullptr && main->judged ? verdict_on(*main) : "";
    if (judged.size() == 1 && judged[0] == main) return verdict_on(*main);
    std::string text;
    for (const auto* item : judged)
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", item->metric, verdict_on(*item));
    return text;
}

std::string layout_text(const line& from) {
    const auto* time = from.find("time");
    return time != nullptr && time->layout_pct ? fmt::format("{:.1f} %", *time->layout_pct) : "";
}

std::string hosts_text(const line& from) {
    const auto* const found = from.main();
    if (found == nullptr || !found->by_host) return "";
    const auto& [ratios, deviation_pct, differ] = *found->by_host;
    return (deviation_pct ? fmt::format("{:.1f} %", *deviation_pct) : "?") + (differ ? ", differ" : "");
}

std::string rate(double value) {
    return fixed_point(value, std::abs(value) < 9.95 ? 1 : 0);
}

/// Returns true if the result is a count that differs from process to process.
bool varies(const result& of) {
    const auto* const known = find_metric(of.metric);
    return known != nullptr && known->deterministic && !of.deterministic;
}

std::string count(double value) {
    return fixed_point(value, 2);
}

constexpr column median(std::string_view title, std::string_view metric, std::string (*format)(double),
                        bool always = false) {
    return {title, nullptr, always, true, metric, format};
}

constexpr std::array all_columns{
    column{"workload", [](const line& from) { return printable(from.workload); }, true, false},
    column{"contender", [](const line& from) { return printable(from.contender); }, true, false},
    median("time/op", "time", human_time, true),
    column{"interval", interval_text, true},
    column{"primary metric", about_text},
    column{"ratio", ratio_text, true},
    column{"verdict", verdict_text, true, false},
    column{"layout", layout_text},
    column{"hosts", hosts_text},
    column{"× floor", floor_text},
    median("spin", "spin", share_text),
    median("CPU/op", "cpu", human_time),
    column{"wakeups/s", wakeups_text},
    median("capacity/s", "capacity", rate),
    median("latency p99", "latency_p99", human_time),
    median("late p50", "late_p50", human_time),
    median("late p99", "late_p99", human_time),
    median("switches/op", "switches", count),
    median("syscalls/op", "syscalls", count),
    median("futex/op", "futex_calls", count),
    median("waits/op", "waits", count),
    median("allocs/op", "allocations", count),
    median("t(2N)/t(N)", "doubling", count),
    median("recorded/not", "recording", count),
};

std::string family_name(std::string_view workload) {
    return std::string{workload.substr(0, workload.find('/'))};
}

/// Returns the lowest wake-up rate of a floor on this workload. This is the number of wake-ups per second
/// that the workload itself causes.
std::optional<double> wakeups_of_floors(const report_index& index, std::string_view workload) {
    std::optional<double> least;
    for (const auto who : index.floors())
        if (const auto* const found = index.number(workload, who, "wakeups"))
            least = std::min(*found->median, least.value_or(*found->median));
    return least;
}

}  // namespace

bool contradicts(const result& of, const result* of_baseline) {
    if (!of.to_baseline || of_baseline == nullptr || !of_baseline->median || !of.median) return false;
    if (!(*of.median > 0) || !(*of_baseline->median > 0)) return false;
    const double by_medians = of.better == direction::smaller ? *of_baseline->median / *of.median
                                                              : *of.median / *of_baseline->median;
    const auto shown_ratio = three_digits(of.to_baseline->median), of_medians = three_digits(by_medians);
    if (shown_ratio == "1.00" || of_medians == "1.00") return false;
    return (of.to_baseline->median > 1) != (by_medians > 1);
}

bool contradicts(const line& from) {
    const auto* const found = from.main();
    return found != nullptr && found->contender != from.whole->baseline &&
           contradicts(*found, from.main_of_baseline);
}

std::string contradiction_note(std::span<const line> lines) {
    if (std::ranges::none_of(lines, [](const line& each) { return contradicts(each); })) return "";
    return fmt::format(
        "{} The medians point the other way. The ratio is the median of the ratios within blocks, "
        "and is more precise: both trials of a block ran under the same conditions.",
        contradiction_mark);
}

bool is_untrusted(const report& content) {
    return !content.complete || why_unreliable(content).has_value();
}

std::string wakeups_text(const line& from) {
    const auto* const found = from.find("wakeups");
    if (found == nullptr || !found->median) return "";
    const auto text = rate(*found->median);
    if (!from.workload.starts_with("idle/") || *found->median == 0) return text;
    const auto& own = from.wakeups_of_floor;
    if (!own) return text + " (with its own timer)";
    constexpr double same = 0.05;
    return std::abs(*found->median - *own) <= same * *own ? text + " (its own timer)" : text;
}

const result* line::find(std::string_view metric) const {
    const auto found = std::ranges::find(metrics, metric, &result::metric);
    return found == metrics.end() ? nullptr : *found;
}

const result* line::main() const {
    for (const auto& metric : headline)
        if (const auto* const found = find(metric); found != nullptr && found->median) return found;
    const auto* const time = find("time");
    return time != nullptr && time->median ? time : nullptr;
}

std::string line::note() const {
    const auto found =
        std::ranges::find_if(metrics, [](auto* item) { return item->status != result_status::ok; });
    if (found == metrics.end()) return {};
    return printable(fmt::format(
        "{}: {}", (*found)->status == result_status::not_run ? "not run" : name_of((*found)->status),
        (*found)->reason.value_or("no reason given")));
}

std::vector<family> families_of(const report& content) {
    std::vector<family> all;
    std::map<std::string, std::size_t> groups;
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> cells;
    for (const auto& item : content.results) {
        const auto [group, is_new_group] = groups.try_emplace(family_name(item.workload), all.size());
        if (is_new_group) all.push_back({group->first, {}});
        auto& lines = all[group->second].lines;
        const auto [cell, is_new_cell] = cells.try_emplace({item.workload, item.contender}, lines.size());
        if (is_new_cell) lines.push_back({&content, item.workload, item.contender, {}, {}});
        lines[cell->second].metrics.push_back(&item);
    }
    const report_index index{content};
    for (auto& group : all)
        for (auto& cell : group.lines) {
            cell.headline = index.headline(cell.workload);
            if (const auto* const main = cell.main())
                cell.main_of_baseline = index.baseline(cell.workload, main->metric);
            if (cell.find("wakeups") != nullptr)
                cell.wakeups_of_floor = wakeups_of_floors(index, cell.workload);
        }
    return all;
}

bool column::has_text(const line& from) const {
    return text != nullptr ? !text(from).empty() : from.find(metric) != nullptr;
}

std::string column::cell(const line& from) const {
    if (!has_text(from)) return "-";
    if (text != nullptr) return text(from);
    const auto* const found = from.find(metric);
    if (!found->median) return "-";
    return (varies(*found) ? "~" : "") + format(*found->median) + max_of_text(*found);
}

std::vector<column> columns_for(std::span<const line> lines) {
    std::vector<column> shown;
    std::ranges::copy_if(all_columns, std::back_inserter(shown), [&](const column& candidate) {
        return candidate.always ||
               std::ranges::any_of(lines, [&](const line& from) { return candidate.has_text(from); });
    });
    return shown;
}

std::string max_of_text(const result& of) {
    return of.max_of ? fmt::format(" (max of {})", *of.max_of) : "";
}

std::string fixed_point(double value, int decimals) {
    auto text = fmt::format("{:.{}f}", value, decimals);
    if (text.starts_with('-') && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
    return text;
}

std::string three_digits(double value) {
    const double size = std::abs(value);
    return fixed_point(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

std::string with_commas(double value) {
    auto digits = fmt::format("{:.0f}", value);
    for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3)
        digits.insert(static_cast<std::size_t>(place), ",");
    return digits;
}

std::string pct_or_factor(double pct) {
    if (pct < 99.5) return fixed_point(pct, pct < 9.95 ? 1 : 0) + " %";
    const double factor = 1 + pct / 100;
    return "a factor of " + (factor < 9.95 ? fixed_point(factor, 1) : with_commas(factor));
}

std::string percent_text(double share) {
    const double percent = 100 * share, size = std::abs(percent);
    return fixed_point(percent, size < 0.995 ? 2 : size < 9.95 ? 1 : 0) + " %";
}

std::string share_text(double value) {
    constexpr double whole = 0.995, measured_beyond = 1.02;
    return value >= whole && value <= measured_beyond ? "100 %" : percent_text(value);
}

namespace {

struct printed_unit {
    double size;
    std::string_view name;
};

std::string in_largest_unit(double value, std::span<const printed_unit> units) {
    // A value of at least 0.9995 of a unit is shown in this unit, because it rounds to 1.00.
    const auto chosen = std::ranges::find_if(
        units, [&](const printed_unit& candidate) { return std::abs(value) >= 0.9995 * candidate.size; });
    const auto& [size, name] = chosen == units.end() ? units.back() : *chosen;
    return fmt::format("{} {}", three_digits(value / size), name);
}

}  // namespace

std::string human_time(double value_ns) {
    static constexpr std::array units{printed_unit{1e9, "s"}, printed_unit{1e6, "ms"},
                                      printed_unit{1e3, "µs"}, printed_unit{1, "ns"}};
    return in_largest_unit(value_ns, units);
}

std::string human_rate(double per_second) {
    static constexpr std::array units{printed_unit{1e9, "G/s"}, printed_unit{1e6, "M/s"},
                                      printed_unit{1e3, "k/s"}, printed_unit{1, "/s"}};
    return in_largest_unit(per_second, units);
}

std::string comparison_text(const result& of) {
    std::string text;
    if (of.from_baseline)
        text = fmt::format("{} further from zero than that of {}", difference_text(of), of.from_baseline->to);
    else if (of.to_baseline)
        text = fmt::format("ratio to {} {}", of.to_baseline->to, ratio_digits(of));
    if (of.judged) text += fmt::format("{}{}", text.empty() ? "" : ": ", verdict_on(of));
    return of.metric == "time" || text.empty() ? text : fmt::format("{}: {}", of.metric, text);
}

bool is_of_shard(const report& content) {
    return std::ranges::find(content.warnings, shard_code, &warning::code) != content.warnings.end();
}

std::string why_incomplete(const report& content) {
    const auto is_of_shards = [](const warning& item) { return item.code == missing_shards_code; };
    return std::ranges::any_of(content.warnings, is_of_shards)
               ? "Some shards are missing; the results are those of the other shards."
               : "The run was interrupted; the results are those of the finished trials.";
}

std::optional<std::string> why_unreliable(const report& content) {
    if (!content.aa || content.aa->found != reliability::unreliable) return std::nullopt;
    return content.aa->reason.value_or("the A/A copy differs from the baseline");
}

std::string self_check_text(const std::optional<self_check>& aa) {
    if (!aa) return "";
    const auto spread =
        aa->spread_pct ? fmt::format(", spread of single pairs {} %", rate(*aa->spread_pct)) : "";
    return fmt::format(" A/A ({} and its copy): {}{}{}.", printable(aa->contender), name_of(aa->found),
                       spread, aa->reason ? printable("; " + *aa->reason) : "");
}

namespace {

std::string floor_legend(const report& content) {
    const auto has_multiple = [](const result& item) { return item.times_floor.has_value(); };
    if (std::ranges::none_of(content.results, has_multiple)) return "";
    return " × floor is the value divided by the value of the fastest floor, which makes the same system "
           "calls or runs the same coroutines without a loop.";
}

std::string difference_legend(const report& content) {
    const auto has_difference = [](const result& item) { return item.from_baseline.has_value(); };
    if (std::ranges::none_of(content.results, has_difference)) return "";
    return " If a value is zero or negative, the signed difference replaces the ratio.";
}

std::string layout_legend(const report& content) {
    if (!content.plan || !content.plan->layouts) return "";
    return fmt::format(
        " Intervals include the effect of code placement: each build was measured in {} layouts, and "
        "`layout` is the standard deviation between layouts of one build.",
        *content.plan->layouts);
}

std::string counts_legend(const report& content) {
    return std::ranges::any_of(content.results, varies) ? " A ~ marks the median of counts that vary." : "";
}

std::string names_of_cores(const std::vector<int>& cores) {
    return fmt::format("{} {}", cores.size() == 1 ? "core" : "cores", fmt::join(cores, ", "));
}

std::string subject_of(const std::vector<std::string>& workloads) {
    constexpr std::size_t most_names = 3;
    return workloads.size() > most_names ? fmt::format("{} workloads", workloads.size())
                                         : fmt::format("{}", fmt::join(workloads, ", "));
}

/// Returns the cores that the workloads used, for example " threads/serve/rate:20000/threads:1 ran on core 0,
/// and its load generator on core 1.", or an empty text if no workload states them.
std::string cores_legend(const report& content) {
    std::vector<std::pair<used_cores, std::vector<std::string>>> groups;
    for (const auto& each : content.workloads)
        for (const auto& cores : each.cores.value_or(std::vector<used_cores>{})) {
            auto group = std::ranges::find(groups, cores, [](const auto& one) { return one.first; });
            if (group == groups.end()) group = groups.insert(group, {cores, {}});
            group->second.push_back(each.name);
        }
    std::vector<std::string> parts;
    for (const auto& [cores, workloads] : groups) {
        if (cores.threads.empty()) continue;
        const auto ran = fmt::format("{} ran on {}", subject_of(workloads), names_of_cores(cores.threads));
        parts.push_back(cores.generator.empty() ? ran
                                                : fmt::format("{}, and {} load generator on {}", ran,
                                                              workloads.size() == 1 ? "its" : "their",
                                                              names_of_cores(cores.generator)));
    }
    return parts.empty() ? std::string{} : printable(fmt::format(" {}.", fmt::join(parts, "; ")));
}

std::string hosts_legend(const report& content) {
    if (!content.hosts) return "";
    return fmt::format(
        " The blocks come from {} hosts, and intervals include the differences between them: `hosts` is the "
        "standard deviation of the ratio between hosts; `differ` marks significant differences.",
        content.hosts->size());
}

/// Returns a sentence with the greatest expected number of false alarms. The correction (Benjamini and
/// Hochberg) limits the share of false alarms among the significant differences to 5 %, so this number grows
/// with that of the differences.
std::string false_alarms(const report& content) {
    const auto differs = [](const result& item) {
        return item.metric == "time" && is_difference(item.judged);
    };
    const auto found = std::ranges::count_if(content.results, differs);
    if (found == 0 || content.judged_by.correction != "benjamini-hochberg") return "";
    constexpr double share = 0.05;
    return fmt::format(" Significant differences: {}, of which at most {} are expected to be false alarms.",
                       found, fixed_point(share * static_cast<double>(found), found < 200 ? 2 : 0));
}

/// Returns the planned length of a slice. A slice can take longer, because a workload can be interrupted only
/// at certain points.
std::string length_of_slices(const report& content) {
    if (!content.plan || !content.plan->slice_untimed_ns || !content.plan->slice_timed_ns) return "";
    const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) / 1e6; };
    return fmt::format(
        " of {:g} ms (or of one batch or a few round trips on each connection, if these take longer)",
        ms(*content.plan->slice_untimed_ns) + ms(*content.plan->slice_timed_ns));
}

std::string pairings_legend(const report& content) {
    const auto has = [&](reports::pairing made) {
        return std::ranges::any_of(content.results, [&](const auto& item) { return item.made == made; });
    };
    std::string text;
    if (has(pairing::interleaved))
        text += fmt::format(
            " Interleaved workloads ran in slices{} on one core: a time is the median of a trial's slices, "
            "and a ratio is the median of pairs of slices.",
            length_of_slices(content));
    if (has(pairing::concurrent))
        text +=
            " Concurrent contenders shared one core: their time is CPU time, which does not include the time "
            "spent waiting. Because they also share the caches, times are some per cent longer than those of "
            "sequential trials, and ratios are closer to 1.";
    return text;
}

std::string corrected_comparisons(std::uint64_t of_time) {
    if (of_time == 0) return "the comparisons of each metric";
    return fmt::format("{} {} of time, and for the comparisons of each other metric", of_time,
                       of_time == 1 ? "comparison" : "comparisons");
}

}  // namespace

bool is_compared(const report& content) {
    return std::ranges::any_of(content.results,
                               [](const auto& item) { return item.to_baseline || item.from_baseline; });
}

std::string legend_for(const report& content) {
    const auto cut = content.complete ? "" : " " + why_incomplete(content);
    constexpr std::string_view times =
        "time/op is the median over the trials, followed by its 95 % interval.";
    if (content.baseline.empty()) return fmt::format("{}{}", times, cut);
    if (!is_compared(content))
        return fmt::format("{}{}{}{}{}{}", times, pairings_legend(content), counts_legend(content),
                           cores_legend(content), self_check_text(content.aa), cut);
    return fmt::format(
        "{} A ratio above 1 is "
        "better than {}; its 95 % interval is in brackets. Ratio and verdict are about time/op, or about "
        "the primary metric that the line names. A significant difference is larger than {:g} %, corrected "
        "for {} ({}).{}{}{}{}{}{}{}{}{}{}{}",
        times, printable(content.baseline), content.judged_by.threshold_pct,
        corrected_comparisons(content.judged_by.comparisons), printable(content.judged_by.correction),
        difference_legend(content), false_alarms(content), pairings_legend(content), layout_legend(content),
        hosts_legend(content), floor_legend(content), counts_legend(content), cores_legend(content),
        self_check_text(content.aa),
        content.where.calibrated ? " " + calibration_text(*content.where.calibrated) : "", cut);
}

std::string printable(std::string_view text, std::string_view kept) {
    std::string clean;
    while (!text.empty()) {
        const auto next = character_at(text);
        if (next.is_printable || kept.find(text.front()) != std::string_view::npos)
            clean += text.substr(0, next.bytes);
        else
            clean += '?';
        text.remove_prefix(next.bytes);
    }
    return clean;
}

std::string escaped(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> as,
                    std::string_view kept) {
    std::string out;
    for (const char c : printable(text, kept)) {
        const auto* special = std::ranges::find(as, c, &std::pair<char, std::string_view>::first);
        if (special == as.end())
            out += c;
        else
            out += special->second;
    }
    return out;
}

}  // namespace loopbench::reports
