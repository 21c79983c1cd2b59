#include "bench/harness/cli/session/contenders.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "bench/catalog/explanations.hpp"
#include "bench/catalog/workload_table.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/trial/shared_limit.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;

std::vector<contender> any_contenders_in(const std::vector<std::string>& more_folders) {
    const auto standard = default_contender_dir();
    std::vector<fs::path> folders;
    if (fs::is_directory(standard)) folders.push_back(standard);
    for (const auto& folder : more_folders) {
        if (!fs::is_directory(folder))
            throw usage_error{"--contender-dir {}: the folder does not exist; use a folder with contenders",
                              folder};
        folders.emplace_back(folder);
    }
    return find_contenders(folders);
}

std::vector<contender> contenders_in(const std::vector<std::string>& more_folders) {
    auto all = any_contenders_in(more_folders);
    if (all.empty())
        throw usage_error{
            "there are no contenders in {}; build them with `make bench`, install the Debian package "
            "loopbench-contenders, or use --contender-dir with the folder of your own contenders; `loopbench "
            "compare` needs none",
            default_contender_dir().native()};
    return all;
}

void refuse_not_executable(const std::vector<std::string>& names,
                           const std::vector<std::string>& more_folders) {
    std::vector<fs::path> folders{default_contender_dir()};
    folders.insert(folders.end(), more_folders.begin(), more_folders.end());
    for (const auto& folder : folders)
        for (const auto& name : names)
            if (const auto file = folder / name;
                fs::is_regular_file(file) && ::access(file.c_str(), X_OK) != 0)
                throw usage_error{"{0} is not executable; use chmod +x {0}", file.native()};
}

std::optional<std::string_view> only_known(const std::vector<std::string>& patterns,
                                           const std::vector<std::string>& names,
                                           const std::vector<std::string_view>& known) {
    for (const auto& pattern : patterns) {
        const auto is_met = [&](std::string_view name) { return matches(pattern, name); };
        if (std::ranges::any_of(names, is_met)) continue;
        if (const auto found = std::ranges::find_if(known, is_met); found != known.end()) return *found;
    }
    return std::nullopt;
}

void refuse_not_built(const std::vector<std::string>& patterns, const std::vector<std::string>& names) {
    std::vector<std::string_view> known;
    std::ranges::transform(contender_explanations(), std::back_inserter(known), &explanation::name);
    if (const auto found = only_known(patterns, names, known))
        throw usage_error{"the contender {} is not built; {}", *found, remedy_for_not_built};
}

void list_within_budget(contender& who, workload_size size, std::optional<std::chrono::nanoseconds> budget,
                        std::chrono::steady_clock::time_point started, int stop_fd) {
    constexpr std::chrono::nanoseconds least = std::chrono::seconds{5}, most = probe_limit;
    const auto limit = budget ? std::clamp(shared_limit{started + *budget / 2}.left(), least, most) : most;
    list_workloads(who, size, limit, stop_fd);
    if (!who.problem.empty() && limit < most) who.problem += "; if it needs more time, use a longer --budget";
}

std::vector<std::string> workloads_of(const std::vector<contender>& contenders, std::string_view except) {
    std::vector<std::string> all;
    std::set<std::string_view> seen;
    for (const auto& who : contenders) {
        if (who.name == except) continue;
        for (const auto& workload : who.workloads)
            if (seen.insert(workload).second) all.push_back(workload);
    }
    std::vector<std::string> ordered;
    std::set<std::string_view> in_the_suite;
    for (const workload_shape& each : workload_table())
        if (in_the_suite.insert(each.name).second && seen.contains(each.name))
            ordered.emplace_back(each.name);
    std::ranges::remove_copy_if(all, std::back_inserter(ordered),
                                [&](const std::string& name) { return in_the_suite.contains(name); });
    return ordered;
}

std::vector<std::string> names_of(const std::vector<contender>& contenders) {
    std::vector<std::string> names;
    for (const auto& who : contenders) names.push_back(who.name);
    return names;
}

}  // namespace loopbench::bench
