// What the README says of an installed loop, compiled and run: the package has to bring all that this needs.
#include <chrono>
#include <cstdio>

#include "loop/designs.hpp"

using loopbench::loop::epoll_runtime;
using loopbench::loop::task;

task<int> answer(epoll_runtime& loop) {
    co_await loop.sleep_for(std::chrono::milliseconds(1));
    co_return 42;
}

int main() {
    epoll_runtime loop;
    std::printf("%d\n", loop.run(answer(loop)));
}
