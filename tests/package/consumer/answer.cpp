// A shared library that contains the loop.
#include <chrono>

#include "loop/designs.hpp"

namespace {

loopbench::loop::task<int> answer_on(loopbench::loop::event_loop& loop) {
    co_await loop.sleep_for(std::chrono::milliseconds(1));
    co_return 42;
}

}  // namespace

int answer() {
    const auto loop = loopbench::loop::make_loop("loop-epoll");
    return loop->run(answer_on(*loop));
}
