// A function in the ready queue: what post() makes.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "loop/frame_pool.hpp"
#include "loop/identity.hpp"
#include "loop/operation.hpp"

namespace loopbench::loop {

/// Where a callback is kept: in recycled memory when it is made and run in one thread.
struct recycled_memory {
    static void* allocate(std::size_t bytes) { return frame_pool::allocate(bytes); }
    static void deallocate(void* memory, std::size_t bytes) noexcept {
        frame_pool::deallocate(memory, bytes);
    }
};

/// And on the heap otherwise: recycling would gather the blocks where they end, and the thread that makes them would
/// never see one again.
struct heap_memory {
    static void* allocate(std::size_t bytes) { return ::operator new(bytes); }
    static void deallocate(void* memory, std::size_t bytes) noexcept { ::operator delete(memory, bytes); }
};

/// A queued function with its captures. The memory is given back before the function runs, so that a function
/// that posts itself again uses the same block.
template <class Function, class Memory>
class callback final : public operation {
public:
    template <class F>
    static operation& make(F&& function) {
        static_assert(alignof(callback) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        void* const memory = Memory::allocate(sizeof(callback));
        try {
            return *::new (memory) callback(std::forward<F>(function));
        } catch (...) {
            Memory::deallocate(memory, sizeof(callback));
            throw;
        }
    }

private:
    template <class F>
    explicit callback(F&& function)
        : operation{nullptr, &run_or_discard}, function_(std::forward<F>(function)) {}

    static void run_or_discard(operation* op, completion how) {
        if (how == completion::tell) [[unlikely]] {
            told = {.function = &typeid(Function)};
            return;
        }
        auto* const self = static_cast<callback*>(op);
        Function function(std::move(self->function_));
        std::destroy_at(self);
        Memory::deallocate(self, sizeof(callback));
        if (how == completion::run) function();
    }

    Function function_;
};

/// Makes an operation of any callable without arguments. It owns itself: run it, or discard it, exactly once.
template <class Memory = recycled_memory, class F>
operation& make_callback(F&& function) {
    return callback<std::decay_t<F>, Memory>::make(std::forward<F>(function));
}

}  // namespace loopbench::loop
