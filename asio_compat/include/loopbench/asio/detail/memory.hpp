// The memory of operations: memory that the thread recycles, memory from the heap, or memory from the
// handler's allocator.
#pragma once

#include <memory>
#include <new>
#include <utility>

#include "loop/coro/frame_pool.hpp"
#include "loopbench/asio/detail/core.hpp"

namespace loopbench::asio::detail {

template <class Allocator>
inline constexpr bool is_default_allocator = false;
template <class T>
inline constexpr bool is_default_allocator<std::allocator<T>> = true;

/// The memory for an operation of type `Op`, or for the handler of an operation. After release(), the
/// operation owns the memory and must keep the token. Later, it passes both to free(). `Op` can contain the
/// token, so it is an incomplete type when the token's type is needed. Therefore, only the functions rebind
/// the allocator to `Op`: the allocator can require the size of the type.
template <class Op, class Allocator>
class op_memory {
public:
    using token_type = Allocator;

    op_memory(core& /*in*/, const Allocator& allocator)
        : allocator_(allocator), block_(allocate(allocator)) {}
    op_memory& operator=(op_memory&&) = delete;
    ~op_memory() {
        if (block_ != nullptr) free(block_, allocator_);
    }

    void* get() const noexcept { return block_; }
    const token_type& token() const noexcept { return allocator_; }
    void release() noexcept { block_ = nullptr; }

    static void free(void* block, const token_type& allocator) noexcept {
        using traits = typename std::allocator_traits<Allocator>::template rebind_traits<Op>;
        typename traits::allocator_type of_op(allocator);
        traits::deallocate(
            of_op, std::pointer_traits<typename traits::pointer>::pointer_to(*static_cast<Op*>(block)), 1);
    }

private:
    static void* allocate(const Allocator& allocator) {
        using traits = typename std::allocator_traits<Allocator>::template rebind_traits<Op>;
        typename traits::allocator_type of_op(allocator);
        return std::to_address(traits::allocate(of_op, 1));
    }

    [[no_unique_address]] Allocator allocator_;
    void* block_;
};

/// The memory for an operation whose handler has the default allocator. If a thread that does not run the
/// loop starts the operation, the memory comes from the heap, because the recycled memory of that thread
/// would never get the block back (loop/operation.hpp).
template <class Op, class Allocator>
requires is_default_allocator<Allocator>
class op_memory<Op, Allocator> {
    static constexpr bool is_recyclable = alignof(Op) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;

public:
    using token_type = bool;

    op_memory(core& in, const Allocator&)
        : is_recycled_(is_recyclable && in.runs_in_this_thread()), block_(allocate(is_recycled_)) {}
    op_memory& operator=(op_memory&&) = delete;
    ~op_memory() {
        if (block_ != nullptr) free(block_, is_recycled_);
    }

    void* get() const noexcept { return block_; }
    token_type token() const noexcept { return is_recycled_; }
    void release() noexcept { block_ = nullptr; }

    static void free(void* block, token_type is_recycled) noexcept {
        if (is_recycled) {
            loop::frame_pool::deallocate(block, sizeof(Op));
        } else if constexpr (is_recyclable) {
            ::operator delete(block);
        } else {
            ::operator delete(block, std::align_val_t(alignof(Op)));
        }
    }

private:
    static void* allocate(bool is_recycled) {
        if (is_recycled) return loop::frame_pool::allocate(sizeof(Op));
        if constexpr (is_recyclable)
            return ::operator new(loop::frame_pool::bytes_for_other_thread(sizeof(Op)));
        return ::operator new(sizeof(Op), std::align_val_t(alignof(Op)));
    }

    bool is_recycled_;
    void* block_;
};

}  // namespace loopbench::asio::detail
