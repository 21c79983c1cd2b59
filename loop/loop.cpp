#include "loop/loop.hpp"

#include <csignal>
#include <ctime>

namespace loopbench::loop {

event_loop::event_loop(std::string_view name, make_driver_fn make_driver, clock* other_clock, bool polls)
    : scheduler(polls),
      name_(name),
      io_(make_driver(ready())),
      clock_(other_clock),
      last_now_(other_clock == nullptr ? std::chrono::steady_clock::now() : other_clock->now()),
      readers_(*io_, io_kind::readable),
      writers_(*io_, io_kind::writable) {}

void event_loop::close() noexcept {
    const run_guard guard(*this);
    readers_.clear();  // before the frames: they may close what is watched
    writers_.clear();
    scheduler::close();
}

call_handle event_loop::call_soon(std::function<void()> function, const std::source_location& where) {
    if (closing()) [[unlikely]]
        return {};
    auto call = shared_state<scheduled_call>::make(std::move(function), where);
    ++call->references;  // the queue's
    ready().push(*call);
    return {*this, std::move(call)};
}

call_handle event_loop::call_at(time_point when, std::function<void()> function,
                                const std::source_location& where) {
    if (when == never || closing()) return {};
    auto call = shared_state<scheduled_call>::make(std::move(function), where);
    call->deadline = when;
    arm(*call);
    ++call->references;  // the timer queue's
    return {*this, std::move(call)};
}

call_handle event_loop::call_later(nanoseconds delay, std::function<void()> function,
                                   const std::source_location& where) {
    return call_at(deadline_after(now(), delay), std::move(function), where);
}

void event_loop::run_forever() {
    const running_guard running(*this);
    stopping_ = false;
    take_turns(stopping_);
}

void event_loop::run_until_idle() {
    const running_guard running(*this);
    const run_guard run(*this);
    stopping_ = false;
    while (!stopping_ && (has_ready() || has_posted() || has_timers() || io_->pending() != 0))
        take_turns(true);
}

void event_loop::turn() {
    const running_guard running(*this);
    take_turns(true);
}

namespace {

sigset_t only_sigpipe() noexcept {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGPIPE);
    return set;
}

bool sigpipe_is_pending() noexcept {
    sigset_t pending;
    return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

void event_loop::begin_run() noexcept {
    in_run_ = true;
    if (writes_to_pipes_) [[unlikely]]
        block_sigpipe();
}

void event_loop::block_sigpipe() noexcept {
    writes_to_pipes_ = true;
    if (!in_run_ || std::exchange(guards_sigpipe_, true)) return;
    const sigset_t sigpipe = only_sigpipe();
    sigset_t before;
    sigpipe_was_pending_ = sigpipe_is_pending();
    ::pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
    sigpipe_was_blocked_ = ::sigismember(&before, SIGPIPE) == 1;
}

void event_loop::end_run() noexcept {
    in_run_ = false;
    if (!std::exchange(guards_sigpipe_, false)) [[likely]]
        return;
    const sigset_t sigpipe = only_sigpipe();
    const timespec at_once{};
    while (!sigpipe_was_pending_ && sigpipe_is_pending())
        static_cast<void>(::sigtimedwait(&sigpipe, nullptr, &at_once));
    if (!sigpipe_was_blocked_) ::pthread_sigmask(SIG_UNBLOCK, &sigpipe, nullptr);
}

}  // namespace loopbench::loop
