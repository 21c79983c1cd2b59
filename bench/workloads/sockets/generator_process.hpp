// The process that a serving workload is measured by: bench/generator, on another core.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "bench/workloads/trial/cores.hpp"
#include "bench/workloads/trial/trial.hpp"

namespace loopbench::bench::workloads::detail {

/// One of the two.
struct offered_load {
    int percent_of_capacity = 0;  // of the server, which is measured first
    int per_second = 0;
};

/// A generator on another machine.
struct remote_client {
    std::string address;  // of this machine, that it reaches
    std::string command;  // of a shell, that runs there what follows it
};

/// What LOOPBENCH_SERVE_ON and LOOPBENCH_GENERATOR_ON say; nothing when the generator runs here.
std::optional<remote_client> told_remote_client();

struct generator_plan {
    std::optional<remote_client> remote = {};
    std::uint16_t port;
    std::size_t connections;
    std::uint64_t requests;
    offered_load offered;
    double capacity_s;
};

/// A port where connections are read until their end, by a thread of its own, for the path to be measured by.
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

/// Starts the generator, and collects what it prints on a thread of its own, since a runtime need not have
/// pipes.
class generator_process {
public:
    /// Keeps this thread on one core, and the generator on another, or on another machine. False when there
    /// is no generator (it is looked for beside the contenders' folder, and where LOOPBENCH_GENERATOR says)
    /// or no other core: the trial is then unsupported. ended() is called on the other thread when the
    /// generator has ended. Throws std::system_error when the kernel refuses a core, a pipe or the process.
    bool start(const generator_plan& plan, trial& t, std::function<void()> ended);

    /// Kills the generator when it still runs, and gives this thread its cores back.
    ~generator_process();
    generator_process() = default;
    generator_process(const generator_process&) = delete;
    generator_process& operator=(const generator_process&) = delete;

    /// After ended(): puts the generator's latencies and its own figures into the trial, and proves its work.
    /// What it could not offer on this machine, or could not measure, makes the trial unsupported.
    void prove(trial& t, std::uint64_t requests);

private:
    // What was done, and is undone at the end.
    std::optional<kept_on_core> here_;
    std::optional<discarder> path_end_;
    std::string command_;  // of the other machine; empty here
    int process_ = -1;
    int output_ = -1;
    std::string text_;
    std::atomic<bool> given_up_ = false;  // nobody is there any more to be told that it ended
    std::thread reader_;
};

}  // namespace loopbench::bench::workloads::detail
