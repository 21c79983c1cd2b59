// POSIX descriptors and pipes. Asio's functions (descriptor_ops) make the system calls. The loop decides when
// they are made.
#pragma once

#include <fcntl.h>

#include <boost/asio/detail/descriptor_ops.hpp>
#include <boost/asio/posix/descriptor_base.hpp>
#include <cerrno>
#include <cstdint>

#include "loopbench/asio/detail/descriptor_io.hpp"

namespace boost::asio::detail {
class reactive_descriptor_service;
}

namespace loopbench::asio::detail {

namespace descriptor_ops = boost::asio::detail::descriptor_ops;
using boost::asio::posix::descriptor_base;

template <class Buffers>
struct read_work : transfer_io {
    static constexpr tracked_name name{"descriptor", "async_read_some"};
    static constexpr bool is_tried_at_start = !is_null_buffers<Buffers>;

    explicit read_work(const Buffers& to) : buffers(to) {
        if constexpr (is_null_buffers<Buffers>) {
            become_wait(*this, /*for_input=*/true);
        } else {
            become_call(*this, loop::io_kind::input_call);
        }
    }

    bool try_now() noexcept {
        native_buffers<boost::asio::mutable_buffer, Buffers> list(buffers);
        return descriptor_ops::non_blocking_read(fd, list.buffers(), list.count(), ec, bytes);
    }

    Buffers buffers;
};

template <class Buffers>
struct write_work : transfer_io {
    static constexpr tracked_name name{"descriptor", "async_write_some"};
    static constexpr bool is_tried_at_start = !is_null_buffers<Buffers>;

    explicit write_work(const Buffers& from) : buffers(from) {
        if constexpr (is_null_buffers<Buffers>) {
            become_wait(*this, /*for_input=*/false);
        } else {
            become_call(*this, loop::io_kind::output_call);
        }
    }

    bool try_now() noexcept {
        native_buffers<boost::asio::const_buffer, Buffers> list(buffers);
        return descriptor_ops::non_blocking_write(fd, list.buffers(), list.count(), ec, bytes);
    }

    Buffers buffers;
};

struct descriptor_wait : plain_io {
    static constexpr tracked_name name{"descriptor", "async_wait"};

    explicit descriptor_wait(descriptor_base::wait_type what) noexcept {
        what == descriptor_base::wait_error ? become_wait_for_error(*this)
                                            : become_wait(*this, what == descriptor_base::wait_read);
    }
};

/// The service of Asio's descriptors and pipe ends. It replaces Asio's reactive_descriptor_service.
class descriptor_service {
public:
    using native_handle_type = int;

    struct implementation_type {
        int descriptor = -1;
        descriptor_ops::state_type state = 0;
    };

    explicit descriptor_service(io_context& context) noexcept : core_(&core_of(context)) {}

    void construct(implementation_type& impl) { impl = {}; }
    void destroy(implementation_type& impl) {
        error_code ignored;
        close(impl, ignored);
    }
    void move_construct(implementation_type& impl, implementation_type& other) noexcept {
        impl = std::exchange(other, {});
    }
    void move_assign(implementation_type& impl, descriptor_service&, implementation_type& other) {
        destroy(impl);
        move_construct(impl, other);
    }

    error_code assign(implementation_type& impl, const native_handle_type& native, error_code& ec) {
        if (is_open(impl)) return ec = boost::asio::error::already_open;
        if (::fcntl(native, F_GETFD) == -1) return ec = from_errno(errno);
        impl = {native, descriptor_ops::possible_dup};
        return ec = {};
    }
    bool is_open(const implementation_type& impl) const { return impl.descriptor != -1; }
    native_handle_type native_handle(const implementation_type& impl) const { return impl.descriptor; }
    error_code close(implementation_type& impl, error_code& ec) {
        ec = {};
        if (!is_open(impl)) return ec;
        BOOST_ASIO_HANDLER_OPERATION((core_->owner(), "descriptor", &impl, impl.descriptor, "close"));
        const auto close_descriptor = [state = impl.state](int fd, error_code& failure) mutable {
            descriptor_ops::close(fd, state, failure);
        };
        core_->close(impl.descriptor, (impl.state & descriptor_ops::possible_dup) != 0, ec, close_descriptor);
        impl = {};
        return ec;
    }
    native_handle_type release(implementation_type& impl) {
        if (is_open(impl)) {
            BOOST_ASIO_HANDLER_OPERATION((core_->owner(), "descriptor", &impl, impl.descriptor, "release"));
            core_->release(impl.descriptor);
        }
        return std::exchange(impl, {}).descriptor;
    }
    native_handle_type release(implementation_type& impl, error_code& ec) {
        ec = {};
        return release(impl);
    }
    error_code cancel(implementation_type& impl, error_code& ec) {
        if (!is_open(impl)) return ec = boost::asio::error::bad_descriptor;
        BOOST_ASIO_HANDLER_OPERATION((core_->owner(), "descriptor", &impl, impl.descriptor, "cancel"));
        core_->cancel(impl.descriptor);
        return ec = {};
    }

    template <class Command>
    error_code io_control(implementation_type& impl, Command& command, error_code& ec) {
        descriptor_ops::ioctl(impl.descriptor, impl.state, command.name(),
                              static_cast<boost::asio::detail::ioctl_arg_type*>(command.data()), ec);
        return ec;
    }
    bool non_blocking(const implementation_type& impl) const {
        return (impl.state & descriptor_ops::user_set_non_blocking) != 0;
    }
    error_code non_blocking(implementation_type& impl, bool mode, error_code& ec) {
        descriptor_ops::set_user_non_blocking(impl.descriptor, impl.state, mode, ec);
        return ec;
    }
    bool native_non_blocking(const implementation_type& impl) const {
        return (impl.state & descriptor_ops::internal_non_blocking) != 0;
    }
    error_code native_non_blocking(implementation_type& impl, bool mode, error_code& ec) {
        descriptor_ops::set_internal_non_blocking(impl.descriptor, impl.state, mode, ec);
        return ec;
    }

    error_code wait(implementation_type& impl, descriptor_base::wait_type what, error_code& ec) {
        switch (what) {
            case descriptor_base::wait_read:
                descriptor_ops::poll_read(impl.descriptor, impl.state, ec);
                break;
            case descriptor_base::wait_write:
                descriptor_ops::poll_write(impl.descriptor, impl.state, ec);
                break;
            case descriptor_base::wait_error:
                descriptor_ops::poll_error(impl.descriptor, impl.state, ec);
                break;
            default:
                ec = boost::asio::error::invalid_argument;
        }
        return ec;
    }
    template <class Buffers>
    std::size_t write_some(implementation_type& impl, const Buffers& buffers, error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            return wait(impl, descriptor_base::wait_write, ec), 0;
        } else {
            native_buffers<boost::asio::const_buffer, Buffers> list(buffers);
            return descriptor_ops::sync_write(impl.descriptor, impl.state, list.buffers(), list.count(),
                                              list.all_empty(), ec);
        }
    }
    template <class Buffers>
    std::size_t read_some(implementation_type& impl, const Buffers& buffers, error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            return wait(impl, descriptor_base::wait_read, ec), 0;
        } else {
            native_buffers<boost::asio::mutable_buffer, Buffers> list(buffers);
            return descriptor_ops::sync_read(impl.descriptor, impl.state, list.buffers(), list.count(),
                                             list.all_empty(), ec);
        }
    }

    template <class Handler, class IoExecutor>
    void async_wait(implementation_type& impl, descriptor_base::wait_type what, Handler& handler,
                    const IoExecutor& executor) {
        error_code ec = ready(impl);
        const bool is_known = what == descriptor_base::wait_read || what == descriptor_base::wait_write ||
                              what == descriptor_base::wait_error;
        if (!is_known) ec = boost::asio::error::invalid_argument;
        start_io<descriptor_wait>({*core_, &impl}, impl.descriptor, ec.failed(), ec, handler, executor, what);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_write_some(implementation_type& impl, const Buffers& buffers, Handler& handler,
                          const IoExecutor& executor) {
        transfer<write_work<Buffers>, boost::asio::const_buffer>(impl, buffers, handler, executor);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_read_some(implementation_type& impl, const Buffers& buffers, Handler& handler,
                         const IoExecutor& executor) {
        transfer<read_work<Buffers>, boost::asio::mutable_buffer>(impl, buffers, handler, executor);
    }

protected:
    /// Sets `ec` to the error of a system call. Returns true if there is one.
    static bool failed(std::int64_t result, error_code& ec) {
        descriptor_ops::get_last_error(ec, result < 0);
        return ec.failed();
    }

    /// Makes the descriptor non-blocking. Returns the error code of this change.
    error_code ready(implementation_type& impl) {
        error_code ec;
        if ((impl.state & descriptor_ops::non_blocking) == 0)
            descriptor_ops::set_internal_non_blocking(impl.descriptor, impl.state, true, ec);
        return ec;
    }

    core* core_;

private:
    template <class Work, class Buffer, class Buffers, class Handler, class IoExecutor>
    void transfer(implementation_type& impl, const Buffers& buffers, Handler& handler,
                  const IoExecutor& executor) {
        bool has_nothing_to_do = false;
        if constexpr (!is_null_buffers<Buffers>)
            has_nothing_to_do = native_buffers<Buffer, Buffers>::all_empty(buffers);
        const error_code ec = has_nothing_to_do ? error_code() : ready(impl);
        start_io<Work>({*core_, &impl}, impl.descriptor, has_nothing_to_do || ec.failed(), ec, handler,
                       executor, buffers);
    }
};

}  // namespace loopbench::asio::detail
