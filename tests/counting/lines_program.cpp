// Two threads take turns, and in each turn, a thread writes one number. The arguments are the kind of the
// number and the number of turns of each thread:
// - own: each thread has a number on a cache line of its own
// - neighbours: each thread has a number, but both are on one line
// - shared: both threads write the same number
// - changed: both threads read and write the same number
// - locked: both threads write the same number, under a mutex
#include <array>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <string>

#include "tests/counting/turns.hpp"

namespace {

using loopbench::bench::line_bytes;

constexpr std::size_t numbers_in_line = line_bytes / sizeof(long);

alignas(line_bytes) std::mutex mutex;

}  // namespace

// Visible to other files, because a compiler removes the writes to a variable that nothing can read.
alignas(line_bytes) std::array<long, 2 * numbers_in_line> numbers;

int main(int count, char** arguments) {
    if (count != 3) return 2;
    const std::string kind = arguments[1];
    loopbench::bench::take_turns(std::atol(arguments[2]), [kind](std::size_t me, long turn) {
        long& number = numbers[kind == "own" ? me * numbers_in_line : kind == "neighbours" ? me : 0];
        if (kind == "locked") {
            const std::lock_guard lock(mutex);
            number = turn;
        } else if (kind == "changed") {
            number |= turn;
        } else {
            number = turn;
        }
    });
    return 0;
}
