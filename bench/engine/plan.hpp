// The schedule: which cell runs when. Contenders of one workload run next to each other, so that a pair is
// close in time and a drifting machine hits both.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/engine/contender_list.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

struct run_plan {
    std::vector<contender> contenders;   // the chosen ones, by name
    std::vector<reports::contender> described;  // the chosen ones, as they describe themselves; may be empty
    std::vector<std::string> workloads;         // the chosen ones, in the order of the report
    std::string baseline = "asio-epoll";
    workload_size size = workload_size::real;
    double min_time_s = 0.5;
    std::uint64_t blocks = 10;
    std::optional<std::chrono::nanoseconds> budget;  // for the whole run
    std::chrono::nanoseconds trial_limit{std::chrono::seconds{60}};
    std::uint64_t seed = 0;
};

/// Indices into a plan's contenders and workloads.
struct cell {
    std::size_t workload = 0;
    std::size_t contender = 0;
    bool operator==(const cell&) const = default;
};

/// The orders of the blocks, one after the other. A seed gives the same orders on every machine and with
/// every standard library: the generator and the shuffle have a fixed definition.
class block_orders {
public:
    block_orders(std::uint64_t seed, std::size_t workloads, std::size_t contenders);

    /// The next block: every cell once; workloads shuffled, and for each of them the contenders.
    std::vector<cell> next();

private:
    std::vector<std::size_t> shuffled(std::size_t count);

    std::mt19937_64 random_;
    std::size_t workloads_, contenders_;
};

}  // namespace loopbench::bench
