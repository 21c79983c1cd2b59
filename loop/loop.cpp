#include "loop/loop.hpp"

#include <csignal>
#include <ctime>

namespace loopbench::loop {

event_loop::event_loop(std::string_view name, make_driver_fn make_driver, clock* other_clock)
    : name_(name), io_(make_driver(ready())), clock_(other_clock), last_now_(now()), callbacks_(*io_) {}

void event_loop::close() noexcept {
    const auto guard = guard_writes();
    callbacks_.clear();  // first, because destroyed frames may close watched descriptors
    scheduler::close();
}

call_handle event_loop::call_soon(std::function<void()> function, const std::source_location& where) {
    auto call = shared_state<scheduled_call>::make(std::move(function), where);
    ++call->references;
    ready().push(*call);
    return {*this, std::move(call)};
}

call_handle event_loop::call_at(time_point when, std::function<void()> function,
                                const std::source_location& where) {
    if (when == never || ready().closed()) return {};
    auto call = shared_state<scheduled_call>::make(std::move(function), where);
    call->deadline = when;
    arm(*call);
    ++call->references;
    return {*this, std::move(call)};
}

void event_loop::run_forever() {
    const auto running = start_running();
    stopping_ = false;
    take_turns(stopping_);
}

void event_loop::run_until_idle() {
    const auto running = start_running();
    const auto guard = guard_writes();
    stopping_ = false;
    while (!stopping_ &&
           (has_ready() || has_posted() || has_timers() || io_->pending() != 0 || expected_posts_ != 0))
        take_turns(true);
}

void event_loop::turn() {
    const auto running = start_running();
    take_turns(true);
}

namespace {

sigset_t only_sigpipe() noexcept {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGPIPE);
    return set;
}

}  // namespace

void event_loop::block_sigpipe() noexcept {
    writes_to_pipes_ = true;
    if (!guarded_ || std::exchange(blocks_sigpipe_, true)) return;
    const sigset_t sigpipe = only_sigpipe();
    sigset_t pending;
    sigset_t before;
    sigpipe_was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
    sigpipe_was_blocked_ = ::sigismember(&before, SIGPIPE) == 1;
}

void event_loop::end_guard() noexcept {
    guarded_ = false;
    if (!std::exchange(blocks_sigpipe_, false)) [[likely]]
        return;
    const sigset_t sigpipe = only_sigpipe();
    const timespec at_once{};
    while (!sigpipe_was_pending_ && (::sigtimedwait(&sigpipe, nullptr, &at_once) >= 0 || errno == EINTR))
        continue;
    if (!sigpipe_was_blocked_) ::pthread_sigmask(SIG_UNBLOCK, &sigpipe, nullptr);
}

}  // namespace loopbench::loop
