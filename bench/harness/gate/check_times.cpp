// Compares the pairs of trials of a session with the expected ratios of times and of other metrics that are
// not counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "bench/catalog/workload_table.hpp"
#include "bench/harness/gate/check.hpp"
#include "bench/harness/gate/conditions.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/statistics/verdict.hpp"
#include "bench/harness/summary/difference_text.hpp"
#include "bench/harness/summary/self_check.hpp"
#include "bench/harness/summary/summary.hpp"
#include "reports/model/report_index.hpp"

namespace loopbench::bench {

namespace {

using reports::report;
using reports::result;
using reports::result_status;
using reports::verdict;

std::optional<gate_result> obstacle(const expected_times& expected, const report& session) {
    if (is_unreliable(session))
        return about_session(gate_result_kind::unreliable,
                             fmt::format("times were not judged, because {}; see `loopbench doctor`",
                                         session.aa->reason.value_or("the session is unreliable")));
    if (!session.complete)
        return about_session(gate_result_kind::unclear,
                             "times were not judged, because the run was interrupted; run it again");
    if (const auto here = machine_of(session.where); here != expected.machine)
        return about_session(
            gate_result_kind::unclear,
            fmt::format(
                "times were not judged, because the baseline file is from another machine ({}; this is "
                "{}); run `check --update` here, `check --tier counts`, or `compare` on two builds",
                expected.machine, here));
    if (const auto size = size_of(session); size && *size != expected.size)
        return about_session(gate_result_kind::unclear,
                             fmt::format("times were not judged, because the baseline file has {} size and "
                                         "the report has {} size; check a run of the same size",
                                         name_of(expected.size), name_of(*size)));
    if (session.hosts && session.hosts->size() > 1)
        return about_session(
            gate_result_kind::unclear,
            fmt::format("times were not judged, because the report contains blocks of {} "
                        "hosts, and the differences between hosts are larger than the "
                        "differences between the blocks of one host; check a run of one host",
                        session.hosts->size()));
    if (!session.aa || session.aa->found == reports::reliability::unknown)
        return about_session(
            gate_result_kind::unclear,
            fmt::format("times were not judged, because {} has no conclusive A/A comparison ({}); run more "
                        "blocks (--blocks), or use a larger --budget",
                        expected.to,
                        session.aa ? session.aa->reason.value_or("no reason given")
                                   : "the A/A copy was not measured"));
    return std::nullopt;
}

std::optional<gate_result> without_numbers(const expected_ratio& expected, const std::string& to,
                                           const report& session) {
    // Looks only for the metric `time`, because a contender without numbers on a workload has only this
    // result there.
    for (const auto& who : {expected.contender, to}) {
        const auto* const item = reports::find_result(session, expected.workload, who);
        if (item != nullptr && item->status == result_status::ok) continue;
        const bool failed = item != nullptr && item->status == result_status::failed;
        auto found = about(
            expected, failed ? gate_result_kind::failed : gate_result_kind::unclear,
            fmt::format("{} has no time: {}", who,
                        item == nullptr ? "the contender was not measured, or it does not have the workload"
                                        : item->reason.value_or("no reason given")));
        found.expected = expected.median;
        return found;
    }
    return std::nullopt;
}

struct compared_time {
    const expected_ratio* expected = nullptr;
    double ratio = 1;
    std::vector<double> excess;  // below 0 is slower than expected
};

std::variant<compared_time, gate_result> pairs_of(const expected_ratio& expected, const std::string& to,
                                                  const report& session) {
    const auto& metric = expected.metric;
    if (auto without = without_numbers(expected, to, session)) return std::move(*without);
    auto found = about(expected, gate_result_kind::unclear);
    found.expected = expected.median;
    const auto* mine = reports::find_result(session, expected.workload, expected.contender);
    const auto* other = reports::find_result(session, expected.workload, to);
    if (const auto why = why_incomparable(expected.workload, metric); !why.empty()) {
        found.message = fmt::format("{}; update the baseline file (`check --update`)", why);
        return found;
    }
    if (reports::is_disturbed(session, expected.workload)) {
        found.message =
            "other programs on this machine disturbed more than half of the trials; end these programs, and "
            "check again";
        return found;
    }
    for (const auto* item : {mine, other})
        if (item->made != expected.made) {
            found.message = fmt::format(
                "{}; use --pairing {} if the workload supports it, or update the baseline file (`check "
                "--update`)",
                made_otherwise(expected.made, item->made), name_of(expected.made));
            return found;
        }
    mine = reports::find_result(session, expected.workload, expected.contender, metric);
    other = reports::find_result(session, expected.workload, to, metric);
    compared_time pairs{&expected, 1, {}};
    if (mine != nullptr && other != nullptr) pairs.excess = log_ratios_of(*mine, *other);
    if (pairs.excess.empty()) {
        found.message =
            fmt::format("no block has a {} above zero for both {} and {}", metric, expected.contender, to);
        return found;
    }
    const double median = median_of(pairs.excess);
    const double nearest = std::clamp(median, std::log(expected.low), std::log(expected.high));
    for (auto& log_ratio : pairs.excess) log_ratio -= nearest;
    pairs.ratio = std::exp(median);
    return pairs;
}

gate_result gate_result_of(const compared_time& pairs, const judged_comparison& judged, const std::string& to,
                           std::optional<double> tolerated_pct) {
    const auto& expected = *pairs.expected;
    const bool is_time = expected.metric == "time";
    const auto interval = median_with_interval(pairs.excess);
    const auto size = exponentiated(interval);
    const auto difference = difference_text(expected.metric, size, "expected");
    auto found = about(expected, gate_result_kind::holds,
                       fmt::format("{}× {} {}, expected {}× ({}× to {}×)", ratio_digits(pairs.ratio),
                                   is_time ? "the speed of" : "as good as", to, ratio_digits(expected.median),
                                   ratio_digits(expected.low), ratio_digits(expected.high)));
    found.brief = brief_difference(expected.metric, size);
    found.times_as_bad = 1 / size.median;
    found.expected = expected.median;
    found.measured = pairs.ratio;
    const bool rules_out =
        !tolerated_pct || (interval.low && *interval.low > -std::log1p(*tolerated_pct / 100));
    if (judged.verdict == verdict::slower) {
        found.kind = gate_result_kind::suspect;
        found.message = fmt::format("{}: {}", difference, found.message);
    } else if (judged.verdict == verdict::faster) {
        found.kind = gate_result_kind::looser;
        found.message =
            fmt::format("{}: {}; update the baseline file (`check --update`)", difference, found.message);
    } else if (!rules_out) {
        found.kind = gate_result_kind::unclear;
        const auto worsening = worsening_above(expected.metric, *tolerated_pct);
        found.message += fmt::format("; {} is not ruled out; {}", worsening, for_narrower_intervals);
        found.brief = fmt::format("undecided ({} is not ruled out)", worsening);
    }
    return found;
}

}  // namespace

std::vector<gate_result> check_times(const expected_times& expected, const report& session,
                                     const time_rule& rule) {
    std::vector<gate_result> all;
    if (auto found = obstacle(expected, session)) {
        for (const auto& item : expected.ratios)  // nothing can be judged, but a failure is reported
            if (auto without = without_numbers(item, expected.to, session);
                without && without->kind == gate_result_kind::failed)
                all.push_back(std::move(*without));
        all.push_back(std::move(*found));
        return all;
    }
    std::vector<compared_time> compared;
    for (const auto& item : expected.ratios) {
        auto pairs = pairs_of(item, expected.to, session);
        if (auto* without = std::get_if<gate_result>(&pairs))
            all.push_back(std::move(*without));
        else
            compared.push_back(std::get<compared_time>(std::move(pairs)));
    }
    // All comparisons of one metric form one family. The verdicts of a family are corrected together.
    std::vector<std::string_view> metrics;
    std::vector<comparison> comparisons;
    for (const auto& pairs : compared) {
        metrics.push_back(pairs.expected->metric);
        comparisons.push_back({pairs.excess});
    }
    const auto judged =
        judge_families(metrics, comparisons, {.threshold_pct = rule.threshold_pct, .how = correction::holm});
    const reports::report_index index{session};
    for (std::size_t i = 0; i < compared.size(); ++i) {
        const auto& line = *compared[i].expected;
        all.push_back(
            gate_result_of(compared[i], judged[i], expected.to,
                           tolerated_in(line.metric, index.headline(line.workload), rule.tolerated_pct)));
    }
    return all;
}

expected_times suspects_of(const expected_times& expected, std::span<const gate_result> results) {
    auto suspects = expected;
    std::erase_if(suspects.ratios, [&](const expected_ratio& item) {
        return std::ranges::none_of(results, [&](const gate_result& found) {
            return found.kind == gate_result_kind::suspect && same_line(found, item);
        });
    });
    return suspects;
}

std::vector<gate_result> confirm(std::vector<gate_result> first, const expected_times& expected,
                                 const report& second, const time_rule& rule) {
    const auto again = check_times(suspects_of(expected, first), second, rule);
    if (!again.empty() && again.back().workload.empty()) {  // true if the session judged no ratio
        std::erase_if(first, [](const auto& found) { return found.kind == gate_result_kind::suspect; });
        first.insert(first.end(), again.begin(), again.end());
        return first;
    }
    for (auto& found : first) {
        if (found.kind != gate_result_kind::suspect) continue;
        const auto other =
            std::ranges::find_if(again, [&](const gate_result& each) { return same_line(each, found); });
        const double before = *found.measured;
        found = *other;
        if (found.kind == gate_result_kind::suspect) {
            found.kind = gate_result_kind::regression;
            found.message += fmt::format("; the first run found {}×", ratio_digits(before));
        } else {
            if (found.kind == gate_result_kind::looser) found.kind = gate_result_kind::holds;
            found.message += fmt::format("; the first run found {}×, which the second run does not confirm",
                                         ratio_digits(before));
        }
    }
    return first;
}

}  // namespace loopbench::bench
