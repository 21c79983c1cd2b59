// A shared object that LD_PRELOAD loads into a contender. It counts in the file that LOOPBENCH_MALLOC_FILE
// names (heap_counts.hpp), which the process maps. All descendants of the process count in the same file,
// even if a signal ends them: for example a server that is killed at the end.
//
// The functions of this file replace malloc, calloc, realloc and the aligned variants. They call glibc's
// allocator by its internal names, so that the first allocation needs no symbol lookup. They count the calls
// and the requested bytes, but no frees and no directly mapped memory (thread stacks, io_uring's rings).
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bench/harness/counting/heap_counts.hpp"

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

using loopbench::bench::heap_counts;

constinit heap_counts before_mapping;
constinit std::atomic<heap_counts*> counts{&before_mapping};

void count(std::size_t size) noexcept {
    auto& to = *counts.load(std::memory_order_relaxed);
    to.allocations.fetch_add(1, std::memory_order_relaxed);
    to.bytes.fetch_add(size, std::memory_order_relaxed);
}

[[gnu::constructor]] void map_file() {
    const char* const path = ::getenv("LOOPBENCH_MALLOC_FILE");
    if (path == nullptr) return;
    const int fd = ::open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void* const mapped = ::mmap(nullptr, sizeof(heap_counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (mapped == MAP_FAILED) return;
    auto* const all = static_cast<heap_counts*>(mapped);
    all->processes.fetch_add(1);
    all->allocations.fetch_add(before_mapping.allocations);
    all->bytes.fetch_add(before_mapping.bytes);
    counts = all;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
    count(size);
    return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
    count(number * size);
    return __libc_calloc(number, size);
}

void* realloc(void* old, std::size_t size) noexcept {
    count(size);
    return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    count(size);
    return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count(size);
    void* const got = __libc_memalign(alignment, size);
    if (got == nullptr) return ENOMEM;
    *memory = got;
    return 0;
}
}
