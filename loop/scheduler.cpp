#include "loop/scheduler.hpp"

#include <chrono>
#include <thread>

namespace loopbench::loop {

void scheduler::close() noexcept {
    take_posted();
    ready_.close();
    roots_.destroy_all();
    while (take_posted()) continue;  // each destructor of a discarded function can post again
    while (wakes_made_.load(std::memory_order_acquire) < wakes_expected_)
        std::this_thread::sleep_for(std::chrono::microseconds(10));
}

void scheduler::run_timed(operation& op) {
    if (!debug_->on_slow) return op.complete(&op, completion::run);
    const debug_mode::identity running = debug_mode::identify(op);
    const time_point start = time_of_callbacks();
    op.complete(&op, completion::run);
    const nanoseconds duration = time_of_callbacks() - start;
    if (!debug_->on_slow || duration < debug_->slow_limit) return;
    const auto warn = debug_->on_slow;  // a copy, because `warn` may replace or clear `on_slow`
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
    } catch (const task_cancelled&) {
    } catch (...) {
        debug_->on_unretrieved(exception, "created at " + to_text(made_at));
    }
}

}  // namespace loopbench::loop
