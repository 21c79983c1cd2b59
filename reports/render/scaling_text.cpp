#include "reports/render/scaling_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <iterator>
#include <utility>

#include "reports/render/columns.hpp"
#include "reports/render/sentence_parts.hpp"

namespace loopbench::reports {

namespace {

constexpr std::size_t contenders_listed = 3;

std::string number_of_threads(std::uint64_t count) {
    return fmt::format("{} {}", count, count == 1 ? "thread" : "threads");
}

std::string with_threads(std::uint64_t count) {
    return count == 2 ? "with its second thread" : fmt::format("with {} threads", count);
}

const curve_point* one_thread_of(const curve_set& set, const curve& of) {
    const auto first = std::ranges::find(set.values, 1U, &curve_value::value);
    return first == set.values.end() ? nullptr
                                     : &of.points[static_cast<std::size_t>(first - set.values.begin())];
}

/// Returns for example ", for 27.0× the CPU time per operation". Returns "" if the CPU time does not differ
/// significantly from that with one thread.
std::string cost_text(const curve_point& point, std::string_view of = " the CPU time per operation") {
    const auto& cost = point.cpu_per_operation;
    return cost && is_difference(cost->judged) ? fmt::format(", for {}{}", times(cost->median), of) : "";
}

/// A point with a ratio to one thread.
struct compared_point {
    const curve_set* set = nullptr;
    const curve* of = nullptr;
    std::size_t at = 0;

    [[nodiscard]] const curve_point& point() const { return of->points[at]; }
    [[nodiscard]] const paired_ratio& work() const { return *point().work; }
    [[nodiscard]] std::uint64_t threads() const { return set->values[at].value; }
};

std::vector<compared_point> compared_points(const curve_set& set, const report_index& in) {
    std::vector<compared_point> all;
    for (const auto& each : set.curves)
        for (std::size_t at = 0; at < each.points.size(); ++at)
            if (each.points[at].work && !in.is_floor(each.contender)) all.push_back({&set, &each, at});
    return all;
}

/// Returns for example "asio-shared does 0.07× (0.06 to 0.08) as much work as with one on threads/ping, for
/// 27.0× the CPU time per operation".
std::string loss_or_gain(const compared_point& found) {
    const auto& work = found.work();
    return fmt::format("{}, {} does {}{} as much work as with one on {}{}", with_threads(found.threads()),
                       cut(found.of->contender), times(work.median), in_brackets(work.low, work.high),
                       cut(found.set->name), cost_text(found.point()));
}

void add_sources(sources& from, const compared_point& found) {
    const auto& one = *one_thread_of(*found.set, *found.of);
    for (const auto* item : {one.item, found.point().item, one.cpu, found.point().cpu})
        if (item != nullptr) from.push_back(item);
}

std::string capitalised(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

/// Returns the result of the first point with the state, or a null pointer.
const result* first_with(const curve_set& set, point_state state) {
    for (std::size_t at = 0; at < set.values.size(); ++at)
        for (const auto& each : set.curves)
            if (each.points[at].state == state) return each.points[at].item;
    return nullptr;
}

/// Returns true if at least two of the points have the state, and the others are missing.
bool all_have(const std::vector<curve_point>& points, point_state state) {
    const auto is_other = [&](point_state each) { return each != state && each != point_state::missing; };
    return std::ranges::none_of(points, is_other, &curve_point::state) &&
           std::ranges::count(points, state, &curve_point::state) >= 2;
}

/// Returns for example "Failed: asio-each with 2 threads (killed by SIGSEGV).", or "" if no point has the
/// state.
std::string note_about(const curve_set& set, point_state state) {
    const result* const first = first_with(set, state);
    if (first == nullptr) return "";
    std::vector<std::string> of_all, of_some;
    names always;
    for (const auto& each : set.curves)
        if (all_have(each.points, state)) always.push_back(each.contender);
    for (std::size_t at = 0; at < set.values.size(); ++at) {
        names those;
        std::size_t known = 0, found = 0;
        for (const auto& each : set.curves) {
            const auto& point = each.points[at];
            if (point.state != point_state::missing) ++known;
            if (point.state != state) continue;
            ++found;
            if (std::ranges::find(always, each.contender) == always.end()) those.push_back(each.contender);
        }
        const auto threads = set.values[at].value;
        if (found > 0 && found == known)
            of_all.push_back(fmt::format("{}", threads));
        else if (!those.empty())
            of_some.push_back(fmt::format("{} with {}", listed(those), number_of_threads(threads)));
    }
    if (!always.empty() && always.size() < set.curves.size()) of_some.insert(of_some.begin(), listed(always));
    if (!of_all.empty())
        of_some.insert(of_some.begin(),
                       fmt::format("{} {}", listed({of_all.begin(), of_all.end()}, of_all.size()),
                                   of_all.back() == "1" ? "thread" : "threads"));
    const bool has_reason = first->reason && state == point_state::failed;
    return fmt::format("{}: {}{}.", capitalised(std::string{word_for(state)}), fmt::join(of_some, "; "),
                       has_reason ? fmt::format(" ({})", cut(*first->reason, 200)) : "");
}

std::string cell_of(const curve_point& point, std::uint64_t threads, bool is_trusted) {
    if (point.state != point_state::measured) return std::string{word_for(point.state)};
    const auto with_interval = [](const bounded& of, std::string (*text)(double), std::string_view mark) {
        return fmt::format("{}{}{}", text(of.median), mark,
                           of.low && of.high ? fmt::format(" [{}, {}]", text(*of.low), text(*of.high)) : "");
    };
    if (!point.work) return with_interval(per_second(*point.item), human_rate, "");
    const auto mark = [&](const paired_ratio& of) {
        return is_trusted && of.judged != verdict::inconclusive ? "" : "?";
    };
    auto text = with_interval(share_of_linear(*point.work, threads), percent_text, mark(*point.work));
    if (const auto& cost = point.cpu_per_operation)
        text += fmt::format(", CPU {}{}", times(cost->median), mark(*cost));
    return text;
}

}  // namespace

const std::string_view legend_of_threads =
    "With one thread: the operations per second. With N threads: the share of linear scaling (the operations "
    "per second, divided by N times those of the same contender with one thread; 100 % is ideal), and the "
    "CPU time per operation relative to one thread. Both are medians of ratios within blocks. A ? marks an "
    "undecided comparison with one thread.";

std::string_view word_for(point_state state) {
    if (state == point_state::missing) return "-";
    return state == point_state::not_run ? "not run" : name_of(state);
}

threads_summary summary_of_threads(const report_index& in) {
    std::vector<compared_point> all;
    const auto sets = curves_of(in);
    for (const auto& set : sets)
        if (set.is_speed) std::ranges::move(compared_points(set, in), std::back_inserter(all));
    if (all.empty()) return {};
    const auto is_not = [](verdict judged) {
        return [judged](const compared_point& each) { return each.work().judged != judged; };
    };
    auto losses = all, gains = all;
    std::erase_if(losses, is_not(verdict::slower));
    std::erase_if(gains, is_not(verdict::faster));
    threads_summary found;
    const auto add = [&](const compared_point& each) {
        found.text += (found.text.empty() ? "" : "; ") + loss_or_gain(each);
        add_sources(found.from, each);
    };
    const auto work = [](const compared_point& each) { return each.work().median; };
    if (!losses.empty()) add(*std::ranges::min_element(losses, {}, work));
    if (!gains.empty()) add(*std::ranges::max_element(gains, {}, work));
    const auto undecided = std::ranges::count_if(
        all, [](const compared_point& each) { return each.work().judged == verdict::inconclusive; });
    if (undecided > 0 || found.text.empty())
        found.text +=
            fmt::format("{}{} of {} comparisons with one thread {} undecided", found.text.empty() ? "" : "; ",
                        undecided, all.size(), undecided == 1 ? "is" : "are");
    found.text += ".";
    return found;
}

std::string sentence_about(const curve_set& set, const report_index& in) {
    if (why_unreliable(in.whole())) return "";
    auto all = compared_points(set, in);
    std::size_t last = 0;
    for (const auto& each : all) last = std::max(last, each.at);
    std::erase_if(all, [&](const compared_point& each) { return each.at != last; });
    std::ranges::sort(all, {}, [](const compared_point& each) {
        return std::pair(-each.work().median, std::string_view(each.of->contender));
    });
    std::vector<compared_point> decided;
    names level, undecided;
    for (const auto& each : all)
        if (const auto judged = each.work().judged; is_difference(judged))
            decided.push_back(each);
        else
            (judged == verdict::equivalent ? level : undecided).push_back(each.of->contender);
    const auto left_out = decided.size() > contenders_listed ? decided.size() - 2 : 0;
    if (left_out > 0) decided = {decided.front(), decided.back()};
    std::vector<std::string> parts;
    bool is_first_cost = true;
    for (const auto& each : decided) {
        const auto& work = each.work();
        const auto cost = is_first_cost ? cost_text(each.point()) : cost_text(each.point(), "");
        if (!cost.empty()) is_first_cost = false;
        parts.push_back(fmt::format("{} {}{}{}{}{}", cut(each.of->contender), parts.empty() ? "does " : "",
                                    times(work.median), in_brackets(work.low, work.high),
                                    parts.empty() ? " as much work as with one" : "", cost));
    }
    if (left_out > 0) parts.push_back(fmt::format("{} contenders between them", left_out));
    if (!level.empty()) parts.push_back("as much as with one (equivalent): " + listed(level));
    if (!undecided.empty()) parts.push_back("undecided: " + listed(undecided));
    if (parts.empty()) return "";
    return fmt::format("{}, {}.", capitalised(with_threads(set.values[last].value)), fmt::join(parts, "; "));
}

std::string note_about_missing(const curve_set& set) {
    std::vector<std::string> notes;
    for (const auto state :
         {point_state::failed, point_state::not_run, point_state::oversubscribed, point_state::unsupported})
        if (auto note = note_about(set, state); !note.empty()) notes.push_back(std::move(note));
    return fmt::format("{}", fmt::join(notes, " "));
}

std::vector<std::size_t> places_to_show(const curve_set& set) {
    std::vector<std::size_t> all;
    for (std::size_t at = 0; at < set.values.size(); ++at)
        if (std::ranges::any_of(set.curves, [&](const curve& each) {
                const auto state = each.points[at].state;
                return state != point_state::missing && state != point_state::unsupported;
            }))
            all.push_back(at);
    return all;
}

std::vector<std::vector<std::string>> threads_table(const curve_set& set, const report_index& in) {
    const auto shown = places_to_show(set);
    std::vector<std::vector<std::string>> rows{{"contender"}};
    for (const auto at : shown) rows[0].push_back(number_of_threads(set.values[at].value));
    for (const auto& each : set.curves) {
        auto& row = rows.emplace_back(std::vector<std::string>{std::string{each.contender}});
        for (const auto at : shown)
            row.push_back(cell_of(each.points[at], set.values[at].value, !is_untrusted(in.whole())));
    }
    return rows;
}

}  // namespace loopbench::reports
