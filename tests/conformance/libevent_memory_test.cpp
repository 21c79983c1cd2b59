// Tests the adapter of libevent while libevent cannot allocate memory.
#include <event2/event.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <new>

#include "bench/suite/peers/ev_runtime.hpp"

namespace loopbench::conformance {

namespace {

bool has_memory = true;

void* reallocate(void* block, std::size_t bytes) {
    return has_memory ? std::realloc(block, bytes) : nullptr;
}

}  // namespace

TEST(libevent, a_sleep_that_gets_no_memory_throws_bad_alloc_and_its_task_can_continue) {
    event_set_mem_functions(&std::malloc, &reallocate, &std::free);
    bench::peers::ev_runtime runtime;
    bool refused = false;
    auto main = [&]() -> loop::task<void> {
        has_memory = false;
        try {
            co_await runtime.sleep_until(runtime.now() + std::chrono::hours(1));
        } catch (const std::bad_alloc&) {
            refused = true;
        }
        has_memory = true;
        co_await runtime.yield();
        co_await runtime.sleep_until(runtime.now() + std::chrono::milliseconds(1));
    };
    runtime.run(main());
    EXPECT_TRUE(refused);
}

}  // namespace loopbench::conformance
