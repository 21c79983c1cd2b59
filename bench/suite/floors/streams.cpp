#include "bench/suite/floors/streams.hpp"

#include <fcntl.h>
#include <liburing.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/suite/floors/connections.hpp"
#include "bench/suite/floors/waits.hpp"
#include "bench/suite/workloads/stream.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::bench::floors {

namespace {

using loop::checked;
using workloads::detail::stream_check;

struct stream_state {
    stream_state(one_way of, std::size_t chunk_bytes)
        : ends(std::move(of)), check(chunk_bytes), buffer(chunk_bytes) {}

    /// Checks the bytes of one read. `result` is a number of bytes, 0 at the end of the stream, or a negative
    /// errno.
    void take(std::int64_t result) {
        if (result < 0) return fail(static_cast<int>(-result));
        over = result == 0;
        check.take(std::span<const std::byte>(buffer).first(static_cast<std::size_t>(result)));
    }
    std::int64_t read() {
        const ssize_t bytes = ::read(ends.reader.get(), buffer.data(), buffer.size());
        return bytes < 0 ? -errno : bytes;
    }
    void write_chunk() {
        const ssize_t bytes = ::write(ends.writer.get(), check.chunk.data(), check.chunk.size());
        if (bytes != static_cast<ssize_t>(check.chunk.size())) fail(bytes < 0 ? errno : ENOBUFS);
    }
    void fail(int error) {
        check.error = error;
        over = true;
    }

    one_way ends;
    stream_check check;
    std::vector<std::byte> buffer;
    bool over = false;
};

/// Runs the warm-up and the timed section, and checks the work. `write()` can prepare a write that only the
/// next `read_more()` submits.
template <class Write, class ReadMore>
void run_stream_trial(stream_state& stream, trial& t, Write write, ReadMore read_more) {
    const std::uint64_t chunk_bytes = stream.check.chunk.size();
    std::uint64_t due = 0;
    const auto carry = [&](std::uint64_t chunks) {
        for (; chunks > 0 && !stream.over; --chunks) {
            due += chunk_bytes;
            write();
            while (!stream.over && stream.check.bytes < due) read_more();
        }
    };
    carry(workloads::warm_up_chunks);
    t.begin();
    while (const std::uint64_t chunks = stream.over ? 0 : t.next()) carry(chunks);
    t.end();
    stream.ends.writer.reset();
    while (!stream.over) read_more();
    stream.check.prove(t, (workloads::warm_up_chunks + t.operations()) * chunk_bytes);
}

void do_not_block(int fd) {
    checked(::fcntl(fd, F_SETFL, checked(::fcntl(fd, F_GETFL), "fcntl") | O_NONBLOCK), "fcntl");
}

/// An edge-triggered descriptor on which a thread can wait for data. One read after each edge is enough,
/// because the buffer has space for all data in the stream.
class readable {
public:
    explicit readable(int fd) : epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
        epoll_event event{.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data = {.fd = fd}};
        checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    }
    /// Waits for data or for the end of the stream. After the end was reported, all calls return immediately,
    /// because the kernel reports the end only once, possibly together with the last bytes.
    void wait() {
        if (over_) return;
        over_ = (wait_for_event(epoll_.get()).events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    }

private:
    loop::unique_fd epoll_;
    bool over_ = false;
};

class uring_stream {
public:
    explicit uring_stream(stream_state& stream) : stream_(stream), ring_(small_ring) {
        ring_.enable();
        // Only the reader is registered. If the writer were registered, too, the ring would also refer to it,
        // and closing the writer would not end the stream.
        const int file = stream.ends.reader.get();
        const int error = -io_uring_register_files(&ring_.native(), &file, 1);
        if (error != 0) loop::throw_failed("io_uring_register_files", error);
    }

    void write() {
        io_uring_sqe* const entry = io_uring_get_sqe(&ring_.native());
        io_uring_prep_write(entry, stream_.ends.writer.get(), stream_.check.chunk.data(),
                            static_cast<unsigned>(stream_.check.chunk.size()), 0);
        entry->flags = IOSQE_CQE_SKIP_SUCCESS;
        entry->user_data = of_write;
    }

    void read_more() {
        io_uring_sqe* const entry = io_uring_get_sqe(&ring_.native());
        io_uring_prep_read(entry, 0, stream_.buffer.data(), static_cast<unsigned>(stream_.buffer.size()), 0);
        entry->flags = IOSQE_FIXED_FILE;
        entry->user_data = of_read;
        const auto [tag, result, flags] = submit_and_take(ring_.native());
        if (tag == of_write)
            stream_.fail(result < 0 ? -result : ENOBUFS);
        else
            stream_.take(result);
    }

private:
    static constexpr unsigned of_write = 0, of_read = 1;

    stream_state& stream_;
    loop::uring_ring ring_;  // destroyed first, because the ring writes into `stream_`
};

}  // namespace

one_way open_pipe() {
    std::array<int, 2> fds{};
    checked(::pipe2(fds.data(), O_CLOEXEC), "pipe");
    return {.writer = loop::unique_fd(fds[1]), .reader = loop::unique_fd(fds[0])};
}

one_way open_stream_over_loopback() {
    auto connected = connect_over_loopback(1);
    return {.writer = std::move(connected.front().client), .reader = std::move(connected.front().server)};
}

void stream_blocking(one_way ends, std::size_t chunk_bytes, trial& t) {
    stream_state stream(std::move(ends), chunk_bytes);
    run_stream_trial(
        stream, t, [&stream] { stream.write_chunk(); }, [&stream] { stream.take(stream.read()); });
}

void stream_epoll(one_way ends, std::size_t chunk_bytes, trial& t) {
    stream_state stream(std::move(ends), chunk_bytes);
    do_not_block(stream.ends.writer.get());
    do_not_block(stream.ends.reader.get());
    readable reader(stream.ends.reader.get());
    run_stream_trial(
        stream, t, [&stream] { stream.write_chunk(); },
        [&] {
            reader.wait();
            const auto bytes = stream.read();
            if (bytes != -EAGAIN) stream.take(bytes);  // EAGAIN: an earlier read got this data
        });
}

void stream_uring(one_way ends, std::size_t chunk_bytes, trial& t) {
    stream_state stream(std::move(ends), chunk_bytes);
    uring_stream ring(stream);
    run_stream_trial(
        stream, t, [&ring] { ring.write(); }, [&ring] { ring.read_more(); });
}

}  // namespace loopbench::bench::floors
