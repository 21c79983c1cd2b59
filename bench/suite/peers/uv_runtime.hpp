// The Runtime of bench/suite/runtime.hpp on libuv. The adapter uses libuv as libuv's guide recommends and as
// Node.js and uvloop do: an idle handle while coroutines are ready, uv_try_write before uv_write, and reused
// handles. An operation allocates nothing.
//
// libuv keeps time in whole milliseconds and rounds down. A timer therefore fires up to a millisecond before
// its delay has passed. The adapter rounds delays up and updates the loop's time, as uvloop does. More
// corrections would hide how the library behaves.
#pragma once

#include <uv.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <csignal>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/suite/peers/library_loop.hpp"
#include "bench/suite/peers/uv_pipe.hpp"
#include "bench/suite/peers/uv_stream.hpp"
#include "loop/calls.hpp"
#include "loop/coro/event.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::peers {

class uv_runtime final : public library_loop {
public:
    static constexpr std::string_view name = "libuv";
    /// The sum of two errors of up to a millisecond each. libuv rounds times, and its coarse clock can lag.
    static constexpr std::chrono::nanoseconds early_limit = std::chrono::milliseconds(2);

    template <class T>
    using task = loop::task<T>;
    using stream = uv_connection;
    using listener = uv_listener;
    using unix_stream = uv_connection;
    using unix_listener = uv_listener;
    using event = loop::event;
    using clock = std::chrono::steady_clock;

    uv_runtime() {
        std::signal(SIGPIPE, SIG_IGN);  // recommended by libuv's guide, because libuv uses write(2)
        uv_checked(uv_loop_init(&loop_), "uv_loop_init");
        uv_checked(uv_idle_init(&loop_, &idle_), "uv_idle_init");
        uv_checked(uv_async_init(&loop_, &wake_, &on_wake), "uv_async_init");
        idle_.data = this;
        wake_.data = this;
    }

    ~uv_runtime() {
        close();
        // close() has destroyed the coroutines, so all timers that are still active were armed by call_at().
        for (uv_timer_t& timer : timers_)
            if (uv_is_active(reinterpret_cast<uv_handle_t*>(&timer)))
                call_handle(*this, loop::shared_state<call>::share(*static_cast<call*>(timer.data))).cancel();
        close();  // again, because destructors of call_at() functions might have posted functions
        for (uv_timer_t& timer : timers_) uv_close(reinterpret_cast<uv_handle_t*>(&timer), nullptr);
        uv_close(reinterpret_cast<uv_handle_t*>(&idle_), nullptr);
        uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr);
        uv_run(&loop_, UV_RUN_DEFAULT);  // runs the loop once more, to close the handles
        uv_loop_close(&loop_);
    }

    clock::time_point now() const { return clock::now(); }

    class sleep_awaiter;
    sleep_awaiter sleep_until(clock::time_point when) noexcept;

    struct call_timer : loop::operation {
        bool armed = false;
        uv_runtime* runtime = nullptr;
        uv_timer_t* handle = nullptr;
    };
    using call_handle = loop::cancellable_call_handle<uv_runtime, call_timer>;
    call_handle call_at(clock::time_point when, std::function<void()> function);
    void disarm(call_timer& timer) noexcept {
        timer.armed = false;
        uv_timer_stop(timer.handle);
        release(std::exchange(timer.handle, nullptr));
    }

    listener listen() { return listener(*this, loop_, loop::endpoint::loopback(0)); }
    listener listen_on(const std::string& address) {
        return listener(*this, loop_, loop::endpoint::ip(address, 0));
    }
    /// Returns a listener on a TCP socket that already listens.
    listener listen_at(loop::unique_fd listening) { return {*this, loop_, std::move(listening)}; }
    uv_connect_awaiter connect(std::uint16_t port) { return {*this, loop_, loop::endpoint::loopback(port)}; }

    unix_listener listen_unix(const std::string& path) {
        return listener(*this, loop_, loop::endpoint::unix_path(path));
    }
    uv_connect_awaiter connect_unix(const std::string& path) {
        return {*this, loop_, loop::endpoint::unix_path(path)};
    }

    uv_pipe_ends open_pipe() { return peers::open_pipe(*this, loop_); }

protected:
    void run_library() override { uv_run(&loop_, UV_RUN_DEFAULT); }
    void leave() noexcept override { uv_stop(&loop_); }
    void call_soon() noexcept override {
        if (!uv_is_active(reinterpret_cast<uv_handle_t*>(&idle_))) uv_idle_start(&idle_, &on_idle);
    }
    void wake() noexcept override {
        order_wake();
        uv_async_send(&wake_);
    }

private:
    using call = loop::cancellable_call<call_timer>;

    static std::uint64_t whole_milliseconds(std::chrono::nanoseconds delay) noexcept {
        return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(delay).count());
    }

    static void on_call(uv_timer_t* timer) {
        call& due = *static_cast<call*>(timer->data);
        uv_runtime& self = *due.runtime;
        self.disarm(due);
        // The idle handle runs the function later, from the queue. If the function ran here and armed a timer
        // with a delay of zero, this timer would fire directly afterwards, and the sockets would starve.
        self.ready().push(due);
        self.call_soon();
    }

    static uv_runtime& of(void* data) noexcept { return *static_cast<uv_runtime*>(data); }

    // Prevents a lost post. uv_async_send() does nothing while an earlier call is unanswered, and libuv does
    // not guarantee that on_wake() then sees the thread's posts. Therefore, the posting thread and on_wake()
    // both write to wake_order_. If the thread's write comes first, on_wake() sees the thread's posts.
    // Otherwise, the thread sees that the earlier call was answered, and its own uv_async_send() wakes the
    // loop again.
    void order_wake() noexcept { wake_order_.fetch_add(1, std::memory_order_acq_rel); }

    static void on_wake(uv_async_t* async) {
        uv_runtime& self = of(async->data);
        self.order_wake();
        self.pass();
    }

    static void on_idle(uv_idle_t* idle) {
        uv_runtime& self = of(idle->data);
        uv_idle_stop(idle);
        self.pass();
    }

    uv_timer_t* take_timer() {
        if (free_timers_.empty()) {
            uv_timer_t& made = timers_.emplace_back();
            uv_timer_init(&loop_, &made);
            // The memory is reserved now, because release() must not fail. The capacity doubles each time;
            // otherwise, a million timers would need a million allocations.
            if (free_timers_.capacity() < timers_.size()) free_timers_.reserve(2 * timers_.size());
            return &made;
        }
        uv_timer_t* const timer = free_timers_.back();
        free_timers_.pop_back();
        return timer;
    }
    void release(uv_timer_t* timer) noexcept { free_timers_.push_back(timer); }

    uv_loop_t loop_{};
    uv_idle_t idle_{};
    uv_async_t wake_{};
    std::atomic<unsigned> wake_order_{0};
    std::deque<uv_timer_t> timers_;
    std::vector<uv_timer_t*> free_timers_;
};

class uv_runtime::sleep_awaiter : public callback_awaiter {
public:
    sleep_awaiter(uv_runtime& owner, clock::time_point when) noexcept
        : callback_awaiter(owner), runtime_(owner), when_(when) {}
    ~sleep_awaiter() {
        if (timer_ == nullptr) return;
        uv_timer_stop(timer_);
        runtime_.release(timer_);
    }

    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        wait(waiter);
        const clock::time_point now = clock::now();
        if (when_ <= now) return queue();  // a timer with a delay of zero could starve the sockets
        timer_ = runtime_.take_timer();
        timer_->data = this;
        uv_update_time(&runtime_.loop_);
        uv_timer_start(timer_, &on_timer, whole_milliseconds(when_ - now), 0);
    }
    void await_resume() const noexcept {}

private:
    static void on_timer(uv_timer_t* timer) { static_cast<sleep_awaiter*>(timer->data)->completed(); }

    uv_runtime& runtime_;
    clock::time_point when_;
    uv_timer_t* timer_ = nullptr;
};

inline uv_runtime::call_handle uv_runtime::call_at(clock::time_point when, std::function<void()> function) {
    if (ready().closed()) [[unlikely]]
        return {};
    auto made = loop::shared_state<call>::make(std::move(function));
    uv_timer_t* const handle = take_timer();
    made->runtime = this;
    made->handle = handle;
    handle->data = &*made;
    const clock::time_point now = clock::now();
    uv_update_time(&loop_);
    uv_timer_start(handle, &on_call, when <= now ? 0 : whole_milliseconds(when - now), 0);
    made->armed = true;
    ++made->references;
    return {*this, std::move(made)};
}

inline uv_runtime::sleep_awaiter uv_runtime::sleep_until(clock::time_point when) noexcept {
    return {*this, when};
}

}  // namespace loopbench::bench::peers
