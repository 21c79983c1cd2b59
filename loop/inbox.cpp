#include "loop/inbox.hpp"

#include <chrono>
#include <thread>

namespace loopbench::loop {

void inbox::close() noexcept {
    is_closed_ = true;
    operation_queue rest;
    if (messages_.close(rest)) ++deliveries_taken_;
    while (deliveries_posted_.load(std::memory_order_acquire) < deliveries_taken_)
        std::this_thread::sleep_for(std::chrono::microseconds(10));
    rest.discard_all();
}

}  // namespace loopbench::loop
