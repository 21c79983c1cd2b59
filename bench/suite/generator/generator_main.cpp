// The program loopbench-generator. A contender starts it, and it prints one JSON document.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/suite/generator/open_loop.hpp"
#include "bench/suite/generator/path.hpp"
#include "reports/base/file_formats.hpp"

namespace {

using namespace loopbench::bench;
using json = nlohmann::ordered_json;

bool run_on(int cpu) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<unsigned>(cpu), &only);
    return ::sched_setaffinity(0, sizeof only, &only) == 0;
}

constexpr std::uint64_t requests_max = 100'000'000;
constexpr double rate_max = 10e6;

chosen_link link_by_chosen_epoll(const open_loop_plan& plan) {
    return link_by_epoll(plan, "the option --epoll was passed");
}

json buckets_of(const histogram& values) {
    json buckets = json::array();
    values.for_each_bucket([&](std::int64_t lowest, std::int64_t highest, std::uint64_t count) {
        buckets.push_back({lowest, highest, count});
    });
    return buckets;
}

json path_to(const std::string& host, std::optional<std::uint16_t> discarding_port) {
    if (!discarding_port) return nullptr;
    const path_quality found = measure_path(loopbench::loop::endpoint::ip(host, *discarding_port));
    return {{"rtt_p50", found.rtt_p50_ns}, {"rtt_p99", found.rtt_p99_ns}, {"rate", found.bytes_per_s}};
}

json to_json(const open_loop_result& result) {
    const auto text_or_null = [](const std::optional<std::string>& text) {
        return text ? json(*text) : json(nullptr);
    };
    return {{"schema", loopbench::reports::generator_format.schema},
            {"capacity", result.capacity},
            {"rate", result.rate},
            {"tries", result.tries},
            {"sent", result.sent},
            {"replies", result.replies},
            {"wrong_replies", result.wrong_replies},
            {"busy", result.busy},
            {"left_out", result.left_out},
            {"held_back", result.held_back},
            {"send_late_p99", result.send_lateness.percentile_ns(99)},
            {"failure", result.failure},
            {"io", result.io},
            {"io_uring_refused", result.refused.empty() ? json(nullptr) : json(result.refused)},
            {"not_offered", text_or_null(result.not_offered)},
            {"invalid", text_or_null(result.not_offered ? std::nullopt : why_invalid(result))},
            {"own_making", percentiles_of_its_own_making(result)},
            {"latency_min", result.latency.min_ns()},
            {"latency_max", result.latency.max_ns()},
            {"latency_mean", result.latency.mean_ns()},
            {"latency", buckets_of(result.latency)}};
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Sends requests to an echo server on a fixed schedule, and prints the latencies of the replies.",
        "loopbench-generator"};
    open_loop_plan plan;
    double capacity_s = 0.3, look_s = 0.03;
    bool by_epoll = false;
    std::optional<int> cpu;
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    std::optional<std::uint16_t> path_port;
    app.add_option("--host", host, "Address of the server")->capture_default_str();
    app.add_option("--port", port, "Port of the server")->required();
    app.add_option("--path-port", path_port,
                   "Port of a second server at the same address, which reads each connection until its end; "
                   "the generator first measures the network path to this server");
    app.add_option("--requests", plan.requests, "Number of requests")
        ->required()
        ->check(CLI::Range(std::uint64_t{1}, requests_max));
    app.add_option("--connections", plan.connections, "Number of connections")->check(CLI::Range(1, 10'000));
    app.add_option("--bytes", plan.bytes, "Bytes per request")->check(CLI::Range(1, 65'536));
    app.add_flag("--http", plan.http, "Send HTTP requests, as tests/agreement/http_responder expects them");
    app.add_option(
           "--load", plan.load,
           "Rate of the requests as a share of the capacity; the generator measures the capacity first")
        ->check(CLI::Range(0.01, 1.0));
    app.add_option("--rate", plan.rate,
                   "Rate of the requests in requests per second, instead of a share of the capacity")
        ->check(CLI::Range(0.001, rate_max));
    app.add_option("--capacity-seconds", capacity_s, "Duration of the capacity measurement")
        ->check(CLI::Range(0.001, 60.0));
    app.add_option("--look-seconds", look_s,
                   "Duration of each test run that checks whether the generator can send at the rate; 0: no "
                   "test runs")
        ->check(CLI::Range(0.0, 60.0));
    app.add_flag("--epoll", by_epoll, "Use epoll even if the kernel allows io_uring");
    app.add_option("--cpu", cpu, "Core to run on");
    CLI11_PARSE(app, argc, argv);
    plan.capacity_time = std::chrono::nanoseconds(static_cast<std::int64_t>(capacity_s * 1e9));
    plan.look_time = std::chrono::nanoseconds(plan.http ? 0 : static_cast<std::int64_t>(look_s * 1e9));
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the kernel kills this process if the contender ends
    try {
        if (cpu && !run_on(*cpu))
            fmt::print(stderr, "loopbench-generator: cannot run on core {}; use another --cpu\n", *cpu);
        plan.server = loopbench::loop::endpoint::ip(host, port);
        json path = path_to(host, path_port);
        const open_loop_result result = run_open_loop(plan, by_epoll ? link_by_chosen_epoll : cheapest_link);
        if (!result.refused.empty())
            fmt::print(stderr,
                       "loopbench-generator: uses epoll, which needs more CPU time, because io_uring is not "
                       "available: {}\n",
                       result.refused);
        json document = to_json(result);
        document["path"] = std::move(path);
        fmt::print("{}\n", document.dump());
    } catch (const std::exception& error) {
        fmt::print(
            "{}\n",
            json{{"schema", loopbench::reports::generator_format.schema}, {"failure", error.what()}}.dump());
    }
    return 0;
}
