// The contenders of a block run the same workload directly one after the other. Therefore the trials that a
// ratio compares are close in time, and a drift of the machine's speed affects them equally.
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

/// The largest number of layouts, the largest number of blocks, and the largest seed that the options accept.
/// Every JSON reader can represent `largest_seed` exactly.
inline constexpr std::size_t layouts_max = 1000;
inline constexpr std::uint64_t blocks_max = 100'000, largest_seed = (std::uint64_t{1} << 53U) - 1;

struct cell {
    std::size_t workload = 0;
    std::size_t contender = 0;
    bool operator==(const cell&) const = default;
};

/// A part of the plan for one of several machines: every `of`-th block, beginning with the `number`-th. Thus
/// the first and the second half of the plan contain blocks of the same machines.
struct shard {
    std::uint64_t number = 1, of = 1;  // `number` is between 1 and `of`
    bool operator==(const shard&) const = default;

    [[nodiscard]] bool has(std::uint64_t block) const { return block % of == number - 1; }
    [[nodiscard]] std::uint64_t count(std::uint64_t blocks) const { return (blocks + of - number) / of; }
};

struct unmatched_benchmark {
    std::string workload;
    std::string contender;
    bool operator==(const unmatched_benchmark&) const = default;
};

/// The search for the causes of slowdowns, which follows the trials of a comparison.
struct cause_options {
    bool instructions = false;  // also count instructions with callgrind
    bool profile = false;       // also compare the functions of both builds
    bool operator==(const cause_options&) const = default;
};

struct run_plan {
    std::vector<contender> contenders;  // sorted by name
    std::vector<reports::contender> described;
    std::vector<std::string> workloads;
    std::optional<reports::pairing> asked_pairing = {};
    std::vector<reports::pairing> pairings = {};  // by workload; empty: all sequential
    std::vector<int> cores = {};                  // by workload: the cores of a trial; empty or 0 if unknown
    std::string baseline = "asio-epoll";
    workload_size size = workload_size::full;
    double min_time_s = 0.5;
    std::uint64_t blocks = 10;  // with nine or more, an interval excludes the extreme samples
    std::optional<std::chrono::nanoseconds> budget;
    std::chrono::nanoseconds trial_limit{std::chrono::seconds{60}};
    std::uint64_t seed = 0;
    std::optional<std::size_t> aa_copy;
    double threshold_pct = 1;
    correction how = correction::benjamini_hochberg;
    bool of_one_program = false;
    std::optional<double> precision_pct;  // the run stops when each ratio is known this precisely
    std::optional<int> cpu;
    std::vector<int> cpus = {};           // a workload that needs one CPU gets one of these in each block
    std::optional<double> tolerated_pct;  // the limit of judge_gate() for a comparison of builds
    bool counts = false, checks = false;  // true if the pass follows the trials
    std::optional<cause_options> causes = {};  // absent: no search for causes
    slice_lengths slice = {};
    std::optional<shard> part = {};
    std::optional<std::string> machine = {};  // copied into each trial
    std::optional<std::vector<unmatched_benchmark>> unmatched =
        {};  // absent if all benchmarks are in both builds

    [[nodiscard]] shard share() const { return part.value_or(shard{}); }
    [[nodiscard]] std::optional<std::size_t> baseline_index() const;
    [[nodiscard]] bool are_builds() const;
    [[nodiscard]] reports::pairing pairing_of(cell where) const;
    [[nodiscard]] bool knows_slices(std::size_t contender) const;
    /// Returns the CPU for the trials of a workload in a block, or nothing if these trials can use any CPU.
    [[nodiscard]] std::optional<int> cpu_for(std::uint64_t block, std::size_t workload) const;
    /// Returns the smallest number of layouts of any contender, or 0 if a contender has none. The i-th
    /// layouts of all contenders, in the random orders of layout_of(), run in the same blocks.
    [[nodiscard]] std::size_t layout_pairs() const;
};

/// Adds the A/A copy, or does nothing without a baseline. The copy's name is as long as the baseline's name,
/// because the environment contains the name. An environment of another length would move the stack and thus
/// change the speed (T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!",
/// ASPLOS 2009).
void add_aa_copy(run_plan& plan);

/// Returns a random number of bytes (0 to 4095) by which the harness lengthens a trial's environment. The
/// length of the environment changes the speed (see add_aa_copy). With random lengths, this effect is not a
/// bias but noise, which widens the interval.
std::size_t padding_bytes(std::uint64_t seed, std::uint64_t block, cell where, std::uint64_t attempt);

std::uint64_t seed_of_slices(std::uint64_t seed, std::uint64_t block, std::size_t workload,
                             std::uint64_t attempt);

/// Returns the index of the contender's layout in a block, or 0 without layouts. A contender uses its layouts
/// in a random order, which depends on the seed and repeats every layout_pairs() blocks. Therefore two
/// layouts of different contenders run either always or never in the same block, and the pairs of layouts are
/// independent even if layouts repeat (samples.hpp). The A/A copy uses the baseline's order, shifted by half
/// of its length, so that the baseline and its copy never use the same layout in a block.
std::size_t layout_of(const run_plan& plan, std::uint64_t block, std::size_t contender);

/// The random orders of the trials in the blocks. A seed gives the same orders on every machine and with
/// every standard library.
class block_orders {
public:
    block_orders(std::uint64_t seed, std::size_t workloads, std::size_t contenders);

    std::vector<cell> next();

private:
    std::mt19937_64 random_;
    std::size_t workloads_, contenders_;
};

}  // namespace loopbench::bench
