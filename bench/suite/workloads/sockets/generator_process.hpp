// The client process of serve/open_loop. It runs bench/suite/generator on another core or machine and
// measures the latencies.
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

/// The load of a schedule. Exactly one of the two members is not 0.
struct offered_load {
    int percent_of_capacity = 0;
    int per_second = 0;
};

struct remote_client {
    std::string address;  // address of this machine, as the other machine reaches it
    std::string command;  // a shell command that runs its arguments on the other machine
};

std::optional<remote_client> configured_remote_client();

struct generator_plan {
    std::optional<remote_client> remote = {};
    std::uint16_t port;
    std::size_t connections;
    std::uint64_t requests;
    offered_load offered;
    double capacity_s;
    std::optional<int> core = {};  // the generator's core; by default, the second core of this thread
};

/// A server that only reads, on a separate thread. The generator uses it to measure the network path.
class discarder {
public:
    /// Starts to listen at `address`. Throws std::system_error.
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

/// The process of the generator, and a thread that collects its output. The thread is needed because some
/// runtimes have no pipes.
class generator_process {
public:
    /// Starts the generator on another core or another machine, and keeps this thread on one core. States
    /// both cores in the trial, but keeps the cores of the contender's threads if the trial has them. Looks
    /// for the program at the path in LOOPBENCH_GENERATOR, in the parent folder of the contender's folder,
    /// and in the contender's folder. Without a program or a second core, marks the trial as unsupported and
    /// returns false. When the generator has ended, the thread that collects its output calls ended(). Throws
    /// std::system_error.
    bool start(const generator_plan& plan, trial& t, std::function<void()> ended);

    ~generator_process();
    generator_process() = default;
    generator_process(const generator_process&) = delete;
    generator_process& operator=(const generator_process&) = delete;

    /// Adds the generator's results to the trial. This function must be called after ended(). Marks the trial
    /// as unsupported if the generator could not offer or measure the load on this machine.
    void prove(trial& t, std::uint64_t requests);

private:
    std::optional<kept_on_core> here_;
    std::optional<discarder> path_end_;
    std::string command_;
    int process_ = -1;
    int output_ = -1;
    std::string text_;
    std::atomic<bool> given_up_ = false;  // if true, `ended` must not be called
    std::thread reader_;
};

}  // namespace loopbench::bench::workloads::detail
