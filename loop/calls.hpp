// Functions that the loop calls later: soon or at a time, and then they can be cancelled (asyncio's Handle
// and TimerHandle); or whenever a descriptor is ready (the documents' add_reader and add_writer).
#pragma once

#include <functional>
#include <map>
#include <source_location>
#include <typeinfo>

#include "loop/io/io.hpp"
#include "loop/timers/timer.hpp"

namespace loopbench::loop {

/// A call that can be cancelled, and holds a reference to itself while it is armed or queued. `Armed` is what
/// it waits in until it is due: the loop's timer, or what another library has for one.
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
        // Takes over the reference that the queue held; the function may drop the last handle to itself.
        const auto keep = shared_state<cancellable_call>::share(self);
        --self.references;
        const std::function<void()> work = std::exchange(self.function, nullptr);
        if (how == completion::run && work) work();
    }

    std::function<void()> function;  // empty once it has run or was cancelled
    std::source_location where;      // for debug mode
    unsigned references = 1;
};

/// Names a call. Copyable; dropping it does not cancel. Loop's thread only; it must not outlive the loop
/// while its call is still to come. `Owner` has disarm(Armed&) noexcept.
template <class Owner, class Armed>
class cancellable_call_handle {
public:
    using call = cancellable_call<Armed>;

    cancellable_call_handle() = default;
    cancellable_call_handle(Owner& owner, shared_state<call> named) noexcept
        : owner_(&owner), call_(std::move(named)) {}

    /// The function will not be called, not even when it is due already and queued; its captures are freed.
    /// Harmless when it has run or was cancelled.
    void cancel() noexcept {
        if (!call_) return;
        // Freed last: the captures may own this handle.
        const std::function<void()> dropped = std::exchange(call_->function, nullptr);
        if (!call_->armed) return;  // done, or in the ready queue, which will drop it
        owner_->disarm(*call_);
        --call_->references;  // the queue's; we hold another
    }

    bool pending() const noexcept { return call_ && call_->function; }

private:
    Owner* owner_ = nullptr;
    shared_state<call> call_;
};

class event_loop;
using scheduled_call = cancellable_call<timer>;
using call_handle = cancellable_call_handle<event_loop, timer>;

/// A loop's callbacks of descriptors. Each is called, from the ready queue, once a turn while its descriptor
/// is ready, until it is removed; it may remove itself, and others. Remove it before closing the descriptor.
class fd_callbacks {
public:
    explicit fd_callbacks(driver& io) noexcept;
    fd_callbacks& operator=(fd_callbacks&&) = delete;
    ~fd_callbacks();

    /// `kind` is io_kind::readable or io_kind::writable. Replaces the descriptor's callback of this kind.
    /// Throws what the driver throws for a descriptor that it cannot watch.
    void add(int fd, io_kind kind, std::function<void()> function);

    /// True when there was one. It is not called any more, not even when it is queued.
    bool remove(int fd, io_kind kind) noexcept;

    /// Removes all. What is queued is freed when the queue is run or discarded.
    void clear() noexcept;

    /// For debug mode: the type of the function that `op` calls; null when it is none of these callbacks.
    static const std::type_info* function_of(const operation& op) noexcept;

private:
    struct watcher;

    driver& io_;
    std::map<std::pair<int, io_kind>, shared_state<watcher>> watchers_;
};

}  // namespace loopbench::loop
