#include "tests/loop/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace loopbench::loop::test {

namespace {

constinit std::atomic<std::size_t> made{0};
constinit std::atomic<std::size_t> freed{0};

}  // namespace

const bool allocations_are_counted = true;

allocation_counts count_allocations() noexcept {
    return {made, freed};
}

}  // namespace loopbench::loop::test

// The other forms of the standard library call these.
void* operator new(std::size_t bytes) {
    loopbench::loop::test::made.fetch_add(1, std::memory_order_relaxed);
    if (void* const block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
    throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
    if (block != nullptr) loopbench::loop::test::freed.fetch_add(1, std::memory_order_relaxed);
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}
