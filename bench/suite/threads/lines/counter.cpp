// Counts how often cache lines move between the cores of threads. A program that is compiled with
// -fsanitize=thread calls the functions here at each use of memory, instead of those of libtsan. Their names
// and meanings are those of LLVM's compiler-rt (sanitizer/tsan_interface_atomic.h and tsan_interface.h).
//
// A line moves when a thread reads it and another thread has written it since, or when a thread writes it and
// another thread has read or written it since. That is what the MESI protocol does if each thread has a core
// of its own and a cache without a limit. A read that is followed by a write of the same line can count
// twice, because the writer waits again until the other cores have dropped their copies. An atomic operation
// is one that locks its line on x86-64 (Intel SDM, volume 3, section 9.1.2): a read-modify-write, or a
// sequentially consistent store or fence. A mutex of pthread has one to lock and one to unlock it, if no
// thread waits for it.
//
// Moves inside the kernel, memcpy() and other libraries (malloc, libuv) are not counted, but the mutexes of
// other libraries are. A mutex that a thread tries to lock in vain counts as locked. At its end, the process
// writes its counts to the file LOOPBENCH_LINES_FILE.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

// The code here must not count its own use of memory.
#ifdef __SANITIZE_THREAD__
#error "compile this file without -fsanitize=thread"
#endif

namespace {

constexpr std::size_t threads_max = 32, line_bytes = 64, places_max = 4096;

// The moves at one instruction.
struct place {
    const void* at;
    std::uint64_t moves;
};

// The counts of a thread.
struct alignas(128) thread_counts {
    std::uint64_t moves, atomics, locks;
    std::array<place, places_max> places;
};

std::array<thread_counts, threads_max> all_counts;
std::atomic<std::size_t> threads_begun{0};
thread_local constinit std::size_t own_number = threads_max;

std::size_t number_of_this_thread() {
    if (own_number < threads_max) return own_number;
    own_number = threads_begun.fetch_add(1);
    if (own_number >= threads_max) {
        std::fputs("cannot count lines: the process has more than 32 threads\n", stderr);
        std::abort();
    }
    return own_number;
}

// The state of a line: 24 bits of its number, the thread that wrote it last (0: none), and the threads that
// have it in their caches, as a set of bits. Lines whose numbers end with the same 22 bits share an entry,
// which has the state of the line that was used last; so lines that are a multiple of 256 MB apart can hide
// moves of each other.
using line_state = std::atomic<std::uint64_t>;
constexpr std::size_t table_bits = 22;
constinit std::array<line_state, std::size_t{1} << table_bits> lines{};

void count_move(std::size_t thread, const void* at) {
    thread_counts& own = all_counts[thread];
    ++own.moves;
    const std::size_t first = (reinterpret_cast<std::uintptr_t>(at) * 0x9e3779b97f4a7c15U) >> 52U;
    for (std::size_t i = 0; i < places_max; ++i) {
        place& each = own.places[(first + i) % places_max];
        if (each.at == nullptr) each.at = at;
        if (each.at != at) continue;
        ++each.moves;
        return;
    }
}

void use_line(std::uint64_t number, bool writes, const void* at) {
    line_state& state = lines[number % lines.size()];
    const std::size_t thread = number_of_this_thread();
    const std::uint64_t tag = ((number >> table_bits) & 0xffffffU) << 40U;
    const std::uint64_t me = std::uint64_t{1} << thread, writer = (std::uint64_t{thread} + 1) << 32U;
    std::uint64_t seen = state.load(std::memory_order_relaxed), next = 0;
    bool moves = false;
    do {
        const std::uint64_t known = (seen >> 40U) == (tag >> 40U) ? seen : tag;
        const std::uint64_t sharers = known & 0xffffffffU, last_writer = known & (std::uint64_t{0xff} << 32U);
        if (writes ? sharers == me && last_writer == writer : (sharers & me) != 0) return;
        moves = writes ? (sharers & ~me) != 0 : last_writer != 0;
        next = writes ? tag | writer | me : known | me;
    } while (!state.compare_exchange_weak(seen, next, std::memory_order_relaxed));
    if (moves) count_move(thread, at);
}

void use(const volatile void* from, std::size_t bytes, bool writes, const void* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    for (std::uint64_t line = address / line_bytes; line <= (address + bytes - 1) / line_bytes; ++line)
        use_line(line, writes, at);
}

void count_atomic() {
    ++all_counts[number_of_this_thread()].atomics;
}

void use_mutex(pthread_mutex_t* mutex, const void* at) {
    use(mutex, sizeof(int), true, at);
    count_atomic();
}

void lock_mutex(pthread_mutex_t* mutex, const void* at) {
    use_mutex(mutex, at);
    ++all_counts[number_of_this_thread()].locks;
}

// Returns the function of libc that a function here replaces. (glibc also has an old version of the functions
// for condition variables.)
template <class Function>
Function* original(const char* name, const char* version = nullptr) {
    void* found = version != nullptr ? ::dlvsym(RTLD_NEXT, name, version) : ::dlsym(RTLD_NEXT, name);
    if (found == nullptr) std::abort();
    return reinterpret_cast<Function*>(found);
}

// The version of these functions since glibc 2.3.2.
constexpr const char* condition_version = "GLIBC_2.3.2";

// A wait unlocks the mutex, and locks it again.
template <class Wait>
int wait_with(pthread_cond_t* condition, pthread_mutex_t* mutex, const void* at, Wait wait) {
    use(condition, sizeof(*condition), true, at);
    use_mutex(mutex, at);
    const int result = wait();
    lock_mutex(mutex, at);
    return result;
}

[[gnu::destructor]] void write_counts() {
    const char* name = std::getenv("LOOPBENCH_LINES_FILE");
    if (name == nullptr) return;
    std::FILE* file = std::fopen(name, "w");
    if (file == nullptr) {
        std::fprintf(stderr, "cannot write the counts of lines to %s: %s\n", name, std::strerror(errno));
        return;
    }
    std::uint64_t moves = 0, atomics = 0, locks = 0;
    for (const thread_counts& each : all_counts) {
        moves += each.moves;
        atomics += each.atomics;
        locks += each.locks;
        for (const place& at : each.places) {
            Dl_info where{};
            link_map* object = nullptr;
            if (at.at == nullptr ||
                ::dladdr1(at.at, &where, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0)
                continue;
            // Debug information knows the call, which is before the address to which it returns.
            const auto offset = reinterpret_cast<std::uintptr_t>(at.at) - object->l_addr - 1;
            std::fprintf(file, "place %ju %jx %s\n", static_cast<std::uintmax_t>(at.moves),
                         static_cast<std::uintmax_t>(offset), where.dli_fname);
        }
    }
    std::fprintf(file, "moves %ju\natomics %ju\nlocks %ju\n", static_cast<std::uintmax_t>(moves),
                 static_cast<std::uintmax_t>(atomics), static_cast<std::uintmax_t>(locks));
    if (std::fclose(file) != 0)
        std::fprintf(stderr, "cannot write the counts of lines to %s: %s\n", name, std::strerror(errno));
}

}  // namespace

#define LOOPBENCH_HERE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** at, void*) {
    use(at, sizeof(void*), true, LOOPBENCH_HERE);
}
void __tsan_vptr_read(void** at) {
    use(at, sizeof(void*), false, LOOPBENCH_HERE);
}
void __tsan_read_range(void* at, std::size_t bytes) {
    if (bytes != 0) use(at, bytes, false, LOOPBENCH_HERE);
}
void __tsan_write_range(void* at, std::size_t bytes) {
    if (bytes != 0) use(at, bytes, true, LOOPBENCH_HERE);
}

#define LOOPBENCH_USE(name, bytes, writes)      \
    void __tsan_##name##bytes(void* at) {       \
        use(at, bytes, writes, LOOPBENCH_HERE); \
    }
#define LOOPBENCH_PLAIN(bytes)                  \
    LOOPBENCH_USE(read, bytes, false)           \
    LOOPBENCH_USE(write, bytes, true)           \
    LOOPBENCH_USE(unaligned_read, bytes, false) \
    LOOPBENCH_USE(unaligned_write, bytes, true) \
    LOOPBENCH_USE(volatile_read, bytes, false)  \
    LOOPBENCH_USE(volatile_write, bytes, true)
LOOPBENCH_PLAIN(1)
LOOPBENCH_PLAIN(2)
LOOPBENCH_PLAIN(4)
LOOPBENCH_PLAIN(8)
LOOPBENCH_PLAIN(16)

#define LOOPBENCH_CHANGE(bits, type, name, operation)                       \
    type __tsan_atomic##bits##_##name(volatile type* at, type value, int) { \
        use(at, sizeof(type), true, LOOPBENCH_HERE);                        \
        count_atomic();                                                     \
        return operation(at, value, __ATOMIC_SEQ_CST);                      \
    }
#define LOOPBENCH_COMPARE(bits, type, kind, is_weak)                                                      \
    int __tsan_atomic##bits##_compare_exchange_##kind(volatile type* at, type* expected, type value, int, \
                                                      int) {                                              \
        use(at, sizeof(type), true, LOOPBENCH_HERE);                                                      \
        count_atomic();                                                                                   \
        return __atomic_compare_exchange_n(at, expected, value, is_weak, __ATOMIC_SEQ_CST,                \
                                           __ATOMIC_SEQ_CST);                                             \
    }
#define LOOPBENCH_ATOMIC(bits, type)                                                                   \
    type __tsan_atomic##bits##_load(const volatile type* at, int) {                                    \
        use(at, sizeof(type), false, LOOPBENCH_HERE);                                                  \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type* at, type value, int order) {                       \
        use(at, sizeof(type), true, LOOPBENCH_HERE);                                                   \
        if (order == __ATOMIC_SEQ_CST) count_atomic();                                                 \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                 \
    }                                                                                                  \
    LOOPBENCH_CHANGE(bits, type, exchange, __atomic_exchange_n)                                        \
    LOOPBENCH_CHANGE(bits, type, fetch_add, __atomic_fetch_add)                                        \
    LOOPBENCH_CHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                                        \
    LOOPBENCH_CHANGE(bits, type, fetch_and, __atomic_fetch_and)                                        \
    LOOPBENCH_CHANGE(bits, type, fetch_or, __atomic_fetch_or)                                          \
    LOOPBENCH_CHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                                        \
    LOOPBENCH_CHANGE(bits, type, fetch_nand, __atomic_fetch_nand)                                      \
    LOOPBENCH_COMPARE(bits, type, strong, false)                                                       \
    LOOPBENCH_COMPARE(bits, type, weak, true)                                                          \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type* at, type expected, type value, int, \
                                                    int) {                                             \
        use(at, sizeof(type), true, LOOPBENCH_HERE);                                                   \
        count_atomic();                                                                                \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
        return expected;                                                                               \
    }
LOOPBENCH_ATOMIC(8, std::uint8_t)
LOOPBENCH_ATOMIC(16, std::uint16_t)
LOOPBENCH_ATOMIC(32, std::uint32_t)
LOOPBENCH_ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int order) {
    if (order == __ATOMIC_SEQ_CST) count_atomic();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
void __tsan_atomic_signal_fence(int) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static auto* const real = original<int(pthread_mutex_t*)>("pthread_mutex_lock");
    lock_mutex(mutex, LOOPBENCH_HERE);
    return real(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    static auto* const real = original<int(pthread_mutex_t*)>("pthread_mutex_trylock");
    lock_mutex(mutex, LOOPBENCH_HERE);
    return real(mutex);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
    static auto* const real = original<int(pthread_mutex_t*)>("pthread_mutex_unlock");
    use_mutex(mutex, LOOPBENCH_HERE);
    return real(mutex);
}
int pthread_cond_signal(pthread_cond_t* condition) {
    static auto* const real = original<int(pthread_cond_t*)>("pthread_cond_signal", condition_version);
    use(condition, sizeof(*condition), true, LOOPBENCH_HERE);
    return real(condition);
}
int pthread_cond_broadcast(pthread_cond_t* condition) {
    static auto* const real = original<int(pthread_cond_t*)>("pthread_cond_broadcast", condition_version);
    use(condition, sizeof(*condition), true, LOOPBENCH_HERE);
    return real(condition);
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    static auto* const real =
        original<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait", condition_version);
    return wait_with(condition, mutex, LOOPBENCH_HERE, [=] { return real(condition, mutex); });
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
    static auto* const real = original<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>(
        "pthread_cond_timedwait", condition_version);
    return wait_with(condition, mutex, LOOPBENCH_HERE, [=] { return real(condition, mutex, until); });
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
    static auto* const real = original<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>(
        "pthread_cond_clockwait");
    return wait_with(condition, mutex, LOOPBENCH_HERE, [=] { return real(condition, mutex, clock, until); });
}

}  // extern "C"
