// Tests that the frame pool reuses freed blocks, and that it limits their total size.
#include "loop/coro/frame_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "tests/loop/allocations.hpp"
#include "tests/loop/recycled_memory.hpp"

namespace loopbench::loop::test {

TEST(frame_pool, the_block_freed_last_is_reused_first) {
    void* const first = frame_pool::allocate(200);
    void* const second = frame_pool::allocate(200);
    EXPECT_NE(first, second);
    frame_pool::deallocate(first, 200);
    frame_pool::deallocate(second, 200);
    EXPECT_EQ(frame_pool::allocate(200), second);
    EXPECT_EQ(frame_pool::allocate(200), first);
    frame_pool::deallocate(first, 200);
    frame_pool::deallocate(second, 200);
}

TEST(frame_pool, an_allocation_never_reuses_a_block_that_is_too_small) {
    void* const small = frame_pool::allocate(33);
    frame_pool::deallocate(small, 33);
    void* const large = frame_pool::allocate(65);
    EXPECT_NE(large, small);
    void* const fits = frame_pool::allocate(64);
    EXPECT_EQ(fits, small) << "a block of 33 bytes must be reused for 64 bytes";
    std::memset(large, 1, 65);
    std::memset(fits, 1, 64);
    frame_pool::deallocate(large, 65);
    frame_pool::deallocate(fits, 64);
}

TEST(frame_pool, blocks_have_the_same_alignment_as_blocks_of_operator_new) {
    for (std::size_t bytes = 1; bytes <= frame_pool::largest_bytes + 100; bytes += 61) {
        void* const block = frame_pool::allocate(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % __STDCPP_DEFAULT_NEW_ALIGNMENT__, 0u);
        frame_pool::deallocate(block, bytes);
    }
}

TEST(frame_pool, the_pool_keeps_no_more_bytes_than_its_limit) {
    if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
    constexpr std::size_t block_bytes = frame_pool::largest_bytes;
    constexpr std::size_t kept_max = frame_pool::limit_bytes / block_bytes;
    std::jthread([] {  // a new thread has empty free lists
        std::vector<void*> blocks(kept_max + 1'000);
        for (void*& block : blocks) block = frame_pool::allocate(block_bytes);
        const allocation_counts before = count_allocations();
        for (void* block : blocks) frame_pool::deallocate(block, block_bytes);
        EXPECT_EQ(count_allocations().freed - before.freed, 1'000u);
        for (void*& block : blocks) block = frame_pool::allocate(block_bytes);
        EXPECT_EQ(count_allocations().made - before.made, 1'000u);
        for (void* block : blocks) frame_pool::deallocate(block, block_bytes);
    })
        .join();
}

TEST(frame_pool, the_pool_keeps_no_block_larger_than_its_largest_block_size) {
    if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
    const allocation_counts before = count_allocations();
    frame_pool::deallocate(frame_pool::allocate(frame_pool::largest_bytes + 1),
                           frame_pool::largest_bytes + 1);
    EXPECT_EQ(count_allocations().made - before.made, 1u);
    EXPECT_EQ(count_allocations().freed - before.freed, 1u);
}

TEST(frame_pool, the_pool_frees_all_its_blocks_when_its_thread_ends) {
    if (!allocations_are_counted) GTEST_SKIP() << why_allocations_are_not_counted;
    std::size_t freed = 0;
    {
        std::vector<void*> blocks(100);
        std::jthread([&] {
            for (void*& block : blocks) block = frame_pool::allocate(64);
            for (void* block : blocks) frame_pool::deallocate(block, 64);
            freed = count_allocations().freed;
        }).join();
    }
    EXPECT_GE(count_allocations().freed - freed, 100u);
}

TEST(frame_pool, the_pool_accepts_and_reuses_blocks_of_other_threads) {
    std::vector<void*> blocks(1'000);
    for (void*& block : blocks) block = frame_pool::allocate(128);
    std::jthread([&] {  // this thread never allocates and thus keeps no blocks
        for (std::size_t i = 0; i < 500; ++i) frame_pool::deallocate(blocks[i], 128);
    })
        .join();
    std::jthread([&] {
        frame_pool::deallocate(frame_pool::allocate(128), 128);
        for (std::size_t i = 500; i < 1'000; ++i) frame_pool::deallocate(blocks[i], 128);
        void* const reused = frame_pool::allocate(128);
        EXPECT_EQ(reused, blocks[999]);
        frame_pool::deallocate(reused, 128);
    }).join();
}

// Blocks for other loops lie between them, so the pool's thread would share their cache lines.
TEST(frame_pool, blocks_for_another_thread_never_get_into_its_pool) {
    if (const auto why = why_no_blocks_are_kept_per_size(); !why.empty()) GTEST_SKIP() << why;
    for (const std::size_t bytes : {1U, 32U, 33U, 200U, 216U, 224U, 980U}) {
        std::set<void*> foreign;
        while (foreign.size() < blocks_kept_per_size)
            foreign.insert(::operator new(frame_pool::bytes_for_other_thread(bytes)));
        std::jthread([&] {
            for (void* block : foreign) ::operator delete(block);
            std::vector<void*> own(100);
            for (void*& block : own) block = frame_pool::allocate(bytes);
            for (void* block : own) EXPECT_FALSE(foreign.contains(block)) << bytes << " bytes";
            for (void* block : own) frame_pool::deallocate(block, bytes);
        }).join();
    }
}

}  // namespace loopbench::loop::test
