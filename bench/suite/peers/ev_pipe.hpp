#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "bench/suite/peers/ev_socket.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::peers {

class ev_pipe_reader {
public:
    ev_pipe_reader(library_loop& owner, std::unique_ptr<ev_socket> end) noexcept
        : owner_(&owner), end_(std::move(end)) {}

    ev_read_awaiter read_some(std::span<std::byte> in) noexcept { return {*owner_, end_.get(), in}; }
    void close() noexcept { end_.reset(); }

private:
    library_loop* owner_;
    std::unique_ptr<ev_socket> end_;
};

class ev_pipe_writer {
public:
    ev_pipe_writer(library_loop& owner, std::unique_ptr<ev_socket> end) noexcept
        : owner_(&owner), end_(std::move(end)) {}

    ev_write_awaiter write_all(std::span<const std::byte> out) noexcept { return {*owner_, end_.get(), out}; }
    void close() noexcept { end_.reset(); }

private:
    library_loop* owner_;
    std::unique_ptr<ev_socket> end_;
};

struct ev_pipe_ends {
    ev_pipe_reader reader;
    ev_pipe_writer writer;
};

/// Opens a pipe. Throws std::system_error. After the first call, the whole process ignores SIGPIPE, because
/// write(2) has no flag to suppress it.
inline ev_pipe_ends open_pipe(library_loop& owner, event_base* base) {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> fds{};
    loop::checked(::pipe2(fds.data(), O_NONBLOCK | O_CLOEXEC), "pipe2");
    auto reader = std::make_unique<ev_socket>(base, loop::unique_fd(fds[0]), ev_kind::pipe);
    auto writer = std::make_unique<ev_socket>(base, loop::unique_fd(fds[1]), ev_kind::pipe);
    return {{owner, std::move(reader)}, {owner, std::move(writer)}};
}

}  // namespace loopbench::bench::peers
