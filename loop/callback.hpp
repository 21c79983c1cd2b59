// A function in the ready queue: what post() makes.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "loop/frame_pool.hpp"
#include "loop/operation.hpp"

namespace loopbench::loop {

/// A queued function with its captures, in recycled memory. The memory is given back before the function
/// runs, so that a function that posts itself again uses the same block.
template <class Function>
class callback final : public operation {
public:
    template <class F>
    static operation& make(F&& function) {
        static_assert(alignof(callback) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        void* const memory = frame_pool::allocate(sizeof(callback));
        try {
            return *::new (memory) callback(std::forward<F>(function));
        } catch (...) {
            frame_pool::deallocate(memory, sizeof(callback));
            throw;
        }
    }

private:
    template <class F>
    explicit callback(F&& function)
        : operation{nullptr, &run_or_discard}, function_(std::forward<F>(function)) {}

    static void run_or_discard(operation* op, completion how) {
        auto* const self = static_cast<callback*>(op);
        Function function(std::move(self->function_));
        std::destroy_at(self);
        frame_pool::deallocate(self, sizeof(callback));
        if (how == completion::run) function();
    }

    Function function_;
};

/// Makes an operation of any callable without arguments. It owns itself: run it, or discard it, exactly once.
template <class F>
operation& make_callback(F&& function) {
    return callback<std::decay_t<F>>::make(std::forward<F>(function));
}

}  // namespace loopbench::loop
