// Where Asio keeps an operation while it is pending, and whom it tells.
//
// Asio asks a handler's associated allocator for the memory of each operation. Here that memory is part of
// the awaiter, which is part of the suspended coroutine's frame: so nothing is allocated, and nothing is
// searched.
#pragma once

#include <coroutine>
#include <cstddef>

#include "asio_ref/tuned/scheduler.hpp"
#include "loop/coro/frame_pool.hpp"

namespace loopbench::asio_ref::tuned {

/// Room for one operation. Asio constructs it here and ends its life before it calls the handler.
template <std::size_t Bytes>
struct operation_storage {
    alignas(std::max_align_t) std::byte bytes[Bytes];
};

/// Models Asio's allocator requirements over an operation_storage, one allocation at a time.
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
        static_assert(sizeof(T) <= Bytes, "the awaiter needs more room for Asio's operation");
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

/// Tells `Receiver::completed(results...)`. The receiver has an operation_storage named `storage`.
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

/// What all awaiters of Asio's operations share. One that derives from this starts its operation with
/// completion_handler; completed() keeps the results and calls go_on().
class completion_awaiter {
public:
    explicit completion_awaiter(scheduler& owner) noexcept : owner_(owner) {}
    completion_awaiter(const completion_awaiter&) = delete;
    completion_awaiter& operator=(const completion_awaiter&) = delete;

    bool await_ready() const noexcept { return false; }

protected:
    ~completion_awaiter() = default;

    void suspend(std::coroutine_handle<> waiter) noexcept { waiter_ = waiter; }

    /// Goes on with the coroutine, inside of Asio's call of the handler. The awaiter may be gone afterwards.
    void go_on() { owner_.step(waiter_); }

    scheduler& owner() const noexcept { return owner_; }

private:
    scheduler& owner_;
    std::coroutine_handle<> waiter_;
};

}  // namespace loopbench::asio_ref::tuned
