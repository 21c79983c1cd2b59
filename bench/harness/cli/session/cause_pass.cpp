#include "bench/harness/cli/session/cause_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <string>
#include <utility>

#include "bench/harness/cli/session/progress.hpp"
#include "bench/harness/counting/causes.hpp"
#include "bench/harness/counting/counts.hpp"
#include "bench/harness/profiling/profilers.hpp"
#include "reports/model/report_index.hpp"

namespace loopbench::bench {

namespace {

using reports::result;

constexpr std::chrono::nanoseconds longest_counting = std::chrono::seconds{60},
                                   longest_profiling = std::chrono::minutes{4};

/// Returns the results of slower benchmarks, one for each benchmark and contender.
std::vector<const result*> slower_results(const reports::report& report) {
    const reports::report_index index{report};
    std::vector<const result*> all;
    for (const auto& item : report.results)
        if (item.judged == reports::verdict::slower && item.contender != report.baseline &&
            index.is_about(item))
            all.push_back(&item);
    std::ranges::sort(all, {}, [](const result* item) {
        return std::pair{item->to_baseline ? item->to_baseline->median : 0, item};
    });
    std::set<std::pair<std::string, std::string>> seen;
    std::erase_if(all,
                  [&](const result* item) { return !seen.emplace(item->workload, item->contender).second; });
    return all;
}

const contender* find_contender(const run_plan& plan, const std::string& name) {
    const auto found = std::ranges::find(plan.contenders, name, &contender::name);
    return found == plan.contenders.end() ? nullptr : &*found;
}

bool is_command(const contender& who) {
    return who.environment.contains("LOOPBENCH_COMMAND");
}

class cause_pass {
public:
    cause_pass(const reports::report& report, const run_plan& plan)
        : report_{report},
          plan_{plan},
          choices_{tools_of_this_machine(default_malloc_counter().native(), plan.causes->instructions)} {}

    reports::slowdown_cause cause_of(const result& slower, const time_for_pass& time, bool is_only) {
        reports::slowdown_cause found{.workload = slower.workload, .contender = slower.contender};
        const auto* const base = find_contender(plan_, report_.baseline);
        const auto* const next = find_contender(plan_, slower.contender);
        if (base == nullptr || next == nullptr) return found;
        if (is_command(*next)) found.per = "run";
        try {
            const two_builds builds{*base, *next, slower.workload, time};
            const auto times = times_of(slower);
            compare_counts(found, builds, choices_, times);
            if (plan_.causes->profile) profile(found, builds, times);
        } catch (const out_of_time&) {
            found.missing.emplace_back(
                plan_.budget ? "the search for the cause ended, because its share of the budget was used up; "
                               "use a longer --budget"
                : is_only    ? "the search for the cause took too long and was ended"
                          : "the search for the cause took too long and was ended; choose fewer benchmarks "
                            "with --workload");
        } catch (const std::exception& error) {
            found.missing.emplace_back(error.what());  // the trials' results are valid without the causes
        }
        return found;
    }

private:
    const reports::report& report_;
    const run_plan& plan_;
    std::vector<tool_choice> choices_;
    std::size_t profiled_ = 0;

    void profile(reports::slowdown_cause& found, const two_builds& builds, const measured_times& times) {
        constexpr std::size_t most_profiles = 10;
        if (profiled_ >= most_profiles)
            return found.missing.push_back(fmt::format(
                "functions were not profiled, because {} benchmarks were; choose this one with --workload",
                most_profiles));
        compare_functions(found, builds, times);
        if (found.profiled) ++profiled_;
    }

    [[nodiscard]] measured_times times_of(const result& slower) const {
        const auto median = [&](const std::string& who) {
            const auto* const time = reports::find_result(report_, slower.workload, who);
            return time != nullptr ? time->median.value_or(0) : 0;
        };
        return {median(report_.baseline), median(slower.contender),
                slower.made == reports::pairing::concurrent};
    }
};

}  // namespace

std::chrono::nanoseconds reserved_for_causes(const run_plan& plan) {
    constexpr std::chrono::nanoseconds enough_to_count = std::chrono::seconds{30};
    if (!plan.budget || !plan.causes) return std::chrono::nanoseconds::zero();
    return plan.causes->profile ? std::min(*plan.budget / 3, longest_profiling)
                                : std::min(*plan.budget / 10, enough_to_count);
}

std::chrono::nanoseconds time_for_causes(const run_plan& plan, std::chrono::nanoseconds spent) {
    const auto usual = std::max(spent / 10, longest_counting) +
                       (plan.causes->profile ? std::max(spent / 3, longest_profiling) : spent.zero());
    return plan.budget ? std::min(*plan.budget - spent, usual) : usual;
}

time_for_pass::clock::time_point end_of_share(const time_for_pass& time, std::size_t remaining,
                                              time_for_pass::clock::time_point now) {
    constexpr std::chrono::nanoseconds fewest = std::chrono::seconds{10};
    const std::chrono::nanoseconds left = time.end - now;
    return std::min(time.end, now + std::max(left / static_cast<std::int64_t>(remaining), fewest));
}

std::optional<std::vector<reports::slowdown_cause>> find_causes(const reports::report& report,
                                                                const run_plan& plan,
                                                                const time_for_pass& time) {
    const auto slower = slower_results(report);
    if (slower.empty() || !plan.causes) return std::nullopt;
    cause_pass pass{report, plan};
    progress shown{time.end - time_for_pass::clock::now()};
    std::vector<reports::slowdown_cause> all;
    for (const auto* const each : slower) {
        if (time.is_stopped()) break;
        shown.show_cause(each->workload, all.size(), slower.size());
        const time_for_pass share{end_of_share(time, slower.size() - all.size(), time_for_pass::clock::now()),
                                  time.stop_fd};
        all.push_back(pass.cause_of(*each, share, slower.size() == 1));
    }
    return all;
}

}  // namespace loopbench::bench
