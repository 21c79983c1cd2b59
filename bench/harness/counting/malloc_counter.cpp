// A shared object that LD_PRELOAD loads into a contender. When the process ends, the shared object writes
// "ALLOCATIONS BYTES" into the file that LOOPBENCH_MALLOC_FILE names.
//
// The functions of this file replace malloc, calloc, realloc and the aligned variants. They call glibc's
// allocator by its internal names, so that the first allocation needs no symbol lookup. They count the calls
// and the requested bytes, but no frees and no directly mapped memory (thread stacks, io_uring's rings).
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> bytes{0};

void count(std::size_t size) noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
}

/// Writes the digits of `value` directly before `end`, and returns the address of the first digit. Calls no
/// library function, because such a function might allocate memory.
char* print(std::uint64_t value, char* end) noexcept {
    do {
        *--end = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return end;
}

[[gnu::destructor]] void write_counts() {
    const char* const path = ::getenv("LOOPBENCH_MALLOC_FILE");
    if (path == nullptr) return;
    const int fd = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return;
    char text[64];
    char* const end = text + sizeof text;
    char* begin = end - 1;
    *begin = '\n';
    begin = print(bytes.load(), begin);
    *--begin = ' ';
    begin = print(allocations.load(), begin);
    [[maybe_unused]] const ssize_t written = ::write(fd, begin, static_cast<std::size_t>(end - begin));
    ::close(fd);
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
