// Functions that the loop calls later. There are two kinds:
// - A cancellable call runs once, on the next turn or at a given time, like asyncio's Handle and TimerHandle.
// - A descriptor callback runs on every turn on which its descriptor is ready, like the functions that the
//   tutorials pass to add_reader() and add_writer().
#pragma once

#include <functional>
#include <map>
#include <source_location>
#include <typeinfo>

#include "loop/io/io.hpp"
#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// A cancellable call of a function. While the call is armed or queued, its timer queue or the ready queue
/// holds a reference to it. `Armed` is the type of the timer that fires when the call is due: `timer`, or the
/// timer of another library.
template <class Armed>
struct cancellable_call : Armed, recycled {
    explicit cancellable_call(std::function<void()>&& what,
                              const std::source_location& scheduled_at = std::source_location::current())
        : function(std::move(what)), where(scheduled_at) {
        this->complete = &run_or_discard;
    }

    static void run_or_discard(operation* op, completion how) {
        auto& self = *static_cast<cancellable_call*>(op);
        self.fetch_later();
        // `keep` takes over the queue's reference, because `work` may drop the last handle to this call.
        const auto keep = shared_state<cancellable_call>::share(self);
        --self.references;
        const std::function<void()> work = std::exchange(self.function, nullptr);
        if (how == completion::run && work) work();
    }

    std::function<void()> function;  // empty after the function has run or the call was cancelled
    std::source_location where;      // the place that scheduled the call, for debug mode
    unsigned references = 1;
};

/// A handle to a call. Handles can be copied; dropping a handle does not cancel the call. Use a handle only
/// in the loop's thread. While the call is pending, the handle must not outlive the loop. `Owner` is the type
/// of the loop, which must have a member disarm(Armed&) noexcept.
template <class Owner, class Armed>
class cancellable_call_handle {
public:
    using call = cancellable_call<Armed>;

    cancellable_call_handle() = default;
    cancellable_call_handle(Owner& owner, shared_state<call> named) noexcept
        : owner_(&owner), call_(std::move(named)) {}

    /// Cancels the call, even if it is already due and queued, and frees the function's captures. Does
    /// nothing if the function has already run or the call was already cancelled.
    void cancel() noexcept {
        if (!call_) return;
        // The function is freed last, because its captures may own this handle.
        const std::function<void()> dropped = std::exchange(call_->function, nullptr);
        if (!call_->armed) return;  // the call has run, or the ready queue will drop it
        owner_->disarm(*call_);
        --call_->references;  // drops the timer queue's reference; this handle holds another one
    }

    bool pending() const noexcept { return call_ && call_->function; }

private:
    Owner* owner_ = nullptr;
    shared_state<call> call_;
};

class event_loop;
using scheduled_call = cancellable_call<timer>;
using call_handle = cancellable_call_handle<event_loop, timer>;

/// The descriptor callbacks of a loop. The loop calls each callback from the ready queue, once per turn while
/// the callback's descriptor is ready. To end the calls, remove the callback. A callback may remove itself
/// and other callbacks. Remove a callback before you close its descriptor.
class fd_callbacks {
public:
    explicit fd_callbacks(driver& io) noexcept;
    fd_callbacks& operator=(fd_callbacks&&) = delete;
    ~fd_callbacks();

    /// Adds a callback for a descriptor, and replaces the descriptor's previous callback of the same kind.
    /// `kind` is io_kind::readable or io_kind::writable. Throws the driver's exception if the driver cannot
    /// watch the descriptor.
    void add(int fd, io_kind kind, std::function<void()> function);

    /// Removes a callback, even if the callback is queued. Returns false if the descriptor has no callback of
    /// this kind.
    bool remove(int fd, io_kind kind) noexcept;

    /// Removes all callbacks. A removed callback that is in the ready queue is freed when the queue runs or
    /// discards it.
    void clear() noexcept;

    /// For debug mode: returns the type of the function that `op` calls, or null if `op` is not a descriptor
    /// callback.
    static const std::type_info* function_of(const operation& op) noexcept;

private:
    struct watcher;

    driver& io_;
    std::map<std::pair<int, io_kind>, shared_state<watcher>> watchers_;
};

}  // namespace loopbench::loop
