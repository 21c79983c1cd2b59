// The queue of floor-stealing-queue.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bench/suite/threads_runtime.hpp"

namespace loopbench::bench::floors {

/// The queue of one thread, from which other threads can steal. Its capacity is fixed. The owner takes the
/// oldest function, too, as in Go and tokio, because with the newest first, the oldest would starve. (For the
/// protocol, see Chase and Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005.) `Atomic` is std::atomic,
/// except in tests/race.
template <template <class> class Atomic, class Function, std::int64_t Capacity>
class basic_stealing_queue {
public:
    /// Adds a function. Returns false if the queue is full. Only the owner can call push().
    bool push(Function* function) noexcept {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
        if (bottom - top_.load(std::memory_order_acquire) >= Capacity) return false;
        at(bottom).store(function, std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_seq_cst);
        return true;
    }

    /// Takes the oldest function, or returns null. Any thread can call steal().
    Function* steal() noexcept {
        std::int64_t top = top_.load(std::memory_order_seq_cst);
        if (top >= bottom_.load(std::memory_order_seq_cst)) return nullptr;
        Function* const taken = at(top).load(std::memory_order_relaxed);
        return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst) ? taken : nullptr;
    }

    bool empty() const noexcept {
        return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst);
    }

private:
    struct slot {
        Atomic<Function*> function{nullptr};
    };
    Atomic<Function*>& at(std::int64_t index) noexcept {
        return slots_[static_cast<std::size_t>(index % Capacity)].function;
    }

    alignas(bytes_apart) Atomic<std::int64_t> top_{0};
    alignas(bytes_apart) Atomic<std::int64_t> bottom_{0};
    alignas(bytes_apart) std::array<slot, static_cast<std::size_t>(Capacity)> slots_;
};

}  // namespace loopbench::bench::floors
