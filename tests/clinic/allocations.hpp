// Counts the allocations of each thread. The thread of the watchdog allocates, too, so a program must count
// in the thread that it examines. Asio allocates with operator new and aligned_alloc(3), so both are replaced
// here. A program includes this header in one source.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace clinic {

inline constinit thread_local long allocations = 0;

}  // namespace clinic

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    ++clinic::allocations;
    void* block = nullptr;
    return ::posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
}

void* operator new(std::size_t bytes) {
    ++clinic::allocations;
    if (void* const block = std::malloc(bytes == 0 ? 1 : bytes)) return block;
    throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
