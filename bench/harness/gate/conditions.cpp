// Each kind of condition that differs gets its own warning, because a user can correct each kind separately.
#include "bench/harness/gate/conditions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "bench/harness/machine/environment.hpp"
#include "bench/harness/trial/build_comparison.hpp"
#include "bench/harness/trial/usage_error.hpp"

namespace loopbench::bench {

namespace {

class differences {
public:
    void add(std::string_view what, const std::string& then, const std::string& now) {
        if (then != now) found_.push_back(fmt::format("{}: {} before, {} now", what, then, now));
    }
    void warn(std::vector<reports::warning>& all, const char* code, std::string_view what,
              const char* remedy) const {
        if (!found_.empty())
            all.push_back({code, fmt::format("{}: {}", what, fmt::join(found_, "; ")), remedy});
    }

private:
    std::vector<std::string> found_;
};

template <class value>
std::string text_of(const std::optional<value>& item) {
    return item ? fmt::format("{}", *item) : "none";
}

void compare_trials(std::vector<reports::warning>& all, const reports::report& then,
                    const reports::report& now) {
    if (!then.plan || !now.plan) return;
    differences found;
    found.add("minimum time of a trial (s)", fmt::format("{:g}", then.plan->min_time_s),
              fmt::format("{:g}", now.plan->min_time_s));
    found.add("pinned to CPU", text_of(then.plan->cpu), text_of(now.plan->cpu));
    if (then.plan->slice_timed_ns && now.plan->slice_timed_ns) {
        const auto slice = [](const reports::planned& plan) {
            return fmt::format("{:g}ms+{:g}ms", static_cast<double>(plan.slice_untimed_ns.value_or(0)) / 1e6,
                               static_cast<double>(*plan.slice_timed_ns) / 1e6);
        };
        found.add("slice", slice(*then.plan), slice(*now.plan));
    }
    found.add("client of serve/open_loop", then.plan->generator_on.value_or("on the same machine"),
              now.plan->generator_on.value_or("on the same machine"));
    found.warn(all, "other_trials", "the trials of the two reports were measured differently",
               "measure both with the same options");
}

void compare_machines(std::vector<reports::warning>& all, const reports::environment& then,
                      const reports::environment& now) {
    differences found;
    const auto facts_then = facts_of(then), facts_now = facts_of(now);
    for (std::size_t i = 0; i < facts_then.size(); ++i)
        found.add(facts_then[i].first, facts_then[i].second, facts_now[i].second);
    found.warn(all, "other_machine", "the machines of the two reports differ",
               "measure both on one machine, or let `loopbench compare` run the two executables on it");
}

std::vector<reports::contender> changed(const reports::report& then, const reports::report& now) {
    std::vector<reports::contender> all;
    for (const auto& next : now.contenders) {
        const auto old = std::ranges::find(then.contenders, next.name, &reports::contender::name);
        if (old == then.contenders.end()) continue;
        const std::vector pair{reports::describe(next.name + " before", old->context),
                               reports::describe(next.name + " now", next.context)};
        const auto differs = [](const reports::warning& item) { return item.code != "no_release_build"; };
        if (std::ranges::any_of(build_comparison_warnings(pair), differs))
            std::ranges::copy(pair, std::back_inserter(all));
    }
    return all;
}

}  // namespace

void refuse_other_size(const reports::report& then, const std::string& then_name, const reports::report& now,
                       const std::string& now_name) {
    if (!then.plan || !now.plan || then.plan->size == now.plan->size) return;
    throw usage_error{
        "{} was measured at {} size and {} at {} size, so the workloads did different amounts of work; "
        "measure both with --quick (small size), or both without",
        then_name, then.plan->size, now_name, now.plan->size};
}

std::string made_otherwise(reports::pairing then, reports::pairing now) {
    return fmt::format(
        "its trials were {} before and are {} now, and times of different pairings cannot be compared",
        name_of(then), name_of(now));
}

std::vector<reports::warning> other_conditions(const reports::report& then, const reports::report& now) {
    std::vector<reports::warning> all;
    compare_trials(all, then, now);
    compare_machines(all, then.where, now.where);
    std::ranges::move(build_comparison_warnings(changed(then, now)), std::back_inserter(all));
    return all;
}

}  // namespace loopbench::bench
