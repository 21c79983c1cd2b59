// The echo floor echo_uring makes the smallest number of calls that an io_uring loop can make. Each send is
// followed by the receive of the same message at the other end. On loopback, the message has arrived when the
// send ends, so the receive completes in the same call of io_uring_enter. The kernel then arms no poll, runs
// no wake-up and selects no buffer.
#include <liburing.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>

#include "bench/suite/floors/echo_floor.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::bench::floors {

namespace {

class uring_echo {
public:
    uring_echo(std::span<const connection> connections, std::size_t bytes)
        : messages_(bytes),
          pairs_(make_pairs(connections, bytes, messages_)),
          buffers_(connections.size(), make_server_buffer(bytes)),
          ring_(loop::uring_limits{.submissions = submissions_for(connections.size())}) {
        ring_.enable();
        std::vector<int> files;
        for (const echo_pair& pair : pairs_) files.insert(files.end(), {pair.client, pair.server});
        const int error =
            -io_uring_register_files(&ring_.native(), files.data(), static_cast<unsigned>(files.size()));
        if (error != 0) loop::throw_failed("io_uring_register_files", error);
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
            submit_and_wait();
            take_completions();
        }
    }

private:
    static unsigned submissions_for(std::size_t connections) noexcept {
        return std::max(64U, std::bit_ceil(static_cast<unsigned>(2 * connections)));
    }

    // The tag of an operation, which is also the index of its registered file. It is 2 * n for the client of
    // pair n, and 2 * n + 1 for the server.
    using tag = std::uint64_t;
    static tag client_of(const echo_pair& pair) noexcept { return pair.number << 1; }
    static tag server_of(const echo_pair& pair) noexcept { return pair.number << 1 | 1; }

    void submit_and_wait() {
        const int result = io_uring_submit_and_wait(&ring_.native(), 1);
        // EAGAIN and EBUSY are not failures: a later call submits the remaining operations, after completions
        // have been read.
        if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY)
            loop::throw_failed("io_uring_enter", -result);
    }

    void take_completions() {
        unsigned count = 0;
        unsigned head;
        io_uring_cqe* completion;
        io_uring_for_each_cqe(&ring_.native(), head, completion) {
            ++count;
            on_completion(*completion);
        }
        io_uring_cq_advance(&ring_.native(), count);
    }

    void on_completion(const io_uring_cqe& completion) {
        echo_pair& pair = pairs_[completion.user_data >> 1];
        if (pair.counts.error != 0) return;
        const bool of_server = completion.user_data == server_of(pair);
        const bool good =
            of_server ? completion.res > 0 : completion.res == static_cast<int>(pair.reply.size());
        if (!good) {
            pair.counts.fail(completion.res < 0 ? -completion.res : ECONNRESET);
            --active_;
        } else if (of_server) {
            serve(pair, static_cast<std::size_t>(completion.res));
        } else if (pair.finish_round_trip(*phase_)) {
            send_request(pair);
        } else {
            --active_;
        }
    }

    void send_request(echo_pair& pair) {
        send_all(client_of(pair), pair.next_request());
        receive(server_of(pair), buffers_[pair.number], 0);
    }

    /// Sends the new bytes back, and receives the missing bytes or the reply. The missing bytes are stored
    /// after the new bytes, because the send might still read the new bytes.
    void serve(echo_pair& pair, std::size_t bytes) {
        const auto buffer = std::span(buffers_[pair.number]);
        const std::size_t before = pair.reply.size() - pair.unserved_bytes();
        send_all(server_of(pair), buffer.subspan(before, bytes));
        pair.served_bytes += bytes;
        if (pair.unserved_bytes() > 0)
            receive(server_of(pair), buffer.subspan(before + bytes), 0);
        else
            receive(client_of(pair), pair.reply, MSG_WAITALL);
    }

    void send_all(tag from, std::span<const std::byte> bytes) {
        io_uring_sqe& send = submission();
        io_uring_prep_send(&send, static_cast<int>(from), bytes.data(), bytes.size(),
                           MSG_NOSIGNAL | MSG_WAITALL);
        send.flags = IOSQE_FIXED_FILE | IOSQE_CQE_SKIP_SUCCESS;
        send.user_data = from;
    }

    void receive(tag to, std::span<std::byte> received, int flags) {
        io_uring_sqe& receive = submission();
        io_uring_prep_recv(&receive, static_cast<int>(to), received.data(), received.size(), flags);
        receive.flags = IOSQE_FIXED_FILE;
        receive.user_data = to;
    }

    io_uring_sqe& submission() {
        io_uring_sqe* entry = io_uring_get_sqe(&ring_.native());
        if (entry == nullptr) {
            const int result = io_uring_submit(&ring_.native());
            if (result < 0) loop::throw_failed("io_uring_enter", -result);
            entry = io_uring_get_sqe(&ring_.native());
        }
        return *entry;
    }

    echo_messages messages_;
    std::vector<echo_pair> pairs_;
    std::vector<server_buffer> buffers_;
    loop::uring_ring ring_;  // destroyed first, because the ring writes into the members above
    std::size_t active_ = 0;
    echo_phase* phase_ = nullptr;
};

}  // namespace

void echo_uring(std::span<const connection> connections, std::size_t bytes, trial& t) {
    uring_echo echo(connections, bytes);
    run_echo_trial(echo.pairs(), t, [&echo](echo_phase& phase) { echo.make_round_trips(phase); });
}

}  // namespace loopbench::bench::floors
