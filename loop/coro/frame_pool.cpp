#include "loop/coro/frame_pool.hpp"

#include <new>
#include <utility>

namespace loopbench::loop {

constinit thread_local frame_pool::thread_lists frame_pool::lists_{};

// Gives a thread's kept blocks back when the thread ends. Made at the first real allocation, off the fast
// path.
struct frame_pool::janitor {
    janitor() noexcept { lists_.limit_bytes = frame_pool::limit_bytes; }
    ~janitor() {
        lists_.limit_bytes = 0;
        for (std::size_t index = 0; index < lists_.heads.size(); ++index) {
            free_block* block = std::exchange(lists_.heads[index], nullptr);
            while (block != nullptr) {
                unpoison(block, index * granularity_bytes);
                ::operator delete(std::exchange(block, block->next));
            }
        }
        lists_.kept_bytes = 0;
    }
};

void* frame_pool::allocate_slow(std::size_t bytes) {
    thread_local janitor cleaner;
    static_cast<void>(cleaner);
    return ::operator new(bytes <= largest_bytes ? size_class(bytes) * granularity_bytes : bytes);
}

void frame_pool::deallocate_slow(void* block) noexcept {
    ::operator delete(block);
}

}  // namespace loopbench::loop
