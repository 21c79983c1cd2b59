#include "bench/suite/peers/uv_pipe.hpp"

#include <sys/socket.h>

#include <array>

#include "loop/io/fd.hpp"

namespace loopbench::bench::peers {

namespace {

uv_socket_owner adopt(uv_loop_t& loop, loop::unique_fd fd) {
    uv_socket_owner end(uv_socket::open(loop, AF_UNIX));
    uv_checked(uv_pipe_open(&end.get()->of.pipe, fd.get()), "uv_pipe_open");
    static_cast<void>(fd.release());
    return end;
}

}  // namespace

uv_pipe_ends open_pipe(library_loop& owner, uv_loop_t& loop) {
    std::array<uv_file, 2> fds{};
    uv_checked(uv_pipe(fds.data(), UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE), "uv_pipe");
    loop::unique_fd reader(fds[0]);
    loop::unique_fd writer(fds[1]);
    uv_socket_owner reading = adopt(loop, std::move(reader));
    return {{owner, std::move(reading)}, {owner, adopt(loop, std::move(writer))}};
}

}  // namespace loopbench::bench::peers
