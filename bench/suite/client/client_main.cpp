// The program loopbench-client starts any server program. It then acts as the server's client, or runs an
// external client, and prints the results as a contender does. LOOPBENCH_SERVER describes the server and the
// client:
//
//     {"command": ["/path/of/server", "{port}"], "client": "echo", "port": 0}
//
// In the server's command and in an external client's command, {port} stands for the port on which the server
// listens. With port 0, loopbench-client chooses a free port.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/suite/client/echo_client.hpp"
#include "bench/suite/client/measured_command.hpp"
#include "bench/suite/client/server_process.hpp"
#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/recording/memory.hpp"

namespace {

using namespace loopbench::bench;
using json = nlohmann::json;

struct served {
    std::vector<std::string> command;
    std::string client;
    std::uint16_t port;
};

void put_port(std::string& text, std::uint16_t port) {
    constexpr std::string_view place = "{port}";
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at))
        text.replace(at, place.size(), std::to_string(port));
}

served configured_server() {
    const char* const text = std::getenv("LOOPBENCH_SERVER");
    const json setting = json::parse(text == nullptr ? "" : text, nullptr, /*allow_exceptions=*/false);
    try {
        served found{setting.at("command"), setting.at("client"), setting.value("port", std::uint16_t{0})};
        if (found.port == 0) found.port = free_port();
        for (auto& word : found.command) put_port(word, found.port);
        put_port(found.client, found.port);
        return found;
    } catch (const json::exception& wrong) {
        throw std::invalid_argument(
            fmt::format("LOOPBENCH_SERVER is invalid: {}; use `loopbench compare --client`, which sets it, "
                        "or set it to {{\"command\": [\"./server\", \"{{port}}\"], \"client\": \"echo\"}}",
                        wrong.what()));
    }
}

void run_clients(trial& t, const std::string& command) {
    const std::vector<std::string> words{"/bin/sh", "-c", command};
    auto environment = own_environment();
    // Only the server records the loops of its io_contexts, because the client can be an Asio program, too.
    std::erase_if(environment,
                  [](const std::string& entry) { return entry.starts_with("LOOPBENCH_ASIO_CONTEXTS="); });
    std::uint64_t runs = 0;
    t.begin();
    for (auto left = t.next(); left > 0; left = t.next())
        for (; left > 0; --left, ++runs) {
            const auto start = t.start_of_latency();
            try {
                run_command(words, environment);
            } catch (const std::runtime_error& failure) {
                throw std::runtime_error(fmt::format("the client {}: {}", failure.what(), command));
            }
            t.record_latency(start);
        }
    t.end();
    t.prove("number of runs of the client", t.operations_done(), runs);
}

using namespace std::chrono_literals;

class workloads_of_server {
public:
    explicit workloads_of_server(const served& with) : with_(with) {}

    std::vector<contender_workload> all() {
        if (with_.client != "echo")
            return {workload({.name = "served/client"}, [this](trial& t) { run_clients(t, with_.client); })};
        return {workload({.name = "served/echo/conns:1"},
                         [this](trial& t) { ask_echo_server(t, 1, with_.port); }),
                workload({.name = "served/echo/conns:100", .open_files = 300},
                         [this](trial& t) { ask_echo_server(t, 100, with_.port); })};
    }

private:
    template <class Run>
    contender_workload workload(workload_shape shape, Run run) {
        return {shape, [this, run](trial& t) {
                    if (!server_) server_.emplace(with_.command, with_.port);
                    t.take_cpu_of(server_->id());
                    run(t);
                    // A failing server closes its connections before its process ends. If the trial has
                    // failed, end() therefore waits up to 300 ms for the end of the process, so that the
                    // error can state how the server ended.
                    const auto may_end = t.failure() ? 300ms : 0ms;
                    if (const auto ended = server_->end(may_end); !ended.empty())
                        throw std::runtime_error(fmt::format("{} {}", with_.command.front(), ended));
                    t.report("rss_peak", static_cast<double>(resident_peak_bytes(server_->id())));
                }};
    }

    const served& with_;
    std::optional<server_process> server_;  // started by the first workload
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const served with = configured_server();
        const auto name = std::filesystem::path(with.command.at(0)).filename().native();
        workloads_of_server workloads(with);
        return run_contender(argc, argv,
                             {.name = name,
                              .library = name,
                              .library_version = {},
                              .driver = {},
                              .files = with.command.front()},
                             workloads.all());
    } catch (const std::exception& error) {
        fmt::print(stderr, "loopbench-client: {}\n", error.what());
        return 2;
    }
}
