// The schedule: which cell runs when. Contenders of one workload run next to each other, so that a pair is
// close in time and a drifting machine hits both.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/statistics/correction.hpp"
#include "bench/trial/contender_list.hpp"
#include "bench/trial/turns.hpp"
#include "reports/results.hpp"

namespace loopbench::bench {

/// What a run may be asked for. Seeds are those that every reader of JSON keeps exactly.
inline constexpr std::size_t layouts_max = 1000;
inline constexpr std::uint64_t blocks_max = 100'000, largest_seed = (std::uint64_t{1} << 53U) - 1;

/// Indices into a plan's contenders and workloads.
struct cell {
    std::size_t workload = 0;
    std::size_t contender = 0;
    bool operator==(const cell&) const = default;
};

/// A part of a plan's blocks, for one of several machines: from block `number` - 1 on, each `of`-th.
/// Neighbours in the plan are then of different machines: of whichever shards there are, the blocks are
/// spread over the whole of it, and its first half is of the same machines as its second.
struct shard {
    std::uint64_t number = 1, of = 1;  // number is from 1 to of
    bool operator==(const shard&) const = default;

    [[nodiscard]] bool has(std::uint64_t block) const { return block % of == number - 1; }
    /// How many it has of the first `blocks` blocks.
    [[nodiscard]] std::uint64_t count(std::uint64_t blocks) const { return (blocks + of - number) / of; }
};

struct run_plan {
    std::vector<contender> contenders;          // the chosen ones, by name
    std::vector<reports::contender> described;  // the chosen ones, as they describe themselves; may be empty
    std::vector<std::string> workloads;         // the chosen ones, in the order of the report
    std::optional<reports::way> way = {};       // asked for, of all workloads
    std::vector<reports::way> ways = {};        // of each workload; empty: apart
    std::vector<int> cores = {};                // that a trial of each workload needs; empty or 0: not known
    std::string baseline = "asio-epoll";
    workload_size size = workload_size::real;
    double min_time_s = 0.5;
    std::uint64_t blocks = 10;
    std::optional<std::chrono::nanoseconds> budget;  // for the whole run
    std::chrono::nanoseconds trial_limit{std::chrono::seconds{60}};
    std::uint64_t seed = 0;
    std::optional<std::size_t> twin;  // the contender that is the baseline once more, for the A/A
    double threshold_pct = 1;         // what the verdicts call a difference
    correction how = correction::benjamini_hochberg;
    std::optional<double> precision_pct;  // stop when every ratio is known to within this
    std::optional<int> cpu;               // trials run on this one alone
    std::vector<int> cpus = {};  // or each block on one of these, where one is enough for the workload
    std::optional<double> tolerated_pct;  // a comparison of builds: judge_gate() has the last word
    bool counts = false, checks = false;  // the passes that follow the trials
    turn_lengths turn = {};
    std::optional<shard> part = {};           // that this session does; nothing: all of it
    std::optional<std::string> machine = {};  // that it runs on now, for its trials to say

    /// The blocks that this session does.
    [[nodiscard]] shard share() const { return part.value_or(shard{}); }
    /// The place of the baseline among the contenders.
    [[nodiscard]] std::optional<std::size_t> baseline_index() const;
    /// How the trials of a cell are made: a contender that does not know turns makes its own apart.
    [[nodiscard]] reports::way way_of(cell where) const;
    /// Whether the contender knows turns, as it says of itself; the twin is the baseline.
    [[nodiscard]] bool takes_turns(std::size_t contender) const;
    /// The core for a workload's trials in a block; nothing when they may use any.
    [[nodiscard]] std::optional<int> cpu_for(std::uint64_t block, std::size_t workload) const;
    /// How many layouts of one contender meet as many of another, each the same one whenever it runs: the
    /// least that any of them has. 0 when they have none.
    [[nodiscard]] std::size_t layout_pairs() const;
};

/// Adds the baseline a second time, under a name of the same length: the length of argv[0] moves the stack,
/// and with it the speed (T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously
/// Wrong!", ASPLOS 2009). Without the baseline nothing happens.
void add_twin(run_plan& plan);

/// How many bytes the environment of a trial is longer than it has to be, from 0 to 4095, by the seed: what
/// the length of the environment does to the speed (see add_twin) is then noise that the interval shows, and
/// no bias.
std::size_t padding_bytes(std::uint64_t seed, std::uint64_t block, cell where, std::uint64_t attempt);

/// The seed of the order in which contenders take turns in an attempt at a workload in a block.
std::uint64_t seed_of_turns(std::uint64_t seed, std::uint64_t block, std::size_t workload,
                            std::uint64_t attempt);

/// Which of its layouts a contender has in a block, by the seed; 0 when it has none. All are used once, in a
/// random order, before the first is used again, and then in the same order: a layout meets one and the same
/// layout of another contender each time, so that what the pairs say is independent, whatever one of them
/// repeats (samples.hpp). The twin has those of the baseline half a round later: never the one it is compared
/// with, and, as long as there are twice as many as blocks, no other that the baseline has.
std::size_t layout_of(const run_plan& plan, std::uint64_t block, std::size_t contender);

/// The orders of the blocks, one after the other. A seed gives the same orders on every machine and with
/// every standard library: the generator and the shuffle have a fixed definition.
class block_orders {
public:
    block_orders(std::uint64_t seed, std::size_t workloads, std::size_t contenders);

    /// The next block: every cell once; workloads shuffled, and for each of them the contenders.
    std::vector<cell> next();

private:
    std::mt19937_64 random_;
    std::size_t workloads_, contenders_;
};

}  // namespace loopbench::bench
