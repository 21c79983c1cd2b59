#include "bench/harness/experiment/plan.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "bench/harness/statistics/random.hpp"

namespace loopbench::bench {

namespace {

/// Returns the numbers below `count` in random order. It is used instead of std::shuffle, because the order
/// of std::shuffle depends on the standard library.
std::vector<std::size_t> shuffled(std::mt19937_64& random, std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(random, i)]);
    return order;
}

/// Returns a name that is as long as `name` and ends with `mark`. Replaces all bytes of the last UTF-8
/// character, because a journal cannot contain a part of a character.
std::string same_length_name(std::string name, char mark) {
    const auto continues_character = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
    };
    auto last = name.size();
    while (last > 0 && continues_character(name[last - 1])) --last;
    if (last > 0) --last;
    return name.replace(last, std::string::npos, name.size() - last, mark);
}

/// Mixes the bits of `value` with the finaliser of SplitMix64 (G. Steele et al., "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014).
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
}

}  // namespace

std::optional<std::size_t> run_plan::baseline_index() const {
    const auto found = std::ranges::find(contenders, baseline, &contender::name);
    if (found == contenders.end()) return std::nullopt;
    return static_cast<std::size_t>(found - contenders.begin());
}

bool run_plan::are_builds() const {
    std::set<std::string> names;
    for (const auto& who : described)
        if (const auto name = reports::context_text(who.context, "contender")) names.insert(*name);
    return of_one_program && names.size() <= 1;
}

bool run_plan::knows_slices(std::size_t contender) const {
    const auto index = contender == aa_copy ? baseline_index().value_or(contender) : contender;
    return index < described.size() && reports::context_text(described[index].context, "slices") == "1";
}

reports::pairing run_plan::pairing_of(cell where) const {
    const auto made =
        where.workload < pairings.size() ? pairings[where.workload] : reports::pairing::sequential;
    return made != reports::pairing::interleaved || knows_slices(where.contender)
               ? made
               : reports::pairing::sequential;
}

std::optional<int> run_plan::cpu_for(std::uint64_t block, std::size_t workload) const {
    if (cpu) return cpu;
    if (cpus.empty() || workload >= cores.size() || cores[workload] != 1) return std::nullopt;
    return cpus[mixed(mixed(seed ^ block) ^ workload) % cpus.size()];
}

std::size_t run_plan::layout_pairs() const {
    std::size_t least = contenders.empty() ? 0 : contenders.front().layouts.size();
    for (const auto& who : contenders) least = std::min(least, who.layouts.size());
    return least;
}

void add_aa_copy(run_plan& plan) {
    const auto index = plan.baseline_index();
    if (!index) return;
    auto aa_copy = plan.contenders[*index];
    for (const char mark : {'~', '=', '+'}) {
        aa_copy.name = same_length_name(plan.baseline, mark);
        if (std::ranges::find(plan.contenders, aa_copy.name, &contender::name) == plan.contenders.end())
            break;
    }
    plan.aa_copy = plan.contenders.size();
    plan.contenders.push_back(std::move(aa_copy));
}

std::size_t padding_bytes(std::uint64_t seed, std::uint64_t block, cell where, std::uint64_t attempt) {
    constexpr std::uint64_t bytes_max = 4096;
    auto state = seed;
    for (const std::uint64_t part :
         {block, std::uint64_t{where.workload}, std::uint64_t{where.contender}, attempt})
        state = mixed(state ^ part);
    return state % bytes_max;
}

std::uint64_t seed_of_slices(std::uint64_t seed, std::uint64_t block, std::size_t workload,
                             std::uint64_t attempt) {
    auto state = seed;
    for (const std::uint64_t part : {block, std::uint64_t{workload}, attempt}) state = mixed(state ^ part);
    return state;
}

std::size_t layout_of(const run_plan& plan, std::uint64_t block, std::size_t contender) {
    const auto layouts = plan.contenders[contender].layouts.size(), pairs = plan.layout_pairs();
    if (pairs == 0) return 0;
    const bool is_aa_copy = contender == plan.aa_copy;
    const auto of = is_aa_copy ? *plan.baseline_index() : contender;
    std::mt19937_64 random{mixed(mixed(plan.seed) ^ of)};
    const auto order = shuffled(random, layouts);
    return order[(block % pairs + (is_aa_copy ? layouts / 2 : 0)) % layouts];
}

block_orders::block_orders(std::uint64_t seed, std::size_t workloads, std::size_t contenders)
    : random_{seed}, workloads_{workloads}, contenders_{contenders} {}

std::vector<cell> block_orders::next() {
    std::vector<cell> block;
    for (const auto workload : shuffled(random_, workloads_))
        for (const auto contender : shuffled(random_, contenders_)) block.push_back({workload, contender});
    return block;
}

}  // namespace loopbench::bench
