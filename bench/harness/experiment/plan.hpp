// The schedule: which contender runs which workload when. Contenders of one workload run next to each other,
// so that the two trials of a pair are close in time, and a drifting machine affects both.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/harness/statistics/correction.hpp"
#include "bench/harness/trial/contender_list.hpp"
#include "bench/harness/trial/interleaving.hpp"
#include "reports/model/results.hpp"

namespace loopbench::bench {

/// Limits of a run's options. JSON readers keep seeds up to the largest one exactly.
inline constexpr std::size_t layouts_max = 1000;
inline constexpr std::uint64_t blocks_max = 100'000, largest_seed = (std::uint64_t{1} << 53U) - 1;

/// Indices into a plan's contenders and workloads.
struct cell {
    std::size_t workload = 0;
    std::size_t contender = 0;
    bool operator==(const cell&) const = default;
};

/// A part of a plan's blocks, for one of several machines: beginning with block `number` - 1, every `of`-th
/// block. Neighbouring blocks then belong to different machines: any set of shards is spread over the whole
/// plan, and its first half has the same machines as its second half.
struct shard {
    std::uint64_t number = 1, of = 1;  // number is from 1 to of
    bool operator==(const shard&) const = default;

    [[nodiscard]] bool has(std::uint64_t block) const { return block % of == number - 1; }
    /// Returns how many of the first `blocks` blocks it has.
    [[nodiscard]] std::uint64_t count(std::uint64_t blocks) const { return (blocks + of - number) / of; }
};

struct run_plan {
    std::vector<contender> contenders;                   // the chosen ones, by name
    std::vector<reports::contender> described;           // their own descriptions; may be empty
    std::vector<std::string> workloads;                  // the chosen ones, in the order of the report
    std::optional<reports::pairing> asked_pairing = {};  // requested for all workloads
    std::vector<reports::pairing> pairings = {};         // of each workload; empty: pairing::sequential
    std::vector<int> cores = {};  // needed by a trial of each workload; empty or 0: unknown
    std::string baseline = "asio-epoll";
    workload_size size = workload_size::full;
    double min_time_s = 0.5;
    std::uint64_t blocks = 10;
    std::optional<std::chrono::nanoseconds> budget;  // for the whole run
    std::chrono::nanoseconds trial_limit{std::chrono::seconds{60}};
    std::uint64_t seed = 0;
    std::optional<std::size_t> aa_copy;  // the contender that is the A/A copy of the baseline
    double threshold_pct = 1;            // the smallest difference that verdicts report
    correction how = correction::benjamini_hochberg;
    bool of_one_program = false;          // asked for as builds of one program; see are_builds()
    std::optional<double> precision_pct;  // stop when every ratio is known to within this
    std::optional<int> cpu;               // trials run only on this one
    std::vector<int> cpus = {};           // or each block on one of these, if one is enough for the workload
    std::optional<double> tolerated_pct;  // for a comparison of builds, which judge_gate() decides
    bool counts = false, checks = false;  // the passes that follow the trials
    slice_lengths slice = {};
    std::optional<shard> part = {};           // the part that this session runs; nothing: the whole plan
    std::optional<std::string> machine = {};  // the machine that it runs on, for its trials to state

    /// Returns the blocks that this session runs.
    [[nodiscard]] shard share() const { return part.value_or(shard{}); }
    /// Returns the baseline's index among the contenders.
    [[nodiscard]] std::optional<std::size_t> baseline_index() const;
    /// Returns whether the contenders are builds of one program: asked for as such, and not of different
    /// names by their own word.
    [[nodiscard]] bool are_builds() const;
    /// Returns the pairing of these trials: contenders without slices.hpp run sequentially instead of
    /// interleaved.
    [[nodiscard]] reports::pairing pairing_of(cell where) const;
    /// Returns true if the contender says that it can be interleaved; the A/A copy is like the baseline.
    [[nodiscard]] bool knows_slices(std::size_t contender) const;
    /// Returns the core for a workload's trials in a block; nothing if they may use any.
    [[nodiscard]] std::optional<int> cpu_for(std::uint64_t block, std::size_t workload) const;
    /// Returns the number of layout pairs: with layouts, a contender's i-th one always meets the same layout
    /// of another contender. It is the smallest number of layouts of any contender; 0 if one has none.
    [[nodiscard]] std::size_t layout_pairs() const;
};

/// Adds the baseline a second time (the A/A copy), under a name of the same length: the length of argv[0]
/// moves the stack, and this changes the speed (T. Mytkowicz et al., "Producing Wrong Data Without Doing
/// Anything Obviously Wrong!", ASPLOS 2009). Does nothing without a baseline.
void add_aa_copy(run_plan& plan);

/// Returns how many bytes to add to a trial's environment, from 0 to 4095, determined by the seed. The effect
/// of the environment's length on the speed (see add_aa_copy) then becomes noise that the interval shows,
/// instead of a bias.
std::size_t padding_bytes(std::uint64_t seed, std::uint64_t block, cell where, std::uint64_t attempt);

/// Returns the seed for the order of the contenders' slices, for an attempt at a workload in a block.
std::uint64_t seed_of_slices(std::uint64_t seed, std::uint64_t block, std::size_t workload,
                             std::uint64_t attempt);

/// Returns the index of a contender's layout in a block, determined by the seed; 0 if it has none. All
/// layouts are used once, in a random order, before the first is used again, and then in the same order. A
/// layout therefore always meets the same layout of another contender, so that the pairs are independent even
/// if layouts repeat (samples.hpp). The A/A copy uses the baseline's layouts half a round later: never the
/// layout that it is compared with, and, if there are at least twice as many layouts as blocks, none that the
/// baseline uses.
std::size_t layout_of(const run_plan& plan, std::uint64_t block, std::size_t contender);

/// The orders of the blocks. A seed gives the same orders on every machine and with every standard library,
/// because the generator and the shuffle have a fixed definition.
class block_orders {
public:
    block_orders(std::uint64_t seed, std::size_t workloads, std::size_t contenders);

    /// Returns the next block's order: the workloads are shuffled, and for each of them the contenders.
    std::vector<cell> next();

private:
    std::mt19937_64 random_;
    std::size_t workloads_, contenders_;
};

}  // namespace loopbench::bench
