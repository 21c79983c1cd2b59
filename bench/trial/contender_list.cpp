// The protocol's first half: EXE --benchmark_list_tests=true.
#include "bench/trial/contender_list.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "bench/machine/kernel_files.hpp"
#include "bench/trial/child_process.hpp"
#include "bench/trial/gbench_names.hpp"
#include "bench/trial/trial.hpp"
#include "reports/posix_io.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;

namespace {

bool is_contender(const fs::directory_entry& entry) {
    std::error_code unreadable;
    return !entry.path().filename().native().starts_with('.') && entry.is_regular_file(unreadable) &&
           ::access(entry.path().c_str(), X_OK) == 0;
}

}  // namespace

fs::path default_contender_dir() {
    return installed_file("contenders");
}

std::vector<contender> find_contenders(std::span<const fs::path> folders) {
    std::vector<contender> all;
    std::set<fs::path> seen;
    for (const auto& folder : folders) {
        std::error_code error;
        if (const auto real = fs::canonical(folder, error); !error && !seen.insert(real).second) continue;
        for (const auto& entry : fs::directory_iterator{folder, error})
            if (is_contender(entry))
                all.push_back({entry.path().filename().native(), fs::absolute(entry.path()), {}, {}});
        if (error) throw reports::file_error{"read the folder of contenders", folder.native(), error.value()};
    }
    std::ranges::sort(all, {}, &contender::name);
    const auto twice = std::ranges::adjacent_find(all, {}, &contender::name);
    if (twice != all.end())
        throw usage_error{fmt::format("two contenders are called {}: {} and {}; rename one of the files",
                                      twice->name, twice->path.native(), std::next(twice)->path.native())};
    return all;
}

void list_workloads(contender& who, workload_size size, std::chrono::nanoseconds limit, int stop_fd) {
    child_request request;
    request.command = {who.path.native(), "--benchmark_list_tests=true"};
    request.environment = {{"LOOPBENCH_SIZE", std::string{name_of(size)}}};
    request.limit = limit;
    request.stop_fd = stop_fd;
    const auto outcome = run_child(request);
    if (const auto failure = failure_of(outcome, limit)) {
        who.problem = fmt::format("cannot list its workloads: {}", *failure);
        return;
    }
    who.workloads = workloads_from_listing(outcome.output);
    if (who.workloads.empty()) who.problem = "cannot list its workloads: it printed none";
}

}  // namespace loopbench::bench
