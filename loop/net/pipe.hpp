// Pipes, terminals and standard input.
#pragma once

#include <unistd.h>

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// One end of a pipe, or another non-blocking descriptor for read(2) and write(2), such as a terminal.
/// SIGPIPE is blocked in the loop's thread while the loop runs (event_loop::block_sigpipe()). A write to a
/// pipe without a reader returns EPIPE.
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
/// with the shell. Therefore each read first waits until the descriptor is readable. If standard input is a
/// regular file, a read does not wait, because regular files are always readable.
class standard_input {
public:
    /// Creates a reader for `fd`. The caller still owns `fd`; the destructor does not close it.
    explicit standard_input(event_loop& loop, int fd = STDIN_FILENO) noexcept : io_(loop.io()), fd_(fd) {}
    standard_input& operator=(standard_input&&) = delete;
    ~standard_input() { io_.unwatch(fd_); }

    /// Reads at least one byte. The await returns an io_result; a result of 0 bytes means the end of the
    /// input.
    task<io_result> read_some(std::span<std::byte> buffer);

private:
    driver& io_;
    int fd_;
};

}  // namespace loopbench::loop
