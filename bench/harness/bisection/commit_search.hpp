// The search for the commit that made a program slower. It knows only the order of the commits and the
// verdicts on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace loopbench::bench {

enum class commit_verdict : std::uint8_t {
    slower,
    not_slower,
    undecided,  // the commit is on neither side after the maximum number of blocks
    skipped     // the commit cannot be measured
};

constexpr auto names_of(commit_verdict) {
    return std::to_array<std::string_view>({"slower", "not_slower", "undecided", "skipped"});
}

/// A bisection of `commits` commits, numbered from 0. The last one is known to be slower than the commit
/// before the first one. A suspect is a commit that can be the first slower one.
///
/// The probability that one of the verdicts is wrong is at most `error`: each comparison gets an error rate
/// of its own, and the sum of these rates stays below `error`. Each gets the rest of `error`, divided by one
/// more than the number of steps that are left. The sum stays below `error` even if skipped or undecided
/// commits add steps.
class commit_search {
public:
    /// Each undecided commit takes the maximum number of blocks. Several of them in one search are usually
    /// due to a cause that affects further commits, too: half of the slowdown.
    static constexpr std::size_t undecided_max = 3;
    /// If ten commits in a row cannot be measured, the cause is usually the build command or the machine.
    static constexpr std::size_t skipped_max = 10;

    commit_search(std::size_t commits, double error) : last_{commits - 1}, error_left_{error} {}

    /// Returns the commit to measure next, or nothing at the end, or if is_given_up(). This is the middle one
    /// of the suspects that can still be measured. If several suspects were skipped, it is the middle suspect
    /// or, if that was skipped, a commit at a growing distance from it (1, 2, 4, ...), because commits near
    /// one that does not build often do not build either.
    [[nodiscard]] std::optional<std::size_t> next() const;

    /// Returns true if the search ends early: after `undecided_max` undecided commits, or after
    /// `skipped_max` skipped commits in a row.
    [[nodiscard]] bool is_given_up() const {
        return undecided_ >= undecided_max || skipped_in_a_row_ >= skipped_max;
    }

    /// Returns the error rate that the next comparison can have.
    [[nodiscard]] double error_of_next() const { return error_left_ / static_cast<double>(steps_left() + 1); }

    /// Takes the verdict on the commit that next() returned.
    void take(std::size_t commit, commit_verdict found);

    /// Returns the number of the first suspect.
    [[nodiscard]] std::size_t first() const { return first_; }
    /// Returns the number of the last suspect. If it equals first(), the search has found the commit.
    [[nodiscard]] std::size_t last() const { return last_; }
    /// Returns the number of further steps, if no commit is skipped or undecided.
    [[nodiscard]] std::size_t steps_left() const;

private:
    std::size_t first_ = 0, last_;
    double error_left_;
    std::set<std::size_t> passed_over_;
    std::size_t undecided_ = 0, skipped_in_a_row_ = 0;

    [[nodiscard]] std::vector<std::size_t> candidates() const;
};

}  // namespace loopbench::bench
