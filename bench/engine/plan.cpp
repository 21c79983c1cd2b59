// std::shuffle and std::uniform_int_distribution may differ between libraries; these few lines may not.
#include "bench/engine/plan.hpp"

#include <numeric>
#include <utility>

namespace loopbench::bench {

namespace {

/// Uniform in [0, bound), by rejection of the part of the range that would favour small values.
std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
    const std::uint64_t unfair = (0 - bound) % bound;  // 2^64 mod bound
    for (;;)
        if (const auto value = random(); value >= unfair) return value % bound;
}

}  // namespace

block_orders::block_orders(std::uint64_t seed, std::size_t workloads, std::size_t contenders)
    : random_{seed}, workloads_{workloads}, contenders_{contenders} {}

std::vector<std::size_t> block_orders::shuffled(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i)  // Fisher-Yates, Knuth's algorithm P
        std::swap(order[i - 1], order[below(random_, i)]);
    return order;
}

std::vector<cell> block_orders::next() {
    std::vector<cell> block;
    for (const auto workload : shuffled(workloads_))
        for (const auto contender : shuffled(contenders_)) block.push_back({workload, contender});
    return block;
}

}  // namespace loopbench::bench
