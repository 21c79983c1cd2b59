#pragma once

#include <boost/asio/basic_readable_pipe.hpp>
#include <boost/asio/basic_writable_pipe.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <span>
#include <utility>

#include "asio_ref/socket.hpp"
#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

using readable_pipe = boost::asio::basic_readable_pipe<executor>;
using writable_pipe = boost::asio::basic_writable_pipe<executor>;

/// Returns both ends of a new pipe. Throws std::system_error. After the first call, the whole process ignores
/// SIGPIPE, because write(2) has no flag that prevents this signal.
inline std::pair<readable_pipe, writable_pipe> make_pipe(const executor& loop) {
    std::signal(SIGPIPE, SIG_IGN);
    std::pair<readable_pipe, writable_pipe> ends(loop, loop);
    boost::system::error_code error;
    boost::asio::connect_pipe(ends.first, ends.second, error);
    throw_if_failed(error, "cannot open a pipe");
    return ends;
}

/// An end of a pipe. It must not be moved while an operation on it is pending.
template <class Pipe>
class pipe_end {
public:
    explicit pipe_end(Pipe connected) : pipe_(std::move(connected)) {}

    void close() { close_quietly(pipe_); }

protected:
    Pipe pipe_;
};

class pipe_reader : public pipe_end<readable_pipe> {
public:
    using pipe_end::pipe_end;

    task<io_result> read_some(std::span<std::byte> in) {
        const auto [error, bytes] =
            co_await pipe_.async_read_some(boost::asio::buffer(in.data(), in.size()), error_as_value);
        co_return to_io_result(error, bytes);
    }
};

class pipe_writer : public pipe_end<writable_pipe> {
public:
    using pipe_end::pipe_end;

    task<io_result> write_all(std::span<const std::byte> out) {
        const auto [error, bytes] = co_await boost::asio::async_write(
            pipe_, boost::asio::buffer(out.data(), out.size()), error_as_value);
        if (error == boost::asio::error::bad_descriptor) co_return io_result{bytes, ECANCELED};
        co_return to_io_result(error, bytes);
    }
};

struct pipe_ends {
    pipe_reader reader;
    pipe_writer writer;
};

inline pipe_ends open_pipe(const executor& loop) {
    auto [reader, writer] = make_pipe(loop);
    return {pipe_reader(std::move(reader)), pipe_writer(std::move(writer))};
}

}  // namespace loopbench::asio_ref
