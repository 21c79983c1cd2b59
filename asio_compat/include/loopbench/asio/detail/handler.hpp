// A handler together with its operation. After completion, the operation's memory is released first. Then the
// handler is called on its associated executor.
#pragma once

#include <boost/asio/detail/bind_handler.hpp>
#include <boost/asio/detail/handler_tracking.hpp>
#include <boost/asio/detail/handler_work.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "loopbench/asio/detail/hooks.hpp"
#include "loopbench/asio/detail/memory.hpp"

#if __has_include(<boost/asio/detail/handler_invoke_helpers.hpp>)  // Boost 1.83 has it, 1.88 does not
#include <boost/asio/detail/handler_invoke_helpers.hpp>
#define LOOPBENCH_ASIO_HAS_HANDLER_HOOKS
#endif

#if __has_include(<boost/asio/associated_cancellation_slot.hpp>)
#include <boost/asio/associated_cancellation_slot.hpp>
#endif

#if __has_include(<boost/asio/associated_immediate_executor.hpp>)  // since Boost 1.82
#include <boost/asio/associated_immediate_executor.hpp>
#define LOOPBENCH_ASIO_HAS_IMMEDIATE_EXECUTORS
#endif

namespace loopbench::asio::detail {

/// Calls the function. In versions of Asio with handler hooks, calls it through the handler's invocation
/// hook.
template <class Function, class Handler>
void call_for(Function& function, [[maybe_unused]] Handler& handler) {
#if defined(LOOPBENCH_ASIO_HAS_HANDLER_HOOKS)
    boost_asio_handler_invoke_helpers::invoke(function, handler);
#else
    static_cast<Function&&>(function)();
#endif
}
template <class Function>
void call_function(Function& function) {
    call_for(function, function);
}

// The names of an operation for Asio's handler tracking (BOOST_ASIO_ENABLE_HANDLER_TRACKING).
struct tracked_name {
    const char* object_type;
    const char* function;
};

// The second result of an operation as Asio's handler tracking prints it.
inline std::size_t tracked_result(std::size_t bytes) noexcept {
    return bytes;
}
inline int tracked_result(int signal) noexcept {
    return signal;
}
template <class Result>
const char* tracked_result(const Result&) noexcept {
    return "...";
}

/// A handler, and its work on the executors.
template <class Handler, class IoExecutor>
struct kept_handler {
    kept_handler(Handler& moved, const IoExecutor& executor)
        : handler(std::move(moved)), work(handler, executor) {}

    Handler handler;
    boost::asio::detail::handler_work<Handler, IoExecutor> work;
};

/// Memory for a kept_handler inside its operation.
template <class Kept>
class memory_in_operation {
public:
    template <class Handler, class IoExecutor>
    memory_in_operation(core&, Handler& handler, const IoExecutor& executor) : kept_(handler, executor) {}

    Kept& kept() noexcept { return kept_; }

private:
    Kept kept_;
};

/// Memory for a kept_handler from the handler's allocator. The operation itself is in other memory, because
/// programs have allocators with blocks that are just large enough for the operations of Asio's own context
/// (libtorrent is such a program). Our operations are larger, but a kept_handler is smaller: an operation of
/// Asio contains both of its members.
template <class Kept, class Allocator>
class memory_of_handler {
public:
    template <class Handler, class IoExecutor>
    memory_of_handler(core& in, Handler& handler, const IoExecutor& executor)
        : memory_(in, boost::asio::get_associated_allocator(handler)) {
        ::new (memory_.get()) Kept(handler, executor);
    }
    memory_of_handler& operator=(memory_of_handler&&) = delete;
    ~memory_of_handler() { kept().~Kept(); }

    Kept& kept() noexcept { return *static_cast<Kept*>(memory_.get()); }

private:
    op_memory<Kept, Allocator> memory_;
};

/// An operation with its handler. `Work` derives from operation. After completion, the function object that
/// Work::bind(handler) returns is called. It contains the moved handler and the arguments for the handler.
template <class Work, class Handler, class IoExecutor>
class handler_op final : public Work BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER {
    using allocator_type = typename boost::asio::associated_allocator<Handler>::type;
    using memory_type = std::conditional_t<uses_hooks<Handler>, hook_memory<handler_op, Handler>,
                                           op_memory<handler_op, std::allocator<void>>>;
    using kept_type = kept_handler<Handler, IoExecutor>;
    using memory_of_kept =
        std::conditional_t<is_default_allocator<allocator_type>, memory_in_operation<kept_type>,
                           memory_of_handler<kept_type, allocator_type>>;

public:
    /// Creates an operation, moves the handler into it, and counts the handler as work. The operation frees
    /// itself when it has run. The caller must push or start the operation exactly once.
    template <class... Arguments>
    static handler_op& make(core& in, Handler& handler, const IoExecutor& executor,
                            Arguments&&... arguments) {
        memory_type memory = memory_for(in, handler);
        auto* const made = ::new (memory.get())
            handler_op(in, handler, executor, memory.token(), std::forward<Arguments>(arguments)...);
        memory.release();
        in.handler_started();
        return *made;
    }

    /// Tells Asio's handler tracking, if it is enabled, that the I/O object at this address starts the
    /// operation.
    void track([[maybe_unused]] void* object, [[maybe_unused]] std::uintmax_t native_handle = 0) noexcept {
        BOOST_ASIO_HANDLER_CREATION(
            (core_.owner(), *this, Work::name.object_type, object, native_handle, Work::name.function));
    }

#if defined(LOOPBENCH_ASIO_HAS_IMMEDIATE_EXECUTORS)
    /// Calls the handler of an operation that has ended at its start, on the handler's immediate executor.
    /// The operation must not be in a queue. Afterwards, it does not exist.
    void complete_at_once(const IoExecutor& executor) {
        core_.handler_left();
        boost::asio::detail::immediate_handler_work<Handler, IoExecutor> work(std::move(kept().work));
        complete_with([&](auto& bound) { work.complete(bound, bound.handler_, &executor); });
    }
#endif

private:
    template <class... Arguments>
    handler_op(core& in, Handler& handler, const IoExecutor& executor,
               const typename memory_type::token_type& memory, Arguments&&... arguments)
        : Work(std::forward<Arguments>(arguments)...),
          core_(in),
          memory_(memory),
          memory_of_kept_(in, handler, executor) {
        this->complete = &run_or_discard;
    }

    kept_type& kept() noexcept {
        return memory_of_kept_.kept();
    }

    static memory_type memory_for([[maybe_unused]] core& in, Handler& handler) {
        if constexpr (uses_hooks<Handler>) {
            return memory_type(handler);
        } else {
            return memory_type(in, std::allocator<void>());
        }
    }

    // Destroys the operation and frees its memory after its handler has been moved, or at the end of the
    // scope if the move throws an exception.
    class ending {
    public:
        explicit ending(handler_op& over) noexcept : over_(&over), memory_(std::move(over.memory_)) {}
        ending& operator=(ending&&) = delete;
        ~ending() {
            if (over_ != nullptr) end(over_->kept().handler);
        }

        void end([[maybe_unused]] Handler& moved) noexcept {
            handler_op* const over = std::exchange(over_, nullptr);
            over->~handler_op();
            if constexpr (uses_hooks<Handler>) {
                memory_type::free(over, moved);
            } else {
                memory_type::free(over, memory_);
            }
        }

    private:
        handler_op* over_;
        [[no_unique_address]] const typename memory_type::token_type memory_;
    };

    // Moves the handler and its arguments out of the operation, frees the operation, and then calls
    // complete_bound(bound). Afterwards, the operation does not exist.
    template <class Complete>
    void complete_with(Complete complete_bound) {
        BOOST_ASIO_HANDLER_COMPLETION((*this));
        ending over(*this);
        auto bound = this->bind(kept().handler);
        over.end(bound.handler_);
        if constexpr (requires { bound.arg2_; }) {
            BOOST_ASIO_HANDLER_INVOCATION_BEGIN((bound.arg1_, tracked_result(bound.arg2_)));
        } else {
            BOOST_ASIO_HANDLER_INVOCATION_BEGIN((bound.arg1_));
        }
        complete_bound(bound);
        BOOST_ASIO_HANDLER_INVOCATION_END;
    }

    static void run_or_discard(operation* op, completion how) {
        auto* const self = static_cast<handler_op*>(op);
        self->fetch_later();
        core& in = self->core_;
        if (!self->is_over(in, how)) return;  // not due yet: the timer checks its clock again later
        auto work = std::move(self->kept().work);
        if (how == completion::discard) {
            BOOST_ASIO_HANDLER_COMPLETION((*self));
            ending over(*self);
            Handler handler(std::move(self->kept().handler));
            return over.end(handler);  // frees the memory before `handler` is destroyed
        }
        {
            const core::handler_scope running(in);
            self->complete_with([&](auto& bound) { work.complete(bound, bound.handler_); });
        }
        in.throw_kept_exception();
    }

    core& core_;
    [[no_unique_address]] typename memory_type::token_type memory_;
    memory_of_kept memory_of_kept_;
};

template <class Handler>
auto bind_result(Handler& handler, const error_code& ec) {
    return boost::asio::detail::binder1<Handler, error_code>(handler, ec);
}
template <class Handler, class Result>
auto bind_result(Handler& handler, const error_code& ec, const Result& result) {
    return boost::asio::detail::binder2<Handler, error_code, Result>(handler, ec, result);
}

#if __has_include(<boost/asio/associated_cancellation_slot.hpp>)
/// Returns the slot through which the handler's operation can be cancelled. Call this function before the
/// handler is moved. Then call install() before the operation is created, because install() can throw.
template <class Handler>
auto slot_of(const Handler& handler) noexcept {
    return boost::asio::get_associated_cancellation_slot(handler);
}

/// Constructs a canceller in the cancellation slot and returns a pointer to it. Returns null if the slot is
/// not connected.
template <class Canceller, class Slot, class... Arguments>
Canceller* install(Slot& slot, Arguments&&... arguments) {
    if (!slot.is_connected()) return nullptr;
    return &slot.template emplace<Canceller>(std::forward<Arguments>(arguments)...);
}
#else
struct no_slot {};
template <class Handler>
no_slot slot_of(const Handler&) noexcept {
    return {};
}
template <class Canceller, class... Arguments>
Canceller* install(no_slot, Arguments&&...) noexcept {
    return nullptr;
}
#endif

#if __has_include(<boost/asio/cancellation_type.hpp>)
inline bool is_for_us(boost::asio::cancellation_type_t type) noexcept {
    using boost::asio::cancellation_type;
    return (type & (cancellation_type::terminal | cancellation_type::partial | cancellation_type::total)) !=
           cancellation_type::none;
}
#endif

}  // namespace loopbench::asio::detail
