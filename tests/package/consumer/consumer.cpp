// The documentation's example of a program that uses the installed loop.
#include <chrono>
#include <cstdio>

#include "loop/designs.hpp"

using loopbench::loop::event_loop;
using loopbench::loop::task;

task<int> answer(event_loop& loop) {
    co_await loop.sleep_for(std::chrono::milliseconds(1));
    co_return 42;
}

int main() {
    const auto loop = loopbench::loop::make_loop("loop-epoll");
    std::printf("answer: %d\n", loop->run(answer(*loop)));
}
