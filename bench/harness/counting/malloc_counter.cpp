// A shared object that LD_PRELOAD loads into a contender. It counts in the file that LOOPBENCH_MALLOC_FILE
// names (heap_counts.hpp), which the process maps. All descendants of the process count in the same file,
// even if a signal ends them: for example a server that is killed at the end.
//
// The functions of this file replace malloc, calloc, realloc and the aligned variants. They count the calls
// and the requested bytes, but no frees and no directly mapped memory (thread stacks, io_uring's rings). They
// then call glibc's allocator by its internal names, so that the first allocation needs no symbol lookup, or
// the allocator of another library if the process has one. The counts of such a process are incomplete,
// because its operator new does not call this malloc.
//
// The functions that start programs are replaced, too. glibc's execvp(3), posix_spawn(3) and system(3) call
// the internal execve of glibc, not the one of this file.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

/// Returns true if the malloc of this file counts what the process allocates: free() is that of glibc, and
/// operator new is that of the C++ library, which calls malloc, or absent.
bool counts_all_allocations() {
    if (&::free != &__libc_free) return false;
    // The mangled names of operator new for processors with 64 and with 32 bits.
    constexpr const char* name = std::is_same_v<std::size_t, unsigned long> ? "_Znwm" : "_Znwj";
    const void* const operator_new = ::dlsym(RTLD_DEFAULT, name);
    if (operator_new == nullptr) return true;
    Dl_info found{};
    if (::dladdr(operator_new, &found) == 0 || found.dli_fname == nullptr) return false;
    const char* const last_slash = std::strrchr(found.dli_fname, '/');
    const char* const file = last_slash == nullptr ? found.dli_fname : last_slash + 1;
    return std::strncmp(file, "libstdc++", 9) == 0 || std::strncmp(file, "libc++", 6) == 0;
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
    all->allocations.fetch_add(before_mapping.allocations);
    all->bytes.fetch_add(before_mapping.bytes);
    if (counts_all_allocations()) all->loaded.fetch_add(1);
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

/// Counts a program that the process starts. A program that is linked statically does not load this object,
/// and then fewer programs loaded it than were started.
void count_started() noexcept {
    auto& to = *counts.load(std::memory_order_relaxed);
    to.started.fetch_add(1);
}

void count_failed_start() noexcept {
    counts.load(std::memory_order_relaxed)->started.fetch_sub(1);
}

/// Counts the program that the function starts. The function returns 0 if it could start the program, or it
/// does not return.
template <class function>
int counted_start(function start) {
    count_started();
    const int failure = start();
    if (failure != 0) count_failed_start();
    return failure;
}

/// Calls the function with the arguments of execl(3), which end with a null pointer. They are not in memory
/// of the allocator, because a program can call execl(3) in a signal handler.
template <class function>
int with_list(const char* first, va_list& rest, function start) {
    constexpr std::size_t most = 1024;  // far more words than a call in a program has
    std::array<char*, most> words{const_cast<char*>(first)};
    for (std::size_t i = 0; words[i] != nullptr;) {
        if (++i == most) {
            errno = E2BIG;
            return -1;
        }
        words[i] = va_arg(rest, char*);
    }
    return start(words.data());
}

/// A function of glibc that this file replaces. It is looked up when this object is loaded, because dlsym(3)
/// is not permitted between fork(2) and execve(2).
template <class function>
class replaced_function {
public:
    constexpr replaced_function(const char* name, function* /*for its type*/) : name_{name} {}

    void find() noexcept { found_ = reinterpret_cast<function*>(::dlsym(RTLD_NEXT, name_)); }

    template <class... argument>
    auto operator()(argument... arguments) {
        if (found_ == nullptr) find();
        return found_(arguments...);
    }

private:
    const char* name_;
    function* found_ = nullptr;
};

constinit replaced_function next_execvpe{"execvpe", &::execvpe};
constinit replaced_function next_fexecve{"fexecve", &::fexecve};
constinit replaced_function next_posix_spawn{"posix_spawn", &::posix_spawn};
constinit replaced_function next_posix_spawnp{"posix_spawnp", &::posix_spawnp};
constinit replaced_function next_system{"system", &::system};
constinit replaced_function next_popen{"popen", &::popen};

[[gnu::constructor]] void find_functions() {
    next_execvpe.find();
    next_fexecve.find();
    next_posix_spawn.find();
    next_posix_spawnp.find();
    next_system.find();
    next_popen.find();
}

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

int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
    return counted_start(
        [&] { return static_cast<int>(::syscall(SYS_execve, path, arguments, environment)); });
}

int execv(const char* path, char* const arguments[]) noexcept {
    return ::execve(path, arguments, environ);
}

int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
    return counted_start([&] { return next_execvpe(file, arguments, environment); });
}

int execvp(const char* file, char* const arguments[]) noexcept {
    return ::execvpe(file, arguments, environ);
}

int fexecve(int fd, char* const arguments[], char* const environment[]) noexcept {
    return counted_start([&] { return next_fexecve(fd, arguments, environment); });
}

int execl(const char* path, const char* first, ...) noexcept {
    va_list rest;
    va_start(rest, first);
    const int failure = with_list(first, rest, [&](char** words) { return ::execv(path, words); });
    va_end(rest);
    return failure;
}

int execlp(const char* file, const char* first, ...) noexcept {
    va_list rest;
    va_start(rest, first);
    const int failure = with_list(first, rest, [&](char** words) { return ::execvp(file, words); });
    va_end(rest);
    return failure;
}

int execle(const char* path, const char* first, ...) noexcept {
    va_list rest;
    va_start(rest, first);
    const int failure =
        with_list(first, rest, [&](char** words) { return ::execve(path, words, va_arg(rest, char**)); });
    va_end(rest);
    return failure;
}

int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
    return counted_start(
        [&] { return next_posix_spawn(process, path, actions, attributes, arguments, environment); });
}

int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
    return counted_start(
        [&] { return next_posix_spawnp(process, file, actions, attributes, arguments, environment); });
}

int system(const char* command) {
    count_started();  // a shell
    return next_system(command);
}

FILE* popen(const char* command, const char* mode) {
    count_started();  // a shell
    FILE* const opened = next_popen(command, mode);
    if (opened == nullptr) count_failed_start();
    return opened;
}
}
