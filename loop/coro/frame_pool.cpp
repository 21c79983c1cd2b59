#include "loop/coro/frame_pool.hpp"

namespace loopbench::loop {

constinit thread_local decltype(frame_pool::heads_) frame_pool::heads_{};
constinit thread_local std::size_t frame_pool::room_bytes_ = 0;

// Gives a thread's kept blocks back. Made at the first real allocation, off the fast path.
struct frame_pool::end_of_thread {
    end_of_thread() noexcept { room_bytes_ = limit_bytes; }
    ~end_of_thread() {
        room_bytes_ = 0;
        for (std::size_t index = 0; index < heads_.size(); ++index) {
            free_block* block = std::exchange(heads_[index], nullptr);
            while (block != nullptr) {
                unpoison(block, index * granularity_bytes);
                ::operator delete(std::exchange(block, block->next));
            }
        }
    }
};

void* frame_pool::allocate_from_heap(std::size_t bytes) {
    thread_local const end_of_thread at_end;
    static_cast<void>(at_end);
    return ::operator new(bytes <= largest_bytes ? class_bytes(bytes) : bytes);
}

}  // namespace loopbench::loop
