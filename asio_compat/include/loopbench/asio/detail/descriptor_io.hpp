// The common part of sockets and other descriptors: the types of asynchronous operations, and the function
// that starts an operation.
#pragma once

#include <poll.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/detail/buffer_sequence_adapter.hpp>
#include <boost/asio/socket_base.hpp>
#include <cstdint>
#include <type_traits>

#include "loopbench/asio/detail/handler.hpp"
#include "loopbench/asio/detail/io_context.hpp"

namespace loopbench::asio::detail {

// Recent versions of Boost deprecate null_buffers, but programs can still pass it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Buffers>
inline constexpr bool is_null_buffers = std::is_same_v<Buffers, boost::asio::null_buffers>;
#pragma GCC diagnostic pop

/// A sequence of buffers in the form that the system calls require.
template <class Buffer, class Buffers>
using native_buffers = boost::asio::detail::buffer_sequence_adapter<Buffer, Buffers>;

/// The object in a handler's cancellation slot that cancels the handler's operation. The object's address is
/// the key of the operation. A call after the operation has ended cancels nothing, because no other operation
/// has this key.
class io_canceller {
public:
    io_canceller(core& in, int fd) noexcept : core_(in), fd_(fd) {}
#if __has_include(<boost/asio/cancellation_type.hpp>)
    void operator()(boost::asio::cancellation_type_t type) noexcept {
        if (is_for_us(type)) core_.cancel_by_key(fd_, this);
    }
#endif

private:
    core& core_;
    int fd_;
};

/// An operation whose only result is an error code, such as a wait or a connect.
struct plain_io : io_op {
    /// True if Asio tries the operation when it starts, so that it can end immediately without an error.
    static constexpr bool is_tried_at_start = false;

    template <class Handler>
    auto bind(Handler& handler) {
        settle(/*zero_is_end=*/false);
        return bind_result(handler, ec);
    }
    static bool is_over(core&, completion) noexcept { return true; }
};

/// An operation whose results are an error code and a number of bytes.
struct transfer_io : io_op {
    static constexpr bool is_tried_at_start = true;

    template <class Handler>
    auto bind(Handler& handler) {
        settle(zero_is_end);
        return bind_result(handler, ec, bytes);
    }
    static bool is_over(core&, completion) noexcept { return true; }

    bool zero_is_end = false;
};

/// Turns the operation into a wait until the descriptor is readable (if `for_input` is true) or writable. A
/// transfer with null_buffers is such a wait, too.
template <class Op>
void become_wait(Op& op, bool for_input) noexcept {
    op.kind = for_input ? loop::io_kind::readable : loop::io_kind::writable;
}
template <class Op>
void become_wait_for_error(Op& op) noexcept {
    op.kind = loop::io_kind::urgent_call;
    op.call = [](loop::io_operation& asked) noexcept {
        pollfd state{asked.fd, POLLPRI, 0};
        asked.result = ::poll(&state, 1, 0) > 0 ? 0 : -EAGAIN;
        return asked.result == 0;
    };
}

/// Calls try_now() of an operation of type `Work`, which derives from io_op. The loop calls this function
/// through the operation's pointer `call`. If Work::try_now() returns true, the operation is done, and
/// try_now() has set `ec` and `bytes`.
template <class Work>
bool call_try_now(loop::io_operation& op) noexcept {
    const bool is_done = static_cast<Work&>(op).try_now();
    op.result = is_done ? 0 : -EAGAIN;
    return is_done;
}
template <class Work>
void become_call(Work& op, loop::io_kind kind) noexcept {
    op.kind = kind;
    op.call = &call_try_now<Work>;
}

/// True if an immediate executor is associated with the handler (bind_immediate_executor()). Asio's own
/// sockets make the same check.
#if defined(LOOPBENCH_ASIO_HAS_IMMEDIATE_EXECUTORS)
template <class Handler, class IoExecutor>
inline constexpr bool has_immediate_executor = !requires {
    typename boost::asio::associated_immediate_executor<
        Handler, IoExecutor>::asio_associated_immediate_executor_is_unspecialised;
};
#else
template <class Handler, class IoExecutor>
inline constexpr bool has_immediate_executor = false;
#endif

/// The context on which an operation is started, and the address of the I/O object, which only Asio's handler
/// tracking uses.
struct io_origin {
    io_origin(core& of, void* starter = nullptr) noexcept : in(of), object(starter) {}

    core& in;
    void* object;
};

/// Starts an operation on a non-blocking descriptor. If `is_done` is true, does not use the driver: the
/// operation completes with `ec` and zero bytes. An operation that ends immediately completes on the
/// handler's immediate executor, or without one, through the ready queue.
template <class Work, class Handler, class IoExecutor, class... Arguments>
void start_io(io_origin from, int fd, bool is_done, const error_code& ec, Handler& handler,
              const IoExecutor& executor, Arguments&&... arguments) {
    core& in = from.in;
    auto slot = slot_of(handler);
    const void* const key = is_done ? nullptr : install<io_canceller>(slot, in, fd);
    auto& op = handler_op<Work, Handler, IoExecutor>::make(in, handler, executor,
                                                           std::forward<Arguments>(arguments)...);
    op.track(from.object, static_cast<std::uintmax_t>(fd));
    op.fd = fd;
    if (is_done) {
        op.ec = ec;
        op.is_settled = true;
    }
    op.cancellation_key = key;
    op.polls_first = key != nullptr;
    if constexpr (has_immediate_executor<Handler, IoExecutor>) {
        if (is_done) return op.complete_at_once(executor);
        if constexpr (Work::is_tried_at_start) {
            if (in.start_unless_ended(op)) op.complete_at_once(executor);
            return;
        }
    }
    is_done ? in.push(op) : in.start(op);
}

}  // namespace loopbench::asio::detail
