#include "tests/loop/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace loopbench::loop::test {

namespace {

constinit std::atomic<std::size_t> made{0};
constinit std::atomic<std::size_t> freed{0};

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

constinit thread_local std::size_t allocations_left = unlimited;
constinit thread_local std::size_t failures = 0;

/// The countdown to the allocation that fails, over all threads. At 1, the next allocation fails. Below 1, no
/// allocation fails.
constinit std::atomic<std::ptrdiff_t> until_failure{0};

void count_or_refuse() {
    if (until_failure.load(std::memory_order_relaxed) > 0 && until_failure.fetch_sub(1) == 1) [[unlikely]]
        throw std::bad_alloc();
    if (allocations_left == 0) [[unlikely]] {
        ++failures;
        throw std::bad_alloc();
    }
    if (allocations_left != unlimited) --allocations_left;
    made.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

const bool allocations_are_counted = true;

allocation_counts count_allocations() noexcept {
    return {made, freed};
}

out_of_memory::out_of_memory(std::size_t few) noexcept {
    allocations_left = few;
    failures = 0;
}

out_of_memory::~out_of_memory() {
    allocations_left = unlimited;
}

std::size_t out_of_memory::failed() const noexcept {
    return failures;
}

failing_allocation::failing_allocation(std::size_t index) noexcept {
    until_failure = static_cast<std::ptrdiff_t>(index);
}

failing_allocation::~failing_allocation() {
    until_failure = 0;
}

bool failing_allocation::has_failed() const noexcept {
    return until_failure <= 0;
}

}  // namespace loopbench::loop::test

// The standard library's other forms of operator new and delete call the forms below.
void* operator new(std::size_t bytes) {
    loopbench::loop::test::count_or_refuse();
    if (void* const block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
    throw std::bad_alloc();
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
    loopbench::loop::test::count_or_refuse();
    const auto step = static_cast<std::size_t>(alignment);
    if (void* const block = std::aligned_alloc(step, (bytes + step - 1) / step * step)) return block;
    throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
    if (block != nullptr) loopbench::loop::test::freed.fetch_add(1, std::memory_order_relaxed);
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}

void operator delete(void* block, std::align_val_t) noexcept {
    operator delete(block);
}

void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    operator delete(block);
}
