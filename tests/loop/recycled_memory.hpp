#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "loop/coro/frame_pool.hpp"
#include "tests/loop/allocations.hpp"

namespace loopbench::loop::test {

/// An object that removes all free blocks from this thread's frame_pool; its destructor puts them back. New
/// blocks then come from the heap until a block is freed. The object has no effect if allocations are not
/// counted.
class nothing_recycled {
public:
    nothing_recycled() noexcept {
        if (!allocations_are_counted) return;
        const out_of_memory none;
        for (std::size_t i = 0; i < set_aside_.size(); ++i) {
            try {
                for (;;) {
                    void* const kept = frame_pool::allocate(bytes_of(i));
                    set_aside_[i] = ::new (kept) block{set_aside_[i]};
                }
            } catch (const std::bad_alloc&) {
            }
        }
    }
    nothing_recycled(const nothing_recycled&) = delete;
    nothing_recycled& operator=(const nothing_recycled&) = delete;
    ~nothing_recycled() {
        for (std::size_t i = 0; i < set_aside_.size(); ++i) {
            for (block* next = set_aside_[i]; next != nullptr;)
                frame_pool::deallocate(std::exchange(next, next->next), bytes_of(i));
        }
    }

private:
    struct block {
        block* next;
    };

    static constexpr std::size_t bytes_of(std::size_t index) noexcept {
        return (index + 1) * frame_pool::granularity_bytes;
    }

    std::array<block*, frame_pool::largest_bytes / frame_pool::granularity_bytes> set_aside_{};
};

/// Returns why threads can get blocks from the heap that other threads have freed, or an empty string if each
/// thread has a heap of its own.
inline std::string why_threads_share_a_heap() {
    if (!allocations_are_counted) return "the sanitizer has a heap of its own";
#ifdef __GLIBC__
    return std::getenv("MALLOC_ARENA_MAX") == nullptr ? "" : "MALLOC_ARENA_MAX limits the number of heaps";
#else
    return "this C library has one heap for all threads";
#endif
}

}  // namespace loopbench::loop::test
