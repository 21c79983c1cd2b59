#include "loop/coro/root_list.hpp"

namespace loopbench::loop {

void root_list::adopt(detail::promise_base& promise, std::coroutine_handle<> frame) noexcept {
    promise.become_root(frame, &on_done, this);
    promise.root.previous_root = nullptr;
    promise.root.next_root = newest_;
    if (newest_ != nullptr) newest_->root.previous_root = &promise;
    newest_ = &promise;
}

void root_list::unlink(detail::promise_base& promise) noexcept {
    detail::root_state& root = promise.root;
    (root.previous_root == nullptr ? newest_ : root.previous_root->root.next_root) = root.next_root;
    if (root.next_root != nullptr) root.next_root->root.previous_root = root.previous_root;
}

void root_list::on_done(detail::promise_base& promise) noexcept {
    auto& list = *static_cast<root_list*>(promise.root.owner);
    list.unlink(promise);
    if (list.on_end_ != nullptr) [[unlikely]]
        list.on_end_(list.observer_, promise.root);
    if (promise.exception) [[unlikely]] {
        try {
            std::rethrow_exception(promise.exception);
        } catch (const task_cancelled&) {  // it ended as it was asked to
        } catch (...) {
            list.failure_ = std::current_exception();
        }
    }
    promise.root.frame.destroy();
}

void root_list::destroy_all() noexcept {
    while (newest_ != nullptr) {
        detail::promise_base& promise = *newest_;
        unlink(promise);
        promise.root.frame.destroy();
    }
}

}  // namespace loopbench::loop
