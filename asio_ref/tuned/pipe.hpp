// Pipes over Asio's operations, awaited directly. A stream_descriptor and not Asio's own pipes, because those have no
// non-blocking mode, which the tried write needs.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

#include "asio_ref/tuned/stream.hpp"
#include "loop/net/socket_calls.hpp"
#include "loop/system_error.hpp"
#include "loop/unique_fd.hpp"

namespace loopbench::asio_ref::tuned {

/// One end. It must not be moved while an operation on it is pending.
class pipe_end {
public:
    using descriptor = boost::asio::posix::basic_stream_descriptor<scheduler::executor>;

    /// Throws std::system_error.
    pipe_end(scheduler& owner, loop::unique_fd end) : owner_(&owner), end_(owner.get_executor()) {
        boost::system::error_code error;
        end_.assign(end.get(), error);
        throw_if_failed(error, "watch a pipe");
        static_cast<void>(end.release());
        end_.non_blocking(true, error);
        throw_if_failed(error, "set a pipe to non-blocking");
    }

    read_awaiter<descriptor> read_some(std::span<std::byte> in) noexcept { return {*owner_, end_, in}; }
    write_awaiter<descriptor> write_all(std::span<const std::byte> out) noexcept {
        return {*owner_, end_, out};
    }
    void close() {
        boost::system::error_code ignored;
        end_.close(ignored);
    }

private:
    scheduler* owner_;
    descriptor end_;
};

struct pipe_ends {
    pipe_end reader;
    pipe_end writer;
};

/// A new pipe. Throws std::system_error. SIGPIPE is ignored from here on in the whole process.
inline pipe_ends open_pipe(scheduler& owner) {
    loop::ignore_sigpipe();
    std::array<int, 2> fds{};
    loop::checked(::pipe2(fds.data(), O_NONBLOCK | O_CLOEXEC), "pipe2");
    loop::unique_fd reader(fds[0]);
    loop::unique_fd writer(fds[1]);
    pipe_end reading(owner, std::move(reader));
    return {std::move(reading), pipe_end(owner, std::move(writer))};
}

}  // namespace loopbench::asio_ref::tuned
