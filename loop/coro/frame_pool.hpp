// The pool recycles memory. Each thread keeps freed blocks in one list per size, and reuses the most recently
// freed block first, because this block is still in the cache. (Boost.Asio keeps only two blocks per thread,
// although a gather of many tasks frees many blocks; see Asio's issue 1167.)
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <utility>

// This header, and not CMake, checks for AddressSanitizer, because each program that includes the installed
// header can be compiled with or without the sanitizer.
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif

namespace loopbench::loop {

/// A pool of memory blocks for each thread. A block goes to the pool of the thread that frees it.
class frame_pool {
public:
    static constexpr std::size_t granularity_bytes = 32;
    static constexpr std::size_t largest_bytes = 2048;
    static constexpr std::size_t limit_bytes = std::size_t{16} << 20;  // the limit per thread and size class

    /// Returns a block with the alignment of operator new. `bytes` must be at least 1. Throws std::bad_alloc.
    static void* allocate(std::size_t bytes) {
        if (bytes > largest_bytes || lists_.heads[size_class(bytes)] == nullptr) [[unlikely]]
            return allocate_from_heap(bytes);
        free_block*& head = lists_.heads[size_class(bytes)];
        // Kept blocks are poisoned, so that the sanitizer reports a use after free.
        unpoison(head, class_bytes(bytes));
        return std::exchange(head, head->next);
    }

    /// Keeps the block for reuse, or frees it if the thread already keeps `limit_bytes` in blocks of this
    /// size. `bytes` must be the value that was passed to allocate().
    static void deallocate(void* block, std::size_t bytes) noexcept {
        if (bytes > largest_bytes) [[unlikely]]
            return ::operator delete(block);
        free_block*& head = lists_.heads[size_class(bytes)];
        const std::size_t kept_bytes = kept_with(head) + class_bytes(bytes);
        if (kept_bytes > lists_.limit_bytes) [[unlikely]]
            return ::operator delete(block);
        head = ::new (block) free_block{head, kept_bytes};
        poison(block, class_bytes(bytes));
    }

    /// Returns the size for a block that one thread gets from operator new and another thread frees. It is
    /// larger than `bytes`, and never a size of the pool. Otherwise, the freeing thread's heap would give the
    /// block to its pool, which would recycle it for good, although its cache lines also belong to blocks of
    /// other threads. (glibc keeps freed blocks per thread and size, in steps of 16 bytes: malloc.c,
    /// tcache_put() and request2size().)
    static constexpr std::size_t bytes_for_other_thread(std::size_t bytes) noexcept {
        return class_bytes(bytes) + granularity_bytes / 2;
    }

private:
    // A freed block in a list. It stores the total size of the list's blocks, because a total next to the
    // list's head would double the time of an allocation: each allocation would wait for the previous update
    // of the total.
    struct free_block {
        free_block* next;
        std::size_t kept_bytes;  // the total size of the blocks from here to the end of the list
    };
    struct end_of_thread;

    static std::size_t kept_with(free_block* newest) noexcept {
        if (newest == nullptr) return 0;
        unpoison(newest, sizeof *newest);
        const std::size_t bytes = newest->kept_bytes;
        poison(newest, sizeof *newest);
        return bytes;
    }

    static void poison([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef ASAN_POISON_MEMORY_REGION
        ASAN_POISON_MEMORY_REGION(block, bytes);
#endif
    }
    static void unpoison([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef ASAN_UNPOISON_MEMORY_REGION
        ASAN_UNPOISON_MEMORY_REGION(block, bytes);
#endif
    }

    static constexpr std::size_t size_class(std::size_t bytes) noexcept {
        return (bytes + granularity_bytes - 1) / granularity_bytes;
    }
    static constexpr std::size_t class_bytes(std::size_t bytes) noexcept {
        return size_class(bytes) * granularity_bytes;
    }
    static void* allocate_from_heap(std::size_t bytes);

    struct thread_lists {
        std::array<free_block*, largest_bytes / granularity_bytes + 1> heads;
        std::size_t limit_bytes;  // 0 before the first allocation and after the thread's end
    };
    // thread_lists must be trivial, because a thread_local with a constructor or a destructor costs a check
    // at every access.
    static constinit thread_local thread_lists lists_;
};

/// The base class of objects in recycled memory. The delete operator receives the size of the object, so that
/// a block needs no header.
struct recycled {
    static void* operator new(std::size_t bytes) { return frame_pool::allocate(bytes); }
    static void operator delete(void* block, std::size_t bytes) noexcept {
        frame_pool::deallocate(block, bytes);
    }
};

/// A pointer that shares the ownership of a State. State derives from `recycled` and has a member `unsigned
/// references = 1`. All pointers to one state must be used in the same thread.
template <class State>
class shared_state {
public:
    shared_state() = default;
    shared_state(const shared_state& other) noexcept : state_(other.state_) {
        if (state_ != nullptr) ++state_->references;
    }
    shared_state(shared_state&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    shared_state& operator=(shared_state other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~shared_state() {
        if (state_ != nullptr && --state_->references == 0) delete state_;
    }

    template <class... Arguments>
    static shared_state make(Arguments&&... arguments) {
        static_assert(alignof(State) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        return shared_state(new State(std::forward<Arguments>(arguments)...));
    }

    static shared_state share(State& state) noexcept {
        ++state.references;
        return shared_state(&state);
    }

    State* operator->() const noexcept { return state_; }
    State& operator*() const noexcept { return *state_; }
    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    explicit shared_state(State* counted) noexcept : state_(counted) {}

    State* state_ = nullptr;
};

}  // namespace loopbench::loop
