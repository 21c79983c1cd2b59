// The client process of serve/open_loop, which also measures the latencies. The process runs the program in
// bench/suite/generator on another core or on another machine.
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

/// The load that the generator offers. Exactly one of the two members is not 0.
struct offered_load {
    int percent_of_capacity = 0;  // relative to the server's capacity, which is measured first
    int per_second = 0;
};

/// A generator on another machine.
struct remote_client {
    std::string address;  // address of this machine, as the other machine reaches it
    std::string command;  // a shell command that runs its arguments on the other machine
};

/// Returns the client that LOOPBENCH_SERVE_ON and LOOPBENCH_GENERATOR_ON configure, or nothing if the
/// generator runs on this machine.
std::optional<remote_client> configured_remote_client();

struct generator_plan {
    std::optional<remote_client> remote = {};
    std::uint16_t port;
    std::size_t connections;
    std::uint64_t requests;
    offered_load offered;
    double capacity_s;
};

/// A server on this machine that reads each connection until its end, on a separate thread. The generator
/// measures the network path with this server.
class discarder {
public:
    /// Listens on `address`. Throws std::system_error.
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

/// A generator process. A separate thread collects the output of the process, because some runtimes have no
/// pipes.
class generator_process {
public:
    /// Starts the generator on another core or machine, and keeps this thread on one core. Looks for the
    /// program at the path in LOOPBENCH_GENERATOR, in the parent folder of the contender's folder, and in the
    /// contender's folder. Without a program or a second core, marks the trial as unsupported and returns
    /// false. When the generator has ended, calls ended() on the other thread. Throws std::system_error if
    /// the kernel refuses a core, a pipe or the process.
    bool start(const generator_plan& plan, trial& t, std::function<void()> ended);

    /// Kills the generator if it still runs, and gives this thread its cores back.
    ~generator_process();
    generator_process() = default;
    generator_process(const generator_process&) = delete;
    generator_process& operator=(const generator_process&) = delete;

    /// Adds the generator's latencies and its other results to the trial, and checks its work. Must be called
    /// after ended() was called. If the generator could not offer or measure the load on this machine, marks
    /// the trial as unsupported.
    void prove(trial& t, std::uint64_t requests);

private:
    // start() sets these members, and the destructor undoes what start() did.
    std::optional<kept_on_core> here_;
    std::optional<discarder> path_end_;
    std::string command_;  // shell command for the other machine; empty if the generator runs here
    int process_ = -1;
    int output_ = -1;
    std::string text_;
    std::atomic<bool> given_up_ = false;  // if true, `ended` must not be called
    std::thread reader_;
};

}  // namespace loopbench::bench::workloads::detail
