// The Runtime of bench/suite/runtime.hpp on libevent. libevent is configured as its documentation recommends
// for one thread: no locks (EVENT_BASE_FLAG_NOLOCK), edge-triggered epoll, and precise timers (a timerfd).
//
// libevent does not cache the time, so a delay counts from the current time, and a timer never fires early.
// The number of callbacks between two checks of the sockets is limited; otherwise, ready coroutines would
// starve the sockets. Events are members of the waiting objects (event_assign), so that an operation
// allocates nothing.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>
#include <sys/time.h>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "bench/suite/peers/ev_pipe.hpp"
#include "bench/suite/peers/ev_socket.hpp"
#include "bench/suite/peers/library_loop.hpp"
#include "loop/calls.hpp"
#include "loop/coro/event.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::peers {

/// A deleter of an event_base.
struct ev_base_deleter {
    void operator()(event_base* base) const noexcept { event_base_free(base); }
};
using ev_base = std::unique_ptr<event_base, ev_base_deleter>;
ev_base make_ev_base();

class ev_runtime final : public library_loop {
public:
    static constexpr std::string_view name = "libevent";

    template <class T>
    using task = loop::task<T>;
    using stream = ev_stream;
    using listener = ev_listener;
    using unix_stream = ev_stream;
    using unix_listener = ev_listener;
    using event = loop::event;
    using clock = std::chrono::steady_clock;

    /// Makes an event base. Throws std::runtime_error or std::system_error with the cause.
    ev_runtime();
    ~ev_runtime();

    clock::time_point now() const { return clock::now(); }

    class sleep_awaiter;
    sleep_awaiter sleep_until(clock::time_point when) noexcept;

    struct call_timer : loop::operation {
        bool armed = false;
        ::event timer{};
        ev_runtime* runtime = nullptr;
    };
    using call_handle = loop::cancellable_call_handle<ev_runtime, call_timer>;
    call_handle call_at(clock::time_point when, std::function<void()> function);
    void disarm(call_timer& armed) noexcept {
        armed.armed = false;
        event_del(&armed.timer);
    }

    listener listen() { return listener(*this, base_.get(), loop::endpoint::loopback(0)); }
    listener listen_on(const std::string& address) {
        return listener(*this, base_.get(), loop::endpoint::ip(address, 0));
    }
    ev_connect_awaiter connect(std::uint16_t port) { return connect_to(loop::endpoint::loopback(port)); }

    unix_listener listen_unix(const std::string& path) {
        return listener(*this, base_.get(), loop::endpoint::unix_path(path));
    }
    ev_connect_awaiter connect_unix(const std::string& path) {
        return connect_to(loop::endpoint::unix_path(path));
    }

    ev_pipe_ends open_pipe() { return peers::open_pipe(*this, base_.get()); }

protected:
    void run_library() override;
    void leave() noexcept override { event_base_loopbreak(base_.get()); }
    void call_soon() noexcept override;
    void wake() noexcept override;

private:
    using event_struct = ::event;
    using call = loop::cancellable_call<call_timer>;

    ev_connect_awaiter connect_to(const loop::endpoint& peer) {
        return {*this, std::make_unique<ev_socket>(base_.get(), loop::open_stream(peer.family())), peer};
    }

    /// Returns the delay from `now` until `when` in microseconds. `now` is rounded down and the delay is
    /// rounded up, so that the timer never fires early.
    static timeval delay_until(clock::time_point when, clock::time_point now) noexcept {
        using std::chrono::microseconds;
        const auto delay = std::chrono::ceil<microseconds>(when - std::chrono::floor<microseconds>(now));
        return {.tv_sec = static_cast<time_t>(delay.count() / 1'000'000),
                .tv_usec = static_cast<suseconds_t>(delay.count() % 1'000'000)};
    }

    static void on_call(evutil_socket_t, short, void* timed) noexcept {
        call& due = *static_cast<call*>(timed);
        due.armed = false;
        due.runtime->complete(due);
    }
    void cancel_calls() noexcept;

    static void on_turn(evutil_socket_t, short, void* self) noexcept {
        static_cast<ev_runtime*>(self)->pass();
    }

    ev_base base_;
    loop::unique_fd wake_;  // an eventfd for other threads, because libevent has no locks here
    event_struct turn_{};
    event_struct wake_event_{};
};

class ev_runtime::sleep_awaiter : public callback_awaiter {
public:
    sleep_awaiter(ev_runtime& owner, clock::time_point when) noexcept
        : callback_awaiter(owner), runtime_(owner), when_(when) {}
    ~sleep_awaiter() {
        if (armed_) event_del(&timer_);
    }

    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) {
        const clock::time_point now = clock::now();
        if (when_ > now) {
            const timeval relative = delay_until(when_, now);
            event_assign(&timer_, runtime_.base_.get(), -1, 0, &on_timer, this);
            if (event_add(&timer_, &relative) != 0) throw std::bad_alloc();
            armed_ = true;
        }
        wait(waiter);
        if (!armed_) queue();
    }
    void await_resume() const noexcept {}

private:
    static void on_timer(evutil_socket_t, short, void* awaiter) noexcept {
        auto& self = *static_cast<sleep_awaiter*>(awaiter);
        self.armed_ = false;
        self.completed();
    }

    ev_runtime& runtime_;
    clock::time_point when_;
    bool armed_ = false;
    event_struct timer_{};
};

inline ev_runtime::sleep_awaiter ev_runtime::sleep_until(clock::time_point when) noexcept {
    return {*this, when};
}

}  // namespace loopbench::bench::peers
