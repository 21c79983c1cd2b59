#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <span>
#include <utility>

#include "asio_ref/pipe.hpp"
#include "asio_ref/tuned/scheduler.hpp"
#include "asio_ref/tuned/transfer.hpp"

namespace loopbench::asio_ref::tuned {

class pipe_reader : public pipe_end<readable_pipe> {
public:
    pipe_reader(scheduler& owner, readable_pipe connected) : pipe_end(std::move(connected)), owner_(&owner) {}

    read_awaiter<readable_pipe> read_some(std::span<std::byte> in) noexcept { return {*owner_, pipe_, in}; }

private:
    scheduler* owner_;
};

// The write end is an Asio descriptor and not an Asio pipe, because write_awaiter needs non-blocking mode,
// and only a descriptor can set this mode.
using write_end = boost::asio::posix::basic_stream_descriptor<executor>;

class pipe_writer : public pipe_end<write_end> {
public:
    /// Sets the write end to non-blocking mode. Throws std::system_error.
    pipe_writer(scheduler& owner, writable_pipe connected)
        : pipe_end(write_end(owner.get_executor(), connected.release())), owner_(&owner) {
        boost::system::error_code error;
        pipe_.non_blocking(true, error);  // needed by write_some(), not by Asio's operations
        throw_if_failed(error, "cannot set a pipe to non-blocking mode");
    }

    write_awaiter<write_end> write_all(std::span<const std::byte> out) noexcept {
        return {*owner_, pipe_, out, inline_max};
    }

private:
    // The largest write that can complete without Asio's queue: half a page. Each larger write needs a page
    // of its own, and the kernel keeps only two emptied pages of a pipe for later writes; it allocates a new
    // page for every further write (Linux, fs/pipe.c, anon_pipe_get_page()). Therefore, after a larger write,
    // the writer goes through the queue, so that the reader can empty the page before the next write.
    static constexpr std::size_t inline_max = 2048;

    scheduler* owner_;
};

struct pipe_ends {
    pipe_reader reader;
    pipe_writer writer;
};

inline pipe_ends open_pipe(scheduler& owner) {
    auto [reader, writer] = make_pipe(owner.get_executor());
    return {pipe_reader(owner, std::move(reader)), pipe_writer(owner, std::move(writer))};
}

}  // namespace loopbench::asio_ref::tuned
