#pragma once

#include <array>
#include <cstddef>
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

/// The number of freed blocks of one size (up to 1,032 bytes) that a thread's heap keeps for reuse at the
/// same size. (glibc keeps seven, in its tcache.) Further blocks can become part of blocks of other sizes.
inline constexpr std::size_t blocks_kept_per_size = 4;

/// Returns why freed blocks can become part of blocks of other sizes, or an empty string if the heap keeps
/// the first `blocks_kept_per_size` of them.
inline std::string why_no_blocks_are_kept_per_size() {
    if (!allocations_are_counted) return "the sanitizer has a heap of its own";
#ifdef __GLIBC__
    return "";
#else
    return "it is unknown how the heap of this C library keeps freed blocks";
#endif
}

}  // namespace loopbench::loop::test
