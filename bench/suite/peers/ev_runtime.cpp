#include "bench/suite/peers/ev_runtime.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>

#include "loop/io/fd.hpp"
#include "loop/operation.hpp"

namespace loopbench::bench::peers {

namespace {

/// The number of callbacks after which libevent checks its sockets. It is the number of callbacks that a
/// flagship runs in one turn (loop/operation.hpp).
constexpr int callbacks_between_looks =
    static_cast<int>(loop::work_budget::units_max / loop::work_budget::units_of_a_callback);

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
    event_config_set_max_dispatch_interval(config.get(), nullptr, callbacks_between_looks, 0);
    ev_base base(event_base_new_with_config(config.get()));
    if (!base)
        throw std::runtime_error(
            "libevent offers no edge-triggered backend on this machine, but the contender needs one (epoll)");
    return base;
}

ev_runtime::ev_runtime()
    : base_(make_ev_base()), wake_(loop::checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    event_assign(&turn_, base_.get(), -1, 0, &on_turn, this);
    event_assign(&wake_event_, base_.get(), wake_.get(), EV_READ | EV_PERSIST | EV_ET, &on_turn, this);
    if (event_add(&wake_event_, nullptr) != 0)
        throw std::runtime_error("libevent cannot wait for an eventfd");
}

ev_runtime::~ev_runtime() {
    close();  // destroys the coroutines, whose frames contain events
    cancel_calls();
    close();  // again, because destructors of call_at() functions might have posted functions
    event_del(&turn_);
    event_del(&wake_event_);
}

ev_runtime::call_handle ev_runtime::call_at(clock::time_point when, std::function<void()> function) {
    if (ready().closed()) [[unlikely]]
        return {};
    auto made = loop::shared_state<call>::make(std::move(function));
    made->runtime = this;
    event_assign(&made->timer, base_.get(), -1, 0, &on_call, &*made);
    const clock::time_point now = clock::now();
    const timeval relative = delay_until(std::max(when, now), now);
    if (event_add(&made->timer, &relative) != 0) throw std::bad_alloc();
    made->armed = true;
    ++made->references;
    return {*this, std::move(made)};
}

// Cancels one call at a time, because freeing the function of a call can cancel other calls.
void ev_runtime::cancel_calls() noexcept {
    const auto find_call = [](const event_base*, const event_struct* timer, void* found) {
        if (event_get_callback(timer) != &on_call) return 0;
        *static_cast<call**>(found) = static_cast<call*>(event_get_callback_arg(timer));
        return 1;
    };
    for (call* armed = nullptr; event_base_foreach_event(base_.get(), find_call, &armed) == 1;)
        call_handle(*this, loop::shared_state<call>::share(*armed)).cancel();
}

void ev_runtime::run_library() {
    if (event_base_loop(base_.get(), EVLOOP_NO_EXIT_ON_EMPTY) < 0)
        throw std::runtime_error("event_base_loop failed; libevent printed the cause");
}

void ev_runtime::call_soon() noexcept {
    event_active(&turn_, EV_TIMEOUT, 0);
    event_base_loopcontinue(base_.get());  // makes libevent check its sockets before the next callback
}

void ev_runtime::wake() noexcept {
    // The eventfd is edge-triggered: every write is a new event, and the counter is never read.
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

}  // namespace loopbench::bench::peers
