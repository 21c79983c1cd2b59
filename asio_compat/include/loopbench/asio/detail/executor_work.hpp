// Specialises Asio's handler_work_base for our context, as Asio does for its own context. The specialisations
// call handlers directly, because the calling thread is already inside run(). They create no executor that
// counts work, because the operation is already counted as work.
#pragma once

#include "loopbench/asio/detail/handler.hpp"
#include "loopbench/asio/detail/io_context.hpp"

namespace boost::asio::detail {

// The specialisation of handler_work_base for the executor of the I/O object.
template <>
class handler_work_base<loopbench::asio::io_context::executor_type, void, io_context, executor, void> {
public:
    explicit handler_work_base(int, int, const loopbench::asio::io_context::executor_type&) noexcept {}

    bool owns_work() const noexcept { return false; }

    template <class Function, class Handler>
    void dispatch(Function& function, Handler& handler) {
        loopbench::asio::detail::call_for(function, handler);
    }
};

// The specialisation of handler_work_base for the executor of the handler. If the handler's executor equals
// the I/O object's executor, no work is counted.
template <>
class handler_work_base<loopbench::asio::io_context::executor_type,
                        loopbench::asio::io_context::executor_type, io_context, executor, void> {
    using executor_type = loopbench::asio::io_context::executor_type;

public:
    handler_work_base(bool base1_owns_work, const executor_type& handlers,
                      const executor_type& objects) noexcept
        : executor_(handlers), owns_work_(base1_owns_work || handlers != objects) {
        if (owns_work_) executor_.on_work_started();
    }
    handler_work_base(const handler_work_base& other) noexcept
        : executor_(other.executor_), owns_work_(other.owns_work_) {
        if (owns_work_) executor_.on_work_started();
    }
    handler_work_base(handler_work_base&& other) noexcept
        : executor_(other.executor_), owns_work_(std::exchange(other.owns_work_, false)) {}
    handler_work_base& operator=(const handler_work_base&) = delete;
    ~handler_work_base() {
        if (owns_work_) executor_.on_work_finished();
    }

    bool owns_work() const noexcept { return owns_work_; }

    template <class Function, class Handler>
    void dispatch(Function& function, Handler& handler) {
        boost::asio::prefer(executor_, execution::allocator((get_associated_allocator)(handler)))
            .execute(std::move(function));
    }

private:
    executor_type executor_;
    bool owns_work_;
};

}  // namespace boost::asio::detail
