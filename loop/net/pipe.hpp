// Pipes, terminals and standard input.
#pragma once

#include <unistd.h>

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// One end of a pipe, or anything else that is read and written as a file and might block its reader. SIGPIPE
/// is blocked in the loop's thread while the loop runs (event_loop::block_sigpipe()). A write to a pipe
/// without a reader gives EPIPE.
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

/// Standard input as a stream of bytes. The descriptor stays blocking, because its flags are shared with the
/// shell: each read waits until the descriptor is readable, and then reads. A regular file is always ready,
/// and no driver watches one, so it is read without waiting.
class standard_input {
public:
    /// Does not close `fd`.
    explicit standard_input(event_loop& loop, int fd = STDIN_FILENO) noexcept : io_(loop.io()), fd_(fd) {}
    standard_input& operator=(standard_input&&) = delete;
    ~standard_input() { io_.unwatch(fd_); }

    /// Awaitable, gives an io_result; 0 bytes mean the end of the input.
    task<io_result> read_some(std::span<std::byte> buffer);

private:
    driver& io_;
    int fd_;
};

}  // namespace loopbench::loop
