// Pipes, terminals and standard input.
#pragma once

#include <unistd.h>

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// One end of a pipe, or anything else that is read and written as a file and may make its reader wait.
/// SIGPIPE is blocked in the loop's thread while the loop runs (event_loop::block_sigpipe()); a write to what
/// nobody reads any more gives EPIPE.
class pipe_end : public byte_stream<io_kind::read, io_kind::write> {
public:
    pipe_end() = default;
    pipe_end(event_loop& loop, unique_fd fd) noexcept : byte_stream(loop, std::move(fd)) {
        loop.block_sigpipe();
    }
};

struct pipe_ends {
    pipe_end reader;
    pipe_end writer;
};

/// Standard input as a stream of bytes. The descriptor is left blocking, since its flags are shared with the
/// shell: each read waits until there is something and then takes it. A regular file is always ready, and no
/// driver will watch one, so it is read without waiting.
class standard_input {
public:
    /// `fd` is not closed.
    explicit standard_input(event_loop& loop, int fd = STDIN_FILENO) noexcept : io_(loop.io()), fd_(fd) {}
    standard_input& operator=(standard_input&&) = delete;
    ~standard_input() { io_.unwatch(fd_); }

    /// Awaitable, gives an io_result; 0 bytes is the end of the input.
    task<io_result> read_some(std::span<std::byte> buffer);

private:
    driver& io_;
    int fd_;
};

}  // namespace loopbench::loop
