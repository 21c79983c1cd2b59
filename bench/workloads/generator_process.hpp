// The process that a serving workload is measured by: bench/generator, on another core.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "bench/workloads/cores.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads::detail {

/// One of the two.
struct offered_load {
    int percent_of_capacity = 0;  // of the server, which is measured first
    int per_second = 0;
};

struct generator_plan {
    std::uint16_t port;
    std::size_t connections;
    std::uint64_t requests;
    offered_load offered;
    double capacity_s;
};

/// Starts the generator, and collects what it prints on a thread of its own, since a runtime need not have
/// pipes.
class generator_process {
public:
    /// Keeps this thread on one core, and the generator on another. False when there is no
    /// generator (it is looked for beside the contenders' folder, and where LOOPBENCH_GENERATOR says) or no
    /// other core: the trial is then unsupported. ended() is called on the other thread when the generator
    /// has ended. Throws std::system_error when the kernel refuses a core, a pipe or the process.
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
    int process_ = -1;
    int output_ = -1;
    std::string text_;
    std::atomic<bool> given_up_ = false;  // nobody is there any more to be told that it ended
    std::thread reader_;
};

}  // namespace loopbench::bench::workloads::detail
