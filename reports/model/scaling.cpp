#include "reports/model/scaling.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "bench/harness/statistics/verdict.hpp"

namespace loopbench::reports {

namespace {

constexpr std::string_view threads_key = "threads";

/// A part KEY:NUMBER of a name, and its place in the name.
struct parameter {
    std::string_view key;
    std::uint64_t value = 0;
    std::size_t begin = 0, end = 0;
};

std::optional<std::uint64_t> positive_number(std::string_view digits) {
    std::uint64_t value = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end || value == 0) return std::nullopt;
    return value;
}

std::vector<parameter> parameters_of(std::string_view name) {
    std::vector<parameter> all;
    for (std::size_t begin = 0, end = 0; begin < name.size(); begin = end + 1) {
        end = std::min(name.find('/', begin), name.size());
        const auto part = name.substr(begin, end - begin);
        const auto colon = part.find(':');
        if (begin == 0 || colon == 0 || colon == std::string_view::npos) continue;
        if (const auto value = positive_number(part.substr(colon + 1)))
            all.push_back({part.substr(0, colon), *value, begin, end});
    }
    return all;
}

class curve_finder {
public:
    explicit curve_finder(const report_index& in) : in_{in} {
        for (const auto& item : in.whole().results) {
            auto& those = contenders_[item.workload];
            if (std::ranges::find(those, item.contender) == those.end()) those.push_back(item.contender);
        }
    }

    std::vector<curve_set> all() {
        std::vector<curve_set> sets;
        for (auto& set : sets_by_name()) {
            if (set.values.size() < 2) continue;
            std::ranges::sort(set.values, {}, &curve_value::value);
            set.metric = metric_of(set);
            add_curves(set);
            if (measured_values(set) >= 2) sets.push_back(std::move(set));
        }
        sets = by_rank(std::move(sets));
        for (auto& set : sets)
            if (set.is_speed) compare_with_one_thread(set);
        judge(work_);
        judge(cpu_);
        return sets;
    }

private:
    struct family {
        std::vector<paired_ratio*> ratios;
        std::vector<bench::comparison> comparisons;
    };

    const report_index& in_;
    std::map<std::string_view, std::vector<std::string_view>> contenders_;  // by workload
    family work_, cpu_;

    std::vector<curve_set> sets_by_name() const {
        std::vector<curve_set> sets;
        std::map<std::string, std::size_t> places;
        for (const auto workload : in_.workloads())
            for (const auto& [key, value, begin, end] : parameters_of(workload)) {
                const auto front = std::string{workload.substr(0, begin)},
                           back = std::string{workload.substr(end)};
                const auto title = front + std::string{key} + ":*" + back;
                const auto [place, is_new] = places.try_emplace(title, sets.size());
                if (is_new) {
                    sets.emplace_back();
                    sets.back().title = title;
                    sets.back().name = front.substr(0, front.size() - 1) + back;
                    sets.back().key = key;
                }
                auto& values = sets[place->second].values;
                if (std::ranges::find(values, value, &curve_value::value) == values.end())
                    values.push_back({value, workload});
            }
        return sets;
    }

    static std::size_t rank(const curve_set& set) {
        constexpr auto order = std::to_array<std::string_view>(
            {threads_key, "conns", "bytes", "timers", "sleeps", "children", "leaves", "us", "load"});
        return static_cast<std::size_t>(std::ranges::find(order, set.key) - order.begin());
    }

    static std::vector<curve_set> by_rank(std::vector<curve_set> sets) {
        std::vector<std::pair<std::size_t, std::size_t>> order;  // the ranks and the places
        for (std::size_t place = 0; place < sets.size(); ++place)
            order.emplace_back(rank(sets[place]), place);
        std::ranges::sort(order);
        std::vector<curve_set> sorted;
        for (const auto& [of_set, place] : order) sorted.push_back(std::move(sets[place]));
        return sorted;
    }

    bool has_number(const curve_set& set, std::string_view metric) const {
        return std::ranges::any_of(set.values, [&](const curve_value& each) {
            const auto all = in_.of(each.workload, metric);
            return std::ranges::any_of(all, [](const result* item) { return item->median.has_value(); });
        });
    }

    std::string metric_of(const curve_set& set) const {
        const auto workload = set.values.front().workload;
        if (!in_.is_about(workload, "time"))
            for (const auto& metric : in_.headline(workload))
                if (has_number(set, metric)) return metric;
        return "time";
    }

    static std::size_t measured_values(const curve_set& set) {
        std::size_t count = 0;
        for (std::size_t at = 0; at < set.values.size(); ++at)
            count += std::ranges::any_of(set.curves, [&](const curve& each) {
                return each.points[at].state == point_state::measured;
            });
        return count;
    }

    void add_curves(curve_set& set) const {
        for (const auto& [value, workload] : set.values)
            for (const auto who : contenders_.at(workload))
                if (std::ranges::find(set.curves, who, &curve::contender) == set.curves.end())
                    set.curves.push_back({who, {}});
        bool is_wall_time = true;
        for (auto& each : set.curves)
            for (const auto& [value, workload] : set.values) {
                each.points.push_back(point_of(workload, each.contender, set.metric));
                const auto& point = each.points.back();
                if (point.item != nullptr && point.item->made == pairing::concurrent) is_wall_time = false;
            }
        set.is_speed = set.key == threads_key && set.metric == "time" && is_wall_time;
        if (!set.is_speed) return;
        for (auto& each : set.curves)
            for (auto& point : each.points)
                if (is_number(point) && !(*point.item->median > 0)) point = {};  // its inverse is not a speed
    }

    static bool is_number(const curve_point& point) {
        return point.state == point_state::measured || point.state == point_state::oversubscribed;
    }

    curve_point point_of(std::string_view workload, std::string_view who, std::string_view metric) const {
        curve_point point;
        if (const auto* const item = in_.number(workload, who, metric)) {
            const bool shares_cores = in_.number(workload, who, "threads_per_core") != nullptr;
            point.state = shares_cores ? point_state::oversubscribed : point_state::measured;
            point.item = item;
            point.cpu = in_.number(workload, who, "cpu");
            return point;
        }
        const auto* const time = in_.find(workload, who, "time");
        if (time == nullptr || time->status == result_status::ok) return point;
        point.state = time->status == result_status::unsupported ? point_state::unsupported
                      : time->status == result_status::failed    ? point_state::failed
                                                                 : point_state::not_run;
        point.item = time;
        return point;
    }

    void compare_with_one_thread(curve_set& set) {
        const auto one = std::ranges::find(set.values, 1U, &curve_value::value);
        if (one == set.values.end()) return;
        const auto first = static_cast<std::size_t>(one - set.values.begin());
        for (auto& each : set.curves) {
            const auto& from = each.points[first];
            if (from.state != point_state::measured) continue;
            for (std::size_t at = 0; at < each.points.size(); ++at) {
                auto& point = each.points[at];
                if (at == first || point.state != point_state::measured) continue;
                compare(point.work, *point.item, *from.item, work_);
                if (point.cpu == nullptr || from.cpu == nullptr) continue;
                compare(point.cpu_per_operation, *point.cpu, *from.cpu, cpu_);
                if (point.cpu_per_operation) invert(*point.cpu_per_operation);
            }
        }
    }

    /// Returns true if the two results of a block are a pair, and different blocks are independent. Blocks of
    /// the same host or of the same layout depend on each other.
    bool are_pairs(const result& item, const result& to) const {
        const auto& plan = in_.whole().plan;
        return plan && !plan->layouts && !in_.whole().hosts && item.made == to.made;
    }

    /// Sets the ratio, which is above 1 if `item` is better. Smaller values of the metric are better.
    void compare(std::optional<paired_ratio>& ratio, const result& item, const result& to,
                 family& judged_with) const {
        if (!are_pairs(item, to)) {
            const double quotient = *to.median / *item.median;
            if (item.made == to.made && *to.median > 0 && quotient > 0 && std::isfinite(quotient))
                ratio = paired_ratio{quotient, {}, {}};
            return;
        }
        bench::comparison found{bench::paired_log_ratios(item.samples, to.samples, direction::smaller)};
        if (found.log_ratios.empty()) return;
        const auto better = bench::ratio_from(found);
        ratio = paired_ratio{better.median, better.low, better.high};
        if (is_disturbed(in_.whole(), item.workload) || is_disturbed(in_.whole(), to.workload)) return;
        judged_with.ratios.push_back(&*ratio);
        judged_with.comparisons.push_back(std::move(found));
    }

    static void invert(paired_ratio& ratio) {
        ratio.median = 1 / ratio.median;
        const auto inverse = [](const std::optional<double>& of) {
            return of ? std::optional{1 / *of} : std::nullopt;
        };
        std::tie(ratio.low, ratio.high) = std::tuple{inverse(ratio.high), inverse(ratio.low)};
    }

    void judge(const family& those) const {
        const auto& by = in_.whole().judged_by;
        const bench::verdict_rule rule{
            .threshold_pct = by.threshold_pct,
            .how = named<bench::correction>(by.correction).value_or(bench::correction::benjamini_hochberg)};
        const auto judged = bench::judge_all(those.comparisons, rule);
        for (std::size_t i = 0; i < judged.size(); ++i) those.ratios[i]->judged = judged[i].verdict;
    }
};

}  // namespace

std::vector<curve_set> curves_of(const report_index& in) {
    return curve_finder{in}.all();
}

bounded per_second(const result& time) {
    constexpr double second = 1e9;
    const auto inverse = [](std::optional<double> ns) {
        return ns && *ns > 0 ? std::optional{second / *ns} : std::nullopt;
    };
    return {second / *time.median, inverse(time.high), inverse(time.low)};
}

bounded share_of_linear(const paired_ratio& work, std::uint64_t threads) {
    const auto n = static_cast<double>(threads);
    const auto part = [&](std::optional<double> of) { return of ? std::optional{*of / n} : std::nullopt; };
    return {work.median / n, part(work.low), part(work.high)};
}

}  // namespace loopbench::reports
