#include "loop/net/pipe.hpp"

#include <fcntl.h>

namespace loopbench::loop {

pipe_ends event_loop::open_pipe() {
    int ends[2];
    checked(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), "pipe2");
    return {{*this, unique_fd(ends[0])}, {*this, unique_fd(ends[1])}};
}

task<io_result> standard_input::read_some(std::span<std::byte> buffer) {
    const std::int64_t ready = co_await io_awaiter(io_, io_kind::readable, fd_);
    if (ready < 0) co_return io_result::of(ready);
    std::int64_t count;
    do count = ::read(fd_, buffer.data(), buffer.size());
    while (count < 0 && errno == EINTR);
    co_return io_result::of(count < 0 ? -errno : count);
}

}  // namespace loopbench::loop
