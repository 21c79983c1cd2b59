// Two threads take turns, and in each turn, a thread writes one number. The arguments are the kind of the
// number and the number of turns of each thread:
// - own: each thread has a number on a cache line of its own
// - neighbours: each thread has a number, but both are on one line
// - shared: both threads write the same number
// - changed: both threads read and write the same number
// - locked: both threads write the same number, under a mutex
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace {

constexpr std::size_t line_bytes = 64, numbers_in_line = line_bytes / sizeof(long);

alignas(line_bytes) std::atomic<std::size_t> turn{0};
alignas(line_bytes) std::mutex mutex;

}  // namespace

// Visible to other files, because a compiler removes the writes to a variable that nothing can read.
alignas(line_bytes) std::array<long, 2 * numbers_in_line> numbers;

int main(int count, char** arguments) {
    if (count != 3) return 2;
    const std::string kind = arguments[1];
    const long turns = std::atol(arguments[2]);
    const auto take_turns = [kind, turns](std::size_t me) {  // copies, so that the threads share no stack
        long& number = numbers[kind == "own" ? me * numbers_in_line : kind == "neighbours" ? me : 0];
        for (long i = 0; i < turns; ++i) {
            while (turn.load(std::memory_order_acquire) != me) std::this_thread::yield();
            if (kind == "locked") {
                const std::lock_guard lock(mutex);
                number = i;
            } else if (kind == "changed") {
                number |= i;
            } else {
                number = i;
            }
            turn.store(1 - me, std::memory_order_release);
        }
    };
    std::thread other(take_turns, 1);
    take_turns(0);
    other.join();
    return 0;
}
