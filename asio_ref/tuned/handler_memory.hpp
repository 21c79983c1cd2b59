// Asio gets the memory of each operation from the associated allocator of the operation's handler. Here, the
// memory is part of the waiting object, for example of an awaiter in the frame of a suspended coroutine, so
// that no allocation is needed.
#pragma once

#include <cstddef>

#include "loop/coro/frame_pool.hpp"

namespace loopbench::asio_ref::tuned {

/// Space for one operation. Asio destroys the operation before it calls the handler.
template <std::size_t Bytes>
struct operation_storage {
    alignas(std::max_align_t) std::byte bytes[Bytes];
};

/// An allocator for Asio that uses one operation_storage. Only one allocation from the storage may exist at a
/// time.
template <class T, std::size_t Bytes>
class storage_allocator {
public:
    using value_type = T;
    template <class U>
    struct rebind {
        using other = storage_allocator<U, Bytes>;
    };

    explicit storage_allocator(operation_storage<Bytes>& storage) noexcept : storage_(&storage) {}
    template <class U>
    storage_allocator(const storage_allocator<U, Bytes>& other) noexcept : storage_(other.storage_) {}

    T* allocate(std::size_t) const noexcept {
        static_assert(sizeof(T) <= Bytes, "the storage is too small for the operation; increase Bytes");
        static_assert(alignof(T) <= alignof(std::max_align_t));
        return reinterpret_cast<T*>(storage_->bytes);
    }
    void deallocate(T*, std::size_t) const noexcept {}

    template <class U>
    bool operator==(const storage_allocator<U, Bytes>& other) const noexcept {
        return storage_ == other.storage_;
    }

private:
    template <class, std::size_t>
    friend class storage_allocator;

    operation_storage<Bytes>* storage_;
};

/// A handler that calls `Receiver::completed(results...)`. The receiver must have an operation_storage as its
/// member `storage`.
template <class Receiver>
struct completion_handler {
    using allocator_type = storage_allocator<void, sizeof(Receiver::storage)>;

    Receiver* receiver;

    allocator_type get_allocator() const noexcept { return allocator_type(receiver->storage); }

    template <class... Results>
    void operator()(const Results&... results) const {
        receiver->completed(results...);
    }
};

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
