// Recycled memory for the operations that belong to no frame: posted functions and tasks that start.
#pragma once

#include <cstddef>

#include "loop/coro/frame_pool.hpp"

namespace loopbench::asio_ref::tuned {

/// Models Asio's allocator requirements over the loop's frame pool.
template <class T = void>
class pool_allocator {
public:
    using value_type = T;

    pool_allocator() = default;
    template <class U>
    pool_allocator(const pool_allocator<U>&) noexcept {}

    T* allocate(std::size_t count) const {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        return static_cast<T*>(loop::frame_pool::allocate(count * sizeof(T)));
    }
    void deallocate(T* block, std::size_t count) const noexcept {
        loop::frame_pool::deallocate(block, count * sizeof(T));
    }

    template <class U>
    bool operator==(const pool_allocator<U>&) const noexcept {
        return true;
    }
};

}  // namespace loopbench::asio_ref::tuned
