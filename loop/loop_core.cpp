#include "loop/loop_core.hpp"

namespace loopbench::loop {

loop_core::~loop_core() = default;

void loop_core::close() noexcept {
    closing_ = true;
    take_posted(ready_);
    discard(ready_);
    // A dying frame may close a socket on which another one waits: that one's operation is completed, and is not to
    // be queued, since it lives in a frame that dies too.
    ready_.close();
    while (roots_ != nullptr) {
        detail::promise_base& promise = *roots_;
        unlink(promise);
        promise.root.frame.destroy();
    }
    // A destroyed frame may have waited for a thread, and that may have posted its last words.
    operation_queue last_words;
    take_posted(last_words);
    discard(last_words);
}

void loop_core::discard(operation_queue& queue) noexcept {
    while (!queue.empty()) {
        operation& op = queue.pop();
        op.complete(&op, completion::discard);
    }
}

void loop_core::adopt(detail::promise_base& promise, std::coroutine_handle<> frame) noexcept {
    promise.become_root(frame, &on_detached_done, this);
    promise.root.previous_root = nullptr;
    promise.root.next_root = roots_;
    if (roots_ != nullptr) roots_->root.previous_root = &promise;
    roots_ = &promise;
}

void loop_core::unlink(detail::promise_base& promise) noexcept {
    detail::root_state& root = promise.root;
    (root.previous_root == nullptr ? roots_ : root.previous_root->root.next_root) = root.next_root;
    if (root.next_root != nullptr) root.next_root->root.previous_root = root.previous_root;
}

void loop_core::on_detached_done(detail::promise_base& promise) noexcept {
    auto& core = *static_cast<loop_core*>(promise.root.owner);
    core.unlink(promise);
    core.note_end(promise);
    if (promise.exception) [[unlikely]] {
        try {
            std::rethrow_exception(promise.exception);
        } catch (const task_cancelled&) {  // it ended as it was asked to
        } catch (...) {
            core.failure_ = std::current_exception();
        }
    }
    promise.root.frame.destroy();
}

debug_mode& loop_core::debug() {
    if (!debug_) debug_ = std::make_unique<debug_mode>();
    return *debug_;
}

void loop_core::exception_was_not_retrieved(const std::exception_ptr& exception,
                                            const std::source_location& made_at) const noexcept {
    if (!debug_ || !debug_->on_unretrieved) return;
    try {
        std::rethrow_exception(exception);
    } catch (const task_cancelled&) {  // it was asked for
    } catch (...) {
        debug_->on_unretrieved(exception, "made at " + to_text(made_at));
    }
}

void loop_core::push_from_any_thread(operation& op) noexcept {
    operation* newest = posted_.load(std::memory_order_relaxed);
    do {
        op.next = newest;
    } while (
        !posted_.compare_exchange_weak(newest, &op, std::memory_order_seq_cst, std::memory_order_relaxed));
}

void loop_core::take_posted(operation_queue& into) noexcept {
    if (posted_.load(std::memory_order_relaxed) == nullptr) [[likely]]
        return;
    operation* newest = posted_.exchange(nullptr, std::memory_order_acquire);
    operation* oldest = nullptr;
    while (newest != nullptr) {  // the list is newest first; what was posted first shall run first
        operation* const older = std::exchange(newest->next, oldest);
        oldest = std::exchange(newest, older);
    }
    while (oldest != nullptr) into.push(*std::exchange(oldest, oldest->next));
}

}  // namespace loopbench::loop
