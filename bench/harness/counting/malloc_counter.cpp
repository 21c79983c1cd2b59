// A shared object that LD_PRELOAD loads into a contender. It counts in the file that LOOPBENCH_MALLOC_FILE
// names (heap_counts.hpp), which the process maps. All descendants of the process count in the same file,
// even if a signal ends them: for example a server that is killed at the end.
//
// The functions of this file replace malloc, calloc, realloc and the aligned variants. They count the calls
// and the requested bytes, but no frees and no directly mapped memory (thread stacks, io_uring's rings). They
// then call glibc's allocator by its internal names, so that the first allocation needs no symbol lookup, or
// the allocator of another library if the process has one.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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
void __libc_free(void* memory);
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
    // The program that runs commands has an allocator of its own, which is not that of the commands. They do
    // not inherit LOOPBENCH_COMMAND.
    if (path == nullptr || ::getenv("LOOPBENCH_COMMAND") != nullptr) return;
    const int fd = ::open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void* const mapped = ::mmap(nullptr, sizeof(heap_counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (mapped == MAP_FAILED) return;
    auto* const all = static_cast<heap_counts*>(mapped);
    all->loaded.fetch_add(1);
    all->allocations.fetch_add(before_mapping.allocations);
    all->bytes.fetch_add(before_mapping.bytes);
    counts = all;
}

/// The function that allocates the memory. It belongs to the same allocator as free(), because another
/// library, such as jemalloc, could not free memory of glibc.
template <class function>
class allocating_function {
public:
    constexpr allocating_function(const char* name, function* of_glibc) : name_{name}, of_glibc_{of_glibc} {}

    template <class... argument>
    auto operator()(argument... arguments) noexcept {
        auto* found = found_.load(std::memory_order_relaxed);
        if (found == nullptr) {
            found =
                &::free == &__libc_free ? of_glibc_ : reinterpret_cast<function*>(::dlsym(RTLD_NEXT, name_));
            found_.store(found, std::memory_order_relaxed);
        }
        return found(arguments...);
    }

private:
    const char* name_;
    function* of_glibc_;
    std::atomic<function*> found_{nullptr};
};

int posix_memalign_of_glibc(void** memory, std::size_t alignment, std::size_t size) {
    if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void* const got = __libc_memalign(alignment, size);
    if (got == nullptr) return ENOMEM;
    *memory = got;
    return 0;
}

constinit allocating_function next_malloc{"malloc", __libc_malloc};
constinit allocating_function next_calloc{"calloc", __libc_calloc};
constinit allocating_function next_realloc{"realloc", __libc_realloc};
constinit allocating_function next_memalign{"memalign", __libc_memalign};
constinit allocating_function next_aligned_alloc{"aligned_alloc", __libc_memalign};
constinit allocating_function next_posix_memalign{"posix_memalign", posix_memalign_of_glibc};

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
    count(size);
    return next_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
    count(number * size);
    return next_calloc(number, size);
}

void* realloc(void* old, std::size_t size) noexcept {
    count(size);
    return next_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    count(size);
    return next_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    count(size);
    return next_aligned_alloc(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    count(size);
    return next_posix_memalign(memory, alignment, size);
}

/// Counts the programs that a shell starts. A program that is linked statically does not load this object,
/// and then fewer programs loaded it than were started.
int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
    auto& to = *counts.load(std::memory_order_relaxed);
    to.started.fetch_add(1);
    const auto failed = ::syscall(SYS_execve, path, arguments, environment);
    to.started.fetch_sub(1);
    return static_cast<int>(failed);
}
}
