#pragma once

#include <unistd.h>

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// One end of a pipe, or another non-blocking descriptor for read(2) and write(2). SIGPIPE is blocked in the
/// loop's thread while the loop runs (event_loop::block_sigpipe()); a write to a pipe without a reader
/// returns EPIPE.
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

/// Standard input as a stream of bytes. The descriptor stays in blocking mode, because its flags are shared
/// with the shell; therefore each read first waits until the descriptor is readable. A read of a regular file
/// does not wait.
class standard_input {
public:
    /// Creates a stream on `fd`, which the caller still owns.
    explicit standard_input(event_loop& loop, int fd = STDIN_FILENO) noexcept : io_(loop.io()), fd_(fd) {}
    standard_input& operator=(standard_input&&) = delete;
    ~standard_input() { io_.unwatch(fd_); }

    task<io_result> read_some(std::span<std::byte> buffer);

private:
    driver& io_;
    int fd_;
};

}  // namespace loopbench::loop
