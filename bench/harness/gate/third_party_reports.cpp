#include "bench/harness/gate/third_party_reports.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "bench/harness/summary/warnings.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

using reports::report;

std::set<std::string> benchmarks_of(const report& report) {
    std::set<std::string> all;
    for (const auto& item : report.results) all.insert(item.workload);
    return all;
}

void rename_program(report& of, const std::string& name) {
    of.contenders.front().name = name;
    for (auto& item : of.results) item.contender = name;
}

/// Removes the benchmarks that `other` lacks, and returns their names in the order of the report.
std::vector<std::string> remove_unmatched(report& from, const std::set<std::string>& other) {
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const auto& item : from.results)
        if (!other.contains(item.workload) && seen.insert(item.workload).second)
            names.push_back(item.workload);
    std::erase_if(from.results, [&](const auto& item) { return !other.contains(item.workload); });
    std::erase_if(from.workloads, [&](const auto& each) { return !other.contains(each.name); });
    return names;
}

void add_unmatched(report& to, const std::vector<std::string>& names, const std::string& file) {
    if (names.empty()) return;
    if (!to.unmatched) to.unmatched.emplace();
    for (const auto& name : names) to.unmatched->push_back({name, reports::valid_utf8(file)});
}

}  // namespace

std::vector<reports::warning> match_third_party(third_party_report then, third_party_report now) {
    if (then.report.contenders.size() == 1 && now.report.contenders.size() == 1)
        rename_program(then.report, now.report.contenders.front().name);
    const auto old_ones = benchmarks_of(then.report), new_ones = benchmarks_of(now.report);
    const auto removed = remove_unmatched(then.report, new_ones);
    const auto added = remove_unmatched(now.report, old_ones);
    if (now.report.results.empty())
        throw usage_error{
            "{} and {} have no benchmark with the same name (for example, only one of them has {}); compare "
            "two runs of one program",
            then.file, now.file, removed.empty() ? added.front() : removed.front()};
    add_unmatched(now.report, removed, then.file);
    add_unmatched(now.report, added, now.file);
    std::vector<reports::warning> warnings;
    if (!removed.empty())
        warnings.push_back(unmatched_benchmarks(reports::valid_utf8(then.file), removed, which_build::base));
    if (!added.empty())
        warnings.push_back(unmatched_benchmarks(reports::valid_utf8(now.file), added, which_build::next));
    return warnings;
}

}  // namespace loopbench::bench
