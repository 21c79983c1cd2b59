// The echo floor echo_epoll makes the smallest number of calls that an epoll loop can make. Sockets are
// edge-triggered.
//
// Each event leads to one read. One read is enough, because a connection has at most one message in flight
// and every read has space for a whole message.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>

#include "bench/suite/floors/echo_floor.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

namespace {

class epoll_echo {
public:
    epoll_echo(std::span<const connection> connections, std::size_t bytes)
        : messages_(bytes),
          pairs_(make_pairs(connections, bytes, messages_)),
          buffer_(make_server_buffer(bytes)),
          filled_(connections.size()),
          epoll_(loop::checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
        for (const echo_pair& pair : pairs_) {
            watch(pair.client, tag_of(pair, side::client));
            watch(pair.server, tag_of(pair, side::server));
        }
    }

    std::vector<echo_pair>& pairs() noexcept { return pairs_; }

    void make_round_trips(echo_phase& phase) {
        phase_ = &phase;
        for (echo_pair& pair : pairs_) {
            if (!pair.enter(phase)) continue;
            ++active_;
            send_request(pair);
        }
        while (active_ > 0) {
            const int count = wait();
            for (int i = 0; i < count; ++i) on_readable(events_[static_cast<std::size_t>(i)].data.u64);
        }
    }

private:
    enum class side : std::uint64_t { client, server };

    static std::uint64_t tag_of(const echo_pair& pair, side which) noexcept {
        return pair.number << 1 | static_cast<std::uint64_t>(which);
    }

    void watch(int fd, std::uint64_t tag) {
        epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = tag}};
        loop::checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    }

    int wait() {
        const int count = ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), -1);
        if (count < 0 && errno == EINTR) return 0;
        return loop::checked(count, "epoll_wait");
    }

    void on_readable(std::uint64_t tag) {
        echo_pair& pair = pairs_[tag >> 1];
        if (tag == tag_of(pair, side::server))
            serve(pair);
        else
            receive_reply(pair);
    }

    void send_request(echo_pair& pair) {
        filled_[pair.number] = 0;
        send_all(pair, pair.client, pair.next_request());
    }

    void serve(echo_pair& pair) {
        const std::size_t bytes = receive(pair, pair.server, buffer_);
        if (bytes == 0 || !send_all(pair, pair.server, std::span(buffer_).first(bytes))) return;
        pair.served_bytes += bytes;
    }

    void receive_reply(echo_pair& pair) {
        std::size_t& filled = filled_[pair.number];
        filled += receive(pair, pair.client, std::span(pair.reply).subspan(filled));
        if (filled != pair.reply.size() || pair.counts.error != 0) return;
        if (pair.finish_round_trip(*phase_))
            send_request(pair);
        else
            --active_;
    }

    std::size_t receive(echo_pair& pair, int fd, std::span<std::byte> to) {
        const ssize_t bytes = ::recv(fd, to.data(), to.size(), MSG_DONTWAIT);
        if (bytes > 0) return static_cast<std::size_t>(bytes);
        // EAGAIN is not a failure: the message arrived in two pieces, and an earlier read received both of
        // them.
        if (bytes == 0)
            fail(pair, ECONNRESET);
        else if (errno != EAGAIN)
            fail(pair, errno);
        return 0;
    }

    bool send_all(echo_pair& pair, int fd, std::span<const std::byte> bytes) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent == static_cast<ssize_t>(bytes.size())) return true;
        // After a partial send, the trial fails with ENOBUFS (no space in the socket buffer), because this
        // floor never waits for space.
        fail(pair, sent < 0 ? errno : ENOBUFS);
        return false;
    }

    void fail(echo_pair& pair, int error) noexcept {
        if (pair.counts.error == 0 && pair.round_trip != phase_->end) --active_;
        pair.counts.fail(error);
    }

    echo_messages messages_;
    std::vector<echo_pair> pairs_;
    server_buffer buffer_;
    std::vector<std::size_t> filled_;
    loop::unique_fd epoll_;
    std::size_t active_ = 0;
    echo_phase* phase_ = nullptr;
    std::array<epoll_event, 1024> events_;
};

}  // namespace

void echo_epoll(std::span<const connection> connections, std::size_t bytes, trial& t) {
    epoll_echo echo(connections, bytes);
    run_echo_trial(echo.pairs(), t, [&echo](echo_phase& phase) { echo.make_round_trips(phase); });
}

}  // namespace loopbench::bench::floors
