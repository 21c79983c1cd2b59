#include "bench/harness/trial/describe.hpp"

#include "bench/harness/trial/gbench_json.hpp"
#include "bench/harness/trial/process/orphans.hpp"
#include "bench/harness/trial/run_trial.hpp"
#include "bench/harness/trial/shared_limit.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

json own_description(const contender& who, workload_size size, std::chrono::nanoseconds limit, int stop_fd) {
    child_request request;
    // These arguments are for a program that does not know LOOPBENCH_DESCRIBE. With them, such a program
    // prints an empty list of benchmarks; without them, it would run all its benchmarks.
    request.command = {who.path.native()};
    request.command.insert(request.command.end(), who.arguments.begin(), who.arguments.end());
    request.command.insert(request.command.end(), {"--benchmark_list_tests=true", "--benchmark_filter=^$"});
    request.environment = {{"LOOPBENCH_DESCRIBE", "1"}, {"LOOPBENCH_SIZE", std::string{name_of(size)}}};
    request.environment.insert(request.environment.end(), who.environment.begin(), who.environment.end());
    request.folder = who.folder.native();
    request.limit = limit;
    request.stop_fd = stop_fd;
    const auto outcome = ask(request);
    if (failure_of(outcome, limit)) return json::object();
    try {
        return parse_gbench_json(outcome.output).context;
    } catch (const gbench_error&) {
        return json::object();
    }
}

json context_of_a_trial(const contender& who, const std::string& workload, std::chrono::nanoseconds limit,
                        int stop_fd) {
    constexpr double shortest_s = 0.001;
    process_executor executor{stop_fd};
    return executor.run({who, workload, shortest_s, workload_size::small, limit}).context;
}

json ask_for_context(const contender& who, std::span<const std::string> chosen, workload_size size,
                     std::chrono::nanoseconds limit, int stop_fd) {
    if (who.workloads.empty()) return json::object();
    const shared_limit all{limit};
    auto context = own_description(who, size, all.left(), stop_fd);
    if (!context.empty()) return context;
    const auto workload = std::ranges::find_first_of(who.workloads, chosen);
    return context_of_a_trial(who, workload == who.workloads.end() ? who.workloads.front() : *workload,
                              all.left(), stop_fd);
}

}  // namespace

reports::contender describe(const contender& who, std::span<const std::string> workloads, workload_size size,
                            std::chrono::nanoseconds limit, int stop_fd) {
    return reports::describe(who.name, ask_for_context(who, workloads, size, limit, stop_fd));
}

std::vector<reports::contender> describe_all(std::span<const contender> contenders,
                                             std::span<const std::string> workloads, workload_size size,
                                             std::chrono::nanoseconds limit, int stop_fd) {
    std::vector<reports::contender> all;
    for (const contender& who : contenders) all.push_back(describe(who, workloads, size, limit, stop_fd));
    return all;
}

}  // namespace loopbench::bench
