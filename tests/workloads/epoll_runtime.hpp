#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bench/suite/runtime.hpp"
#include "loop/coro/event.hpp"
#include "loop/coro/task.hpp"
#include "loop/designs.hpp"
#include "loop/loop.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::bench {

/// A runtime on loop-epoll that has only the functions that the Runtime concept requires.
class epoll_runtime {
public:
    template <class T>
    using task = loop::task<T>;
    using stream = loop::stream;
    using listener = loop::listener;
    using event = loop::event;

    operator loop::scheduler&() { return *loop_; }  // for the constructor of `event`

    template <class T>
    T run(loop::task<T> main) {
        return loop_->run(std::move(main));
    }
    time_point now() { return loop_->now(); }
    auto sleep_until(time_point when) { return loop_->sleep_until(when); }
    auto yield() { return loop_->yield(); }
    template <class T>
    void spawn(loop::task<T> detached) {
        loop_->spawn(std::move(detached));
    }
    auto gather(std::span<loop::task<void>> tasks) { return loop_->gather(tasks); }
    template <class Function>
    void post(Function&& function) {
        loop_->post(std::forward<Function>(function));
    }
    template <class Function>
    void post_from_any_thread(Function&& function) {
        loop_->post_from_any_thread(std::forward<Function>(function));
    }
    listener listen() { return loop_->listen(); }
    task<stream> connect(std::uint16_t port) { return loop_->connect(port); }

private:
    std::unique_ptr<loop::event_loop> loop_ = loop::make_loop("loop-epoll");
};

}  // namespace loopbench::bench
