#include "loop/scheduler.hpp"

namespace loopbench::loop {

void scheduler::close() noexcept {
    closing_ = true;
    take_posted();
    ready_.discard_all();
    // A frame that is destroyed may close a socket on which another one waits: that one's operation is
    // completed, and must not be queued, since it lives in a frame that is destroyed, too.
    ready_.closed = true;
    roots_.destroy_all();
    // A destroyed frame may have waited for a thread that has posted something in the end.
    operation_queue posted_last;
    posted_.take_all(posted_last);
    posted_last.discard_all();
}

void scheduler::push_from_any_thread(operation& op) noexcept {
    // Whoever finds something there comes after one that wakes the loop, or that the loop will see before
    // it sleeps: what both of them have pushed is taken at once.
    if (posted_.push(op)) wake();
}

void scheduler::run_timed(operation& op) {
    if (!debug_->on_slow) return op.complete(&op, completion::run);
    const debug_mode::identity running = debug_mode::identify(op);
    const time_point start = time_of_callbacks();
    op.complete(&op, completion::run);
    const nanoseconds duration = time_of_callbacks() - start;
    if (!debug_->on_slow || duration < debug_->slow_limit) return;
    const auto warn = debug_->on_slow;  // it may put another in its place, or none
    warn(duration, running.to_text());
}

debug_mode& scheduler::debug() {
    if (!debug_) {
        debug_ = std::make_unique<debug_mode>();
        names_posted_.store(true, std::memory_order_relaxed);
    }
    return *debug_;
}

void scheduler::warn_of_slow_callbacks(nanoseconds limit, debug_mode::slow_warning warn) {
    debug().slow_limit = limit;
    debug().on_slow = std::move(warn);
}

void scheduler::warn_of_unretrieved_exceptions(debug_mode::unretrieved_warning warn) {
    debug().on_unretrieved = std::move(warn);
}

void scheduler::exception_was_not_retrieved(const std::exception_ptr& exception,
                                            const std::source_location& made_at) const noexcept {
    if (!debug_ || !debug_->on_unretrieved) return;
    try {
        std::rethrow_exception(exception);
    } catch (const task_cancelled&) {  // it was asked for
    } catch (...) {
        debug_->on_unretrieved(exception, "made at " + to_text(made_at));
    }
}

}  // namespace loopbench::loop
