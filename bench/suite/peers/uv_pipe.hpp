#pragma once

#include <uv.h>

#include <cstddef>
#include <span>
#include <utility>

#include "bench/suite/peers/uv_stream.hpp"

namespace loopbench::bench::peers {

class uv_pipe_reader {
public:
    uv_pipe_reader(library_loop& owner, uv_socket_owner end) noexcept
        : owner_(&owner), end_(std::move(end)) {}

    uv_read_awaiter read_some(std::span<std::byte> in) noexcept { return {*owner_, end_.get(), in}; }
    void close() noexcept { end_.reset(); }

private:
    library_loop* owner_;
    uv_socket_owner end_;
};

class uv_pipe_writer {
public:
    uv_pipe_writer(library_loop& owner, uv_socket_owner end) noexcept
        : owner_(&owner), end_(std::move(end)) {}

    uv_write_awaiter write_all(std::span<const std::byte> out) noexcept { return {*owner_, end_.get(), out}; }
    void close() noexcept { end_.reset(); }

private:
    library_loop* owner_;
    uv_socket_owner end_;
};

struct uv_pipe_ends {
    uv_pipe_reader reader;
    uv_pipe_writer writer;
};

/// Opens a pipe. Throws std::system_error.
uv_pipe_ends open_pipe(library_loop& owner, uv_loop_t& loop);

}  // namespace loopbench::bench::peers
