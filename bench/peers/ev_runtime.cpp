#include "bench/peers/ev_runtime.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "loop/io/fd.hpp"

namespace loopbench::bench::peers {

namespace {

/// How many callbacks may run before the sockets and timers are looked at again.
constexpr int callbacks_between_polls = 64;

struct config_deleter {
    void operator()(event_config* config) const noexcept { event_config_free(config); }
};

}  // namespace

ev_base make_ev_base() {
    const std::unique_ptr<event_config, config_deleter> config(event_config_new());
    if (!config) throw std::bad_alloc();
    event_config_set_flag(config.get(), EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV |
                                            EVENT_BASE_FLAG_PRECISE_TIMER | EVENT_BASE_FLAG_NO_CACHE_TIME);
    event_config_require_features(config.get(), EV_FEATURE_ET | EV_FEATURE_EARLY_CLOSE);
    event_config_set_max_dispatch_interval(config.get(), nullptr, callbacks_between_polls, 0);
    ev_base base(event_base_new_with_config(config.get()));
    if (!base) throw std::runtime_error("libevent has no edge-triggered backend here (epoll refused?)");
    return base;
}

ev_runtime::ev_runtime()
    : base_(make_ev_base()), wake_(loop::checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    event_assign(&turn_, base_.get(), -1, 0, &on_turn, this);
    event_assign(&wake_event_, base_.get(), wake_.get(), EV_READ | EV_PERSIST, &on_wake, this);
    if (event_add(&wake_event_, nullptr) != 0)
        throw std::runtime_error("libevent cannot wait for an eventfd");
}

ev_runtime::~ev_runtime() {
    close();  // frees the frames, which delete their events
    cancel_calls();
    event_del(&turn_);
    event_del(&wake_event_);
}

ev_runtime::call_handle ev_runtime::call_at(clock::time_point when, std::function<void()> function) {
    auto made = loop::shared_state<call>::make(std::move(function));
    made->runtime = this;
    event_assign(&made->timer, base_.get(), -1, 0, &on_call, &*made);
    const clock::time_point now = clock::now();
    const timeval relative = delay_until(std::max(when, now), now);
    if (event_add(&made->timer, &relative) != 0) throw std::bad_alloc();
    made->armed = true;
    ++made->references;  // libevent's
    return {*this, std::move(made)};
}

void ev_runtime::cancel_calls() {
    std::vector<call*> armed;
    const auto collect = [](const event_base*, const event_struct* timer, void* found) {
        if (event_get_callback(timer) == &on_call)
            static_cast<std::vector<call*>*>(found)->push_back(
                static_cast<call*>(event_get_callback_arg(timer)));
        return 0;
    };
    event_base_foreach_event(base_.get(), collect, &armed);
    for (call* each : armed) call_handle(*this, loop::shared_state<call>::share(*each)).cancel();
}

void ev_runtime::run_library() {
    if (event_base_loop(base_.get(), EVLOOP_NO_EXIT_ON_EMPTY) < 0)
        throw std::runtime_error("libevent's loop failed: see what it printed");
}

// libevent counts callbacks only, and 64 of them can be megabytes that one coroutine has sent.
void ev_runtime::call_soon() noexcept {
    event_active(&turn_, EV_TIMEOUT, 0);
    units_of_large_transfers_ += take_units_of_large_transfers();
    if (units_of_large_transfers_ < loop::work_budget::units_max) return;
    units_of_large_transfers_ = 0;
    event_base_loopcontinue(base_.get());
}

void ev_runtime::wake() noexcept {
    if (woken_.exchange(true, std::memory_order_seq_cst)) return;
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_.get(), &one, sizeof one));  // a counter that is full wakes as well
}

void ev_runtime::on_wake(evutil_socket_t fd, short, void* self) noexcept {
    auto& runtime = *static_cast<ev_runtime*>(self);
    std::uint64_t count = 0;
    static_cast<void>(!::read(fd, &count, sizeof count));
    // Before pass() looks: a later post wakes again.
    runtime.woken_.store(false, std::memory_order_seq_cst);
    runtime.pass();
}

}  // namespace loopbench::bench::peers
