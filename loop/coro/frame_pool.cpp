#include "loop/coro/frame_pool.hpp"

namespace loopbench::loop {

constinit thread_local frame_pool::thread_lists frame_pool::lists_{};

// An object that frees a thread's kept blocks at the end of the thread. It is created at the thread's first
// allocation from the heap, so that the fast path does not have to create it.
struct frame_pool::end_of_thread {
    end_of_thread() noexcept { lists_.limit_bytes = limit_bytes; }
    ~end_of_thread() {
        lists_.limit_bytes = 0;
        for (std::size_t index = 0; index < lists_.heads.size(); ++index) {
            free_block* block = std::exchange(lists_.heads[index], nullptr);
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
