#include "bench/harness/bisection/commit_search.hpp"

#include <algorithm>
#include <bit>

namespace loopbench::bench {

/// Returns the suspects that can still be measured. The last suspect is known to be slower.
std::vector<std::size_t> commit_search::candidates() const {
    std::vector<std::size_t> all;
    for (auto commit = first_; commit < last_; ++commit)
        if (!passed_over_.contains(commit)) all.push_back(commit);
    return all;
}

std::size_t commit_search::steps_left() const {
    return static_cast<std::size_t>(std::bit_width(candidates().size()));
}

std::optional<std::size_t> commit_search::next() const {
    const auto left = candidates();
    if (left.empty() || is_given_up()) return std::nullopt;
    if (left.size() + 1 >= last_ - first_) return left[(left.size() - 1) / 2];
    const auto middle = first_ + (last_ - first_ - 1) / 2;
    const auto nearest = std::ranges::min(
        left, {}, [&](std::size_t commit) { return commit > middle ? commit - middle : middle - commit; });
    if (nearest == middle) return middle;
    bool upwards = true;
    for (std::size_t distance = 1; distance <= last_ - first_; distance *= 2, upwards = !upwards)
        if (const auto commit = upwards ? middle + distance : middle - distance;
            std::ranges::binary_search(left, commit))
            return commit;
    return nearest;
}

void commit_search::take(std::size_t commit, commit_verdict found) {
    if (found != commit_verdict::skipped) error_left_ -= error_of_next();
    skipped_in_a_row_ = found == commit_verdict::skipped ? skipped_in_a_row_ + 1 : 0;
    switch (found) {
        case commit_verdict::slower:
            last_ = commit;
            return;
        case commit_verdict::not_slower:
            first_ = commit + 1;
            return;
        case commit_verdict::undecided:
            ++undecided_;
            break;
        case commit_verdict::skipped:
            break;
    }
    passed_over_.insert(commit);
}

}  // namespace loopbench::bench
