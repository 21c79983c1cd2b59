// The process that measures a serving workload: bench/suite/generator, on another core.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "bench/suite/workloads/trial/cores.hpp"
#include "bench/suite/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads::detail {

/// The load that the generator offers: exactly one of the two is set.
struct offered_load {
    int percent_of_capacity = 0;  // of the server's capacity, which is measured first
    int per_second = 0;
};

/// A generator on another machine.
struct remote_client {
    std::string address;  // of this machine, as the other one reaches it
    std::string command;  // a shell command that runs its arguments on the other machine
};

/// Returns the client of LOOPBENCH_SERVE_ON and LOOPBENCH_GENERATOR_ON; nothing if the generator runs here.
std::optional<remote_client> configured_remote_client();

struct generator_plan {
    std::optional<remote_client> remote = {};
    std::uint16_t port;
    std::size_t connections;
    std::uint64_t requests;
    offered_load offered;
    double capacity_s;
};

/// A port on which a thread of its own reads connections until their end, to measure the network path.
class discarder {
public:
    /// Throws std::system_error.
    explicit discarder(const std::string& address);
    discarder& operator=(discarder&&) = delete;
    ~discarder();

    std::uint16_t port() const { return port_; }

private:
    void serve() const;

    int listening_;
    std::uint16_t port_;
    std::thread thread_;
};

/// Starts the generator, and collects its output on a thread of its own, since some runtimes have no pipes.
class generator_process {
public:
    /// Keeps this thread on one core, and the generator on another core or machine. Returns false if there is
    /// no generator (it is looked for beside the contenders' folder and at LOOPBENCH_GENERATOR) or no other
    /// core; the trial is then unsupported. Calls ended() on the other thread when the generator has ended.
    /// Throws std::system_error if the kernel refuses a core, a pipe or the process.
    bool start(const generator_plan& plan, trial& t, std::function<void()> ended);

    /// Kills the generator if it still runs, and gives this thread its cores back.
    ~generator_process();
    generator_process() = default;
    generator_process(const generator_process&) = delete;
    generator_process& operator=(const generator_process&) = delete;

    /// Puts the generator's latencies and its own figures into the trial, and proves its work; must be called
    /// after ended(). If the generator could not offer or measure the load on this machine, the trial is
    /// unsupported.
    void prove(trial& t, std::uint64_t requests);

private:
    // The actions that the destructor undoes.
    std::optional<kept_on_core> here_;
    std::optional<discarder> path_end_;
    std::string command_;  // for the other machine; empty if the generator runs here
    int process_ = -1;
    int output_ = -1;
    std::string text_;
    std::atomic<bool> given_up_ = false;  // ended() must not be called any more
    std::thread reader_;
};

}  // namespace loopbench::bench::workloads::detail
