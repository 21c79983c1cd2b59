#include "loop/net/pipe.hpp"

#include <fcntl.h>

#include "loop/io/fd.hpp"

namespace loopbench::loop {

pipe_ends event_loop::open_pipe() {
    int ends[2];
    checked(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), "pipe2");
    return {{*this, unique_fd(ends[0])}, {*this, unique_fd(ends[1])}};
}

task<io_result> standard_input::read_some(std::span<std::byte> buffer) {
    const std::int64_t ready = co_await io_awaiter(io_, io_kind::readable, fd_);
    if (ready < 0) co_return io_result{.bytes = 0, .error = static_cast<int>(-ready)};
    io_operation reading{};
    reading.kind = io_kind::read;
    reading.fd = fd_;
    reading.data = buffer.data();
    reading.size = buffer.size();
    attempt(reading);
    if (reading.result < 0) co_return io_result{.bytes = 0, .error = static_cast<int>(-reading.result)};
    co_return io_result{.bytes = static_cast<std::size_t>(reading.result), .error = 0};
}

}  // namespace loopbench::loop
