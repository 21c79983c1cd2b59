// Pipes, terminals and standard input.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <utility>

#include "loop/net/io_awaiter.hpp"
#include "loop/net/stream.hpp"
#include "loop/system_error.hpp"

namespace loopbench::loop {

/// One end of a pipe, or anything else that is read and written as a file and may make its reader wait.
template <class Loop>
class basic_pipe_end : public descriptor<Loop> {
public:
    using descriptor<Loop>::descriptor;

    /// Awaitable, gives an io_result; 0 bytes is the end: every writer has closed.
    auto read_some(std::span<std::byte> buffer) noexcept {
        return read_awaiter<Loop>(this->loop(), io_kind::read, this->native_handle(), buffer);
    }

    /// Awaitable, gives an io_result. When nobody reads any more the error is EPIPE; the signal is the
    /// caller's affair, since write(2) has no flag against it: ignore_sigpipe().
    auto write_all(std::span<const std::byte> bytes) noexcept {
        return write_all_awaiter<Loop>(this->loop(), io_kind::write, this->native_handle(), bytes);
    }
};

template <class Loop>
struct pipe_ends {
    basic_pipe_end<Loop> reader;
    basic_pipe_end<Loop> writer;
};

/// A new pipe. Throws std::system_error. SIGPIPE is ignored from here on in the whole process.
template <class Loop>
pipe_ends<Loop> open_pipe(Loop& loop) {
    ignore_sigpipe();
    int ends[2];
    checked(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), "pipe2");
    return {{loop, unique_fd(ends[0])}, {loop, unique_fd(ends[1])}};
}

/// Standard input as a stream of bytes. The descriptor is left blocking, since its flags are shared with the
/// shell: each read waits until there is something and then takes it. A regular file is always ready, and no
/// poller will watch one, so it is read without waiting.
template <class Loop>
class standard_input {
public:
    /// `fd` is not closed.
    explicit standard_input(Loop& loop, int fd = STDIN_FILENO) noexcept : loop_(loop), fd_(fd) {}
    standard_input(const standard_input&) = delete;
    standard_input& operator=(const standard_input&) = delete;
    ~standard_input() { loop_.driver().release(fd_); }

    /// Awaitable, gives an io_result; 0 bytes is the end of the input.
    task<io_result> read_some(std::span<std::byte> buffer) {
        const std::int64_t ready = co_await io_awaiter<Loop>(loop_, io_kind::readable, fd_);
        if (ready < 0) co_return io_result{.bytes = 0, .error = static_cast<int>(-ready)};
        io_operation reading;
        reading.kind = io_kind::read;
        reading.fd = fd_;
        reading.data = buffer.data();
        reading.size = buffer.size();
        const std::int64_t result = attempt(reading);
        if (result < 0) co_return io_result{.bytes = 0, .error = static_cast<int>(-result)};
        co_return io_result{.bytes = static_cast<std::size_t>(result), .error = 0};
    }

private:
    Loop& loop_;
    int fd_;
};

}  // namespace loopbench::loop
