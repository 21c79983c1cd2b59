// Pipes over Asio, with the meaning that bench/runtime.hpp gives to them.
#pragma once

#include <boost/asio/basic_readable_pipe.hpp>
#include <boost/asio/basic_writable_pipe.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <cstddef>
#include <span>
#include <utility>

#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

/// It must not be moved while a read is pending.
class pipe_reader {
public:
    using pipe = boost::asio::basic_readable_pipe<executor>;

    explicit pipe_reader(pipe connected) : pipe_(std::move(connected)) {}

    task<io_result> read_some(std::span<std::byte> in) {
        const auto [error, bytes] =
            co_await pipe_.async_read_some(boost::asio::buffer(in.data(), in.size()), error_as_value);
        co_return to_io_result(error, bytes);
    }

    void close() {
        boost::system::error_code ignored;
        pipe_.close(ignored);
    }

private:
    pipe pipe_;
};

/// It must not be moved while a write is pending.
class pipe_writer {
public:
    using pipe = boost::asio::basic_writable_pipe<executor>;

    explicit pipe_writer(pipe connected) : pipe_(std::move(connected)) {}

    task<io_result> write_all(std::span<const std::byte> out) {
        const auto [error, bytes] = co_await boost::asio::async_write(
            pipe_, boost::asio::buffer(out.data(), out.size()), error_as_value);
        if (error == boost::asio::error::bad_descriptor) co_return io_result{bytes, ECANCELED};
        co_return to_io_result(error, bytes);
    }

    void close() {
        boost::system::error_code ignored;
        pipe_.close(ignored);
    }

private:
    pipe pipe_;
};

struct pipe_ends {
    pipe_reader reader;
    pipe_writer writer;
};

/// A new pipe. Throws std::system_error. SIGPIPE is ignored from here on in the whole process: write(2) has no flag
/// against it.
inline pipe_ends open_pipe(const executor& loop) {
    std::signal(SIGPIPE, SIG_IGN);
    pipe_reader::pipe reader(loop);
    pipe_writer::pipe writer(loop);
    boost::system::error_code error;
    boost::asio::connect_pipe(reader, writer, error);
    throw_if_failed(error, "open a pipe");
    return {pipe_reader(std::move(reader)), pipe_writer(std::move(writer))};
}

}  // namespace loopbench::asio_ref
