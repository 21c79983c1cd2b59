// Files: stream_file and random_access_file. Asio has them only with io_uring (BOOST_ASIO_HAS_IO_URING).
//
// On io_uring, the kernel carries out an asynchronous read or write, so the loop does not wait for a disk. On
// epoll, and on io_uring in runs that lend the kernel no buffers (poll(), run_for() and others), the loop
// makes the call itself when the operation starts, and waits for the disk, as do all threads that use the
// context. A file on which calls can wait for other events, such as a pipe or a terminal, is made
// non-blocking and watched; its reads and writes never block the loop.
#pragma once

#include <boost/asio/detail/config.hpp>

#if defined(BOOST_ASIO_HAS_FILE)
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/file_base.hpp>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "loop/io/fd.hpp"
#include "loopbench/asio/detail/descriptors.hpp"

namespace boost::asio::detail {
class io_uring_file_service;
}

namespace loopbench::asio::detail {

using boost::asio::file_base;

/// A read or a write of a file. `buffers` can own the memory, and `list` has the addresses.
template <class Buffer, class Buffers>
struct file_transfer : transfer_io {
    static constexpr bool is_read = std::is_same_v<Buffer, boost::asio::mutable_buffer>;
    static constexpr tracked_name name{"descriptor", is_read ? "async_read_some" : "async_write_some"};

    file_transfer(loop::io_kind what, const Buffers& between, std::uint64_t where)
        : buffers(between), list(buffers) {
        kind = what;
        detachable = true;
        data = reinterpret_cast<std::byte*>(list.buffers());
        size = list.count();
        position = where;
        zero_is_end = what == loop::io_kind::read_file;
    }

    Buffers buffers;
    native_buffers<Buffer, Buffers> list;
};

/// Returns true if calls on the file can wait for events. epoll refuses files without a poll function with
/// EPERM (epoll_ctl(2)), such as regular files on most file systems; calls on them wait for the device. Sets
/// `ec` if this cannot be found out.
inline bool has_events(int fd, error_code& ec) {
    const loop::unique_fd set(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event none{};
    const bool is_watched = set && ::epoll_ctl(set.get(), EPOLL_CTL_ADD, fd, &none) == 0;
    ec = is_watched || (set && errno == EPERM) ? error_code() : from_errno(errno);
    return is_watched;
}

/// The service of Asio's files. It replaces Asio's io_uring_file_service. The synchronous reads and writes at
/// the file's own position are those of descriptors.
class file_service : public descriptor_service {
public:
    struct implementation_type : descriptor_service::implementation_type {
        bool is_stream = false;
        bool is_ready = false;  // for asynchronous operations, see prepare()
    };

    using descriptor_service::descriptor_service;

    void construct(implementation_type& impl) { impl = {}; }
    void move_construct(implementation_type& impl, implementation_type& other) noexcept {
        impl = other;
        descriptor_service::move_construct(impl, other);
    }
    void move_assign(implementation_type& impl, file_service&, implementation_type& other) {
        destroy(impl);
        move_construct(impl, other);
    }

    error_code open(implementation_type& impl, const char* path, file_base::flags flags, error_code& ec) {
        if (is_open(impl)) return ec = boost::asio::error::already_open;
        loop::unique_fd fresh(descriptor_ops::open(path, static_cast<int>(flags), 0777, ec));
        if (ec || assign(impl, fresh.get(), ec)) return ec;
        fresh.release();
        // This is only a hint, so its errors are ignored, for example on a pipe.
        static_cast<void>(::posix_fadvise(impl.descriptor, 0, 0,
                                          impl.is_stream ? POSIX_FADV_SEQUENTIAL : POSIX_FADV_RANDOM));
        return ec;
    }
    error_code assign(implementation_type& impl, const native_handle_type& native, error_code& ec) {
        if (!descriptor_service::assign(impl, native, ec)) impl.is_ready = false;
        return ec;
    }
    void set_is_stream(implementation_type& impl, bool is_stream) { impl.is_stream = is_stream; }

    std::uint64_t size(const implementation_type& impl, error_code& ec) const {
        struct stat found {};
        return failed(::fstat(impl.descriptor, &found), ec) ? 0 : static_cast<std::uint64_t>(found.st_size);
    }
    error_code resize(implementation_type& impl, std::uint64_t bytes, error_code& ec) {
        return failed(::ftruncate(impl.descriptor, static_cast<off_t>(bytes)), ec), ec;
    }
    error_code sync_all(implementation_type& impl, error_code& ec) {
        return failed(::fsync(impl.descriptor), ec), ec;
    }
    error_code sync_data(implementation_type& impl, error_code& ec) {
        return failed(::fdatasync(impl.descriptor), ec), ec;
    }
    std::uint64_t seek(implementation_type& impl, std::int64_t offset, file_base::seek_basis from,
                       error_code& ec) {
        const off_t found = ::lseek(impl.descriptor, offset, from);
        return failed(found, ec) ? 0 : static_cast<std::uint64_t>(found);
    }

    template <class Buffers>
    std::size_t read_some_at(implementation_type& impl, std::uint64_t offset, const Buffers& buffers,
                             error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            return read_some(impl, buffers, ec);
        } else {
            native_buffers<boost::asio::mutable_buffer, Buffers> list(buffers);
            return descriptor_ops::sync_read_at(impl.descriptor, impl.state, offset, list.buffers(),
                                                list.count(), list.all_empty(), ec);
        }
    }
    template <class Buffers>
    std::size_t write_some_at(implementation_type& impl, std::uint64_t offset, const Buffers& buffers,
                              error_code& ec) {
        if constexpr (is_null_buffers<Buffers>) {
            return write_some(impl, buffers, ec);
        } else {
            native_buffers<boost::asio::const_buffer, Buffers> list(buffers);
            return descriptor_ops::sync_write_at(impl.descriptor, impl.state, offset, list.buffers(),
                                                 list.count(), list.all_empty(), ec);
        }
    }

    template <class Buffers, class Handler, class IoExecutor>
    void async_read_some(implementation_type& impl, const Buffers& buffers, Handler& handler,
                         const IoExecutor& executor) {
        read(impl, loop::current_position, {}, buffers, handler, executor);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_read_some_at(implementation_type& impl, std::uint64_t offset, const Buffers& buffers,
                            Handler& handler, const IoExecutor& executor) {
        read(impl, offset, error_of(offset), buffers, handler, executor);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_write_some(implementation_type& impl, const Buffers& buffers, Handler& handler,
                          const IoExecutor& executor) {
        write(impl, loop::current_position, {}, buffers, handler, executor);
    }
    template <class Buffers, class Handler, class IoExecutor>
    void async_write_some_at(implementation_type& impl, std::uint64_t offset, const Buffers& buffers,
                             Handler& handler, const IoExecutor& executor) {
        write(impl, offset, error_of(offset), buffers, handler, executor);
    }

private:
    /// Returns the error of the kernel for an offset that is too large. Without this check, the largest
    /// offset would mean the file's own position.
    static error_code error_of(std::uint64_t offset) noexcept {
        constexpr std::uint64_t offset_max = std::numeric_limits<off_t>::max();
        return offset > offset_max ? from_errno(EINVAL) : error_code();
    }

    /// Makes a file with events non-blocking, before its first asynchronous operation.
    error_code prepare(implementation_type& impl) {
        error_code ec;
        if (impl.is_ready) return ec;
        if (has_events(impl.descriptor, ec)) ec = ready(impl);
        impl.is_ready = !ec;
        return ec;
    }

    template <class Buffers, class Handler, class IoExecutor>
    void read(implementation_type& impl, std::uint64_t position, const error_code& ec, const Buffers& buffers,
              Handler& handler, const IoExecutor& executor) {
        if constexpr (is_null_buffers<Buffers>) {
            descriptor_service::async_read_some(impl, buffers, handler, executor);
        } else {
            start<boost::asio::mutable_buffer>(impl, loop::io_kind::read_file, position, ec, buffers, handler,
                                               executor);
        }
    }
    template <class Buffers, class Handler, class IoExecutor>
    void write(implementation_type& impl, std::uint64_t position, const error_code& ec,
               const Buffers& buffers, Handler& handler, const IoExecutor& executor) {
        if constexpr (is_null_buffers<Buffers>) {
            descriptor_service::async_write_some(impl, buffers, handler, executor);
        } else {
            start<boost::asio::const_buffer>(impl, loop::io_kind::write_file, position, ec, buffers, handler,
                                             executor);
        }
    }

    template <class Buffer, class Buffers, class Handler, class IoExecutor>
    void start(implementation_type& impl, loop::io_kind kind, std::uint64_t position, error_code ec,
               const Buffers& buffers, Handler& handler, const IoExecutor& executor) {
        const bool has_nothing_to_do = !ec && native_buffers<Buffer, Buffers>::all_empty(buffers);
        if (!ec && !has_nothing_to_do) ec = prepare(impl);
        start_io<file_transfer<Buffer, Buffers>>({*core_, &impl}, impl.descriptor,
                                                 has_nothing_to_do || ec.failed(), ec, handler, executor,
                                                 kind, buffers, position);
    }
};

}  // namespace loopbench::asio::detail
#endif
