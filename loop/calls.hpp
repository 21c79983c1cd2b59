#pragma once

#include <functional>
#include <map>
#include <source_location>
#include <typeinfo>

#include "loop/io/io.hpp"
#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// A call of a function that can be cancelled. While the call is armed, the timer queue owns a reference to
/// the call; while the call is queued, the ready queue owns this reference. `Armed` is the type of the timer
/// in the call; the type can come from this library or from another library.
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
        // `keep` takes over the queue's reference, so that the call exists until `work` has returned.
        const auto keep = shared_state<cancellable_call>::share(self);
        --self.references;
        const std::function<void()> work = std::exchange(self.function, nullptr);
        if (how == completion::run && work) work();
    }

    std::function<void()> function;
    std::source_location where;
    unsigned references = 1;
};

/// A handle to a call. Dropping a handle does not cancel the call. Use a handle only in the loop's thread;
/// while the call is pending, the handle must not outlive the loop. `Owner` is the loop's type and has a
/// member disarm(Armed&) noexcept.
template <class Owner, class Armed>
class cancellable_call_handle {
public:
    using call = cancellable_call<Armed>;

    cancellable_call_handle() = default;
    cancellable_call_handle(Owner& owner, shared_state<call> named) noexcept
        : owner_(&owner), call_(std::move(named)) {}

    /// Cancels the call, even if the call is already in the ready queue, and frees the function's captures.
    /// Does nothing if the function has run.
    void cancel() noexcept {
        if (!call_) return;
        // The function is freed last, because its captures may own this handle.
        const std::function<void()> dropped = std::exchange(call_->function, nullptr);
        if (!call_->armed) return;
        owner_->disarm(*call_);
        --call_->references;
    }

    bool pending() const noexcept { return call_ && call_->function; }

private:
    Owner* owner_ = nullptr;
    shared_state<call> call_;
};

class event_loop;
using scheduled_call = cancellable_call<timer>;
using call_handle = cancellable_call_handle<event_loop, timer>;

/// The descriptor callbacks of a loop. Each callback runs once per turn while its descriptor is ready, and
/// may remove itself and other callbacks. Remove a callback before you close its descriptor.
class fd_callbacks {
public:
    explicit fd_callbacks(driver& io) noexcept;
    fd_callbacks& operator=(fd_callbacks&&) = delete;
    ~fd_callbacks();

    /// Adds the callback of the given `kind`, which is io_kind::readable or io_kind::writable. Replaces the
    /// descriptor's previous callback of this kind. Throws the driver's exception if the driver cannot watch
    /// the descriptor.
    void add(int fd, io_kind kind, std::function<void()> function);

    bool remove(int fd, io_kind kind) noexcept;

    void clear() noexcept;

    static const std::type_info* function_of(const operation& op) noexcept;

private:
    struct watcher;

    driver& io_;
    std::map<std::pair<int, io_kind>, shared_state<watcher>> watchers_;
};

}  // namespace loopbench::loop
