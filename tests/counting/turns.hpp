// Two threads that take turns, for programs that count the cache lines which move between them.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>

#include "bench/suite/threads_runtime.hpp"

namespace loopbench::bench {

inline constexpr std::size_t line_bytes = 64;

/// Calls work(me, i) `turns` times in each of two threads, which take turns; `me` is 0 in the calling thread
/// and 1 in the other one. A turn begins when a thread reads what the other one has written, and ends when it
/// writes there: two moves of a line.
template <class Work>
void take_turns(long turns, Work work) {
    struct alignas(bytes_apart) {
        std::atomic<std::size_t> of{0};
    } static turn;
    const auto take = [turns, work](std::size_t me) {  // copies, so that the threads share no stack
        for (long i = 0; i < turns; ++i) {
            while (turn.of.load(std::memory_order_acquire) != me) std::this_thread::yield();
            work(me, i);
            turn.of.store(1 - me, std::memory_order_release);
        }
    };
    std::thread other(take, 1);
    take(0);
    other.join();
}

}  // namespace loopbench::bench
