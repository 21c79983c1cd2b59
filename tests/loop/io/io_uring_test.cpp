// Tests that the io_uring driver fulfils its contract (io/io.hpp).
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <deque>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "loop/io/uring/stream_feed.hpp"
#include "loop/net/sockets.hpp"
#include "tests/loop/io/uring_support.hpp"
#include "tests/support/says.hpp"

namespace loopbench::loop {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// The kernel returns the same error for an invalid size and for a flag that an old kernel does not know.
TEST_F(uring_tests, an_invalid_ring_size_is_not_reported_as_a_kernel_that_is_too_old) {
    const auto said =
        tests::complaint_of<std::system_error>([] { const uring_ring ring(uring_limits{.submissions = 0}); });
    EXPECT_SAYS(said, "1 to 32768 submissions");
    EXPECT_EQ(said.find("too old"), std::string::npos) << said;
}

TEST_F(uring_tests, a_receive_returns_data_that_arrives_before_or_after_the_receive_starts) {
    bare_driver bare;
    const socket_pair pair;
    pair.send("before");
    counted_operation first(io_kind::receive, pair.ours.get());
    bare.finish(first);
    EXPECT_EQ(first.received(), "before");

    counted_operation second(io_kind::receive, pair.ours.get());
    bare.start(second);
    bare.look();
    EXPECT_EQ(second.completions, 0);
    pair.send("later");
    bare.run(second);
    EXPECT_EQ(second.received(), "later");
    EXPECT_EQ(bare.driver.pending(), 0U);
}

TEST_F(uring_tests, data_that_does_not_fit_into_a_receive_is_returned_by_the_next_receive) {
    bare_driver bare;
    const socket_pair pair;
    counted_operation first(io_kind::receive, pair.ours.get(), 3);
    bare.start(first);
    bare.look();
    pair.send("abcdef");
    pair.send("gh");
    bare.run(first);
    EXPECT_EQ(first.received(), "abc");
    counted_operation second(io_kind::receive, pair.ours.get());
    bare.finish(second);
    EXPECT_EQ(second.received(), "defgh");
}

TEST_F(uring_tests,
       receives_return_the_data_that_a_closed_peer_has_sent_and_then_only_the_end_of_the_stream) {
    bare_driver bare;
    socket_pair pair;
    counted_operation data(io_kind::receive, pair.ours.get(), 1);
    bare.start(data);
    bare.look();
    pair.send("xy");
    pair.theirs.reset();
    bare.run(data);
    EXPECT_EQ(data.received(), "x");
    counted_operation rest(io_kind::receive, pair.ours.get());
    bare.finish(rest);
    EXPECT_EQ(rest.received(), "y");
    for (int i = 0; i < 3; ++i) {
        counted_operation end(io_kind::receive, pair.ours.get());
        bare.finish(end);
        EXPECT_EQ(end.result, 0);
    }
}

TEST_F(uring_tests, a_reset_and_a_broken_connection_are_reported_without_a_signal) {
    bare_driver bare;
    socket_pair pair;
    counted_operation receive(io_kind::receive, pair.ours.get());
    bare.start(receive);
    bare.look();
    ::send(pair.ours.get(), "unread", 6, MSG_NOSIGNAL);
    pair.theirs.reset();  // because of the unread data, this close is a reset
    bare.run(receive);
    EXPECT_EQ(receive.result, -ECONNRESET);
    counted_operation after(io_kind::receive, pair.ours.get());
    bare.finish(after);
    EXPECT_EQ(after.result, 0) << "after the error, the next read must return the end of the stream";
    counted_operation send(io_kind::send, pair.ours.get());
    bare.finish(send);
    EXPECT_EQ(send.result, -EPIPE);
}

TEST_F(uring_tests, an_operation_on_an_invalid_descriptor_fails) {
    bare_driver bare;
    counted_operation none(io_kind::receive, -1);
    bare.finish(none);
    EXPECT_EQ(none.result, -EBADF);
    counted_operation closed(io_kind::send, 9999);
    bare.finish(closed);
    EXPECT_EQ(closed.result, -EBADF);
}

TEST_F(uring_tests, an_overflow_of_the_completion_queue_loses_no_completion) {
    bare_driver bare({.submissions = 8, .completions = 16, .buffers = 64});
    const std::vector<socket_pair> pairs(100);
    for (int round = 0; round < 3; ++round) {
        std::deque<counted_operation> all;
        for (const socket_pair& pair : pairs) {
            for (const io_kind kind : {io_kind::receive, io_kind::writable}) {
                bare.start(all.emplace_back(kind, pair.ours.get()));
            }
            pair.send("all at once");
        }
        for (counted_operation& op : all) ASSERT_NO_FATAL_FAILURE(bare.run(op));
        for (const counted_operation& op : all) {
            EXPECT_EQ(op.completions, 1);
            EXPECT_EQ(op.result, op.kind == io_kind::receive ? 11 : 0);
        }
    }
}

TEST_F(uring_tests, the_driver_can_be_woken_after_its_completion_queue_has_overflowed) {
    bare_driver bare({.submissions = 64, .completions = 64, .buffers = 4});
    const std::vector<socket_pair> pairs(200);
    std::deque<counted_operation> all;
    bare.look();  // arms the poll by which wake() wakes the driver
    for (const socket_pair& pair : pairs) {
        bare.start(all.emplace_back(io_kind::writable, pair.ours.get()));
    }
    bare.driver.wake();  // ends the poll, because the completion queue is full
    for (counted_operation& op : all) ASSERT_NO_FATAL_FAILURE(bare.run(op));
    for (int i = 0; i < 3; ++i) bare.look();
    const time_point give_up = steady_clock::now() + seconds(10);
    bare.driver.wake();
    bare.driver.wait(give_up);
    EXPECT_LT(steady_clock::now(), give_up) << "a wake-up was lost";
}

TEST_F(uring_tests, the_driver_serves_more_active_streams_than_it_has_buffers) {
    bare_driver bare({.submissions = 64, .completions = 256, .buffers = 4});
    const std::vector<socket_pair> pairs(50);
    for (int round = 0; round < 5; ++round) {
        std::deque<counted_operation> all;
        for (const socket_pair& pair : pairs) {
            bare.start(all.emplace_back(io_kind::receive, pair.ours.get()));
        }
        bare.look();
        for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].send(std::to_string(i));
        for (counted_operation& op : all) ASSERT_NO_FATAL_FAILURE(bare.run(op));
        for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_EQ(all[i].received(), std::to_string(i));
    }
}

TEST_F(uring_tests, the_driver_reuses_its_receive_buffers) {
    bare_driver bare({.submissions = 8, .completions = 16, .buffers = 4});
    const socket_pair pair;
    counted_operation first(io_kind::receive, pair.ours.get());
    bare.start(first);
    pair.send("first");
    bare.run(first);
    for (int i = 0; i < 20; ++i) {
        pair.send("next");
        bare.look();
        counted_operation next(io_kind::receive, pair.ours.get());
        ASSERT_TRUE(bare.driver.start(next)) << "round " << i << ": the bytes must already be there";
        EXPECT_EQ(next.received(), "next");
    }
}

TEST_F(uring_tests, a_stream_that_no_task_reads_occupies_only_a_few_buffers) {
    bare_driver bare;
    const socket_pair pair;
    counted_operation first(io_kind::receive, pair.ours.get());
    bare.start(first);
    for (int i = 0; i < 40; ++i) {
        pair.send("x");
        bare.look();
    }
    int left_bytes = 0;
    ASSERT_EQ(::ioctl(pair.ours.get(), FIONREAD, &left_bytes), 0);
    EXPECT_GT(left_bytes, 20);
}

TEST_F(uring_tests, the_driver_stops_receiving_from_an_unread_stream_and_loses_no_bytes) {
    bare_driver bare;
    const socket_pair pair;
    counted_operation first(io_kind::receive, pair.ours.get(), 1);
    bare.start(first);
    bare.look();
    constexpr std::size_t patience = 100;
    const std::string block(4096, 'b');
    std::size_t sent = 0;
    for (std::size_t full = 0; full < patience; ++full) {
        for (ssize_t count; (count = pair.send(block)) > 0; full = 0) sent += static_cast<std::size_t>(count);
        bare.look();
        ASSERT_LT(sent, std::size_t{1} << 20) << "the sender never had to wait";
    }
    std::size_t received = static_cast<std::size_t>(first.result);
    while (received < sent) {
        counted_operation next(io_kind::receive, pair.ours.get(), 10'000);
        bare.finish(next);
        ASSERT_GT(next.result, 0);
        received += static_cast<std::size_t>(next.result);
    }
    EXPECT_EQ(received, sent);
}

TEST_F(uring_tests, connections_that_no_operation_accepts_stay_in_the_backlog_of_the_kernel) {
    bare_driver bare;
    const unique_fd listener = open_listener(endpoint::loopback(0));
    const endpoint address = local_endpoint(listener.get());
    std::array<unique_fd, 5> clients;
    for (unique_fd& client : clients) {
        client = open_stream(AF_INET);
        static_cast<void>(
            ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address.address()), address.bytes()));
    }
    for (int i = 0; i < 3; ++i) {
        counted_operation accept(io_kind::accept, listener.get());
        bare.finish(accept);
        ASSERT_GE(accept.result, 0);
        EXPECT_EQ(::fcntl(static_cast<int>(accept.result), F_GETFL) & O_NONBLOCK, O_NONBLOCK);
        ::close(static_cast<int>(accept.result));
    }
    bare.look();
    for (int i = 0; i < 2; ++i) {
        const unique_fd left(::accept(listener.get(), nullptr, nullptr));
        EXPECT_TRUE(left);
    }
}

TEST_F(uring_tests, a_datagram_arrives_with_the_address_of_its_sender) {
    bare_driver bare;
    const unique_fd from = open_datagram(endpoint::loopback(0));
    const unique_fd to = open_datagram(endpoint::loopback(0));
    endpoint destination = local_endpoint(to.get());
    sockaddr_storage sender{};
    counted_operation receive(io_kind::receive_from, to.get());
    receive.address = &sender;
    bare.start(receive);
    bare.look();
    counted_operation send(io_kind::send_to, from.get(), 5);
    send.address = &destination.address();
    send.address_bytes = destination.bytes();
    bare.start(send);
    bare.run(receive);
    EXPECT_EQ(receive.result, 5);
    EXPECT_EQ(endpoint(&sender, receive.address_bytes).port(), local_endpoint(from.get()).port());
}

TEST_F(uring_tests, one_datagram_completes_only_one_of_two_pending_reads) {
    bare_driver bare;
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    const unique_fd to(ends[0]);
    const unique_fd from(ends[1]);
    counted_operation one(io_kind::receive_from, to.get());
    counted_operation two(io_kind::receive_from, to.get());
    bare.start(one);
    bare.start(two);
    bare.look();
    ASSERT_EQ(::send(from.get(), "x", 1, 0), 1);
    bare.look();
    EXPECT_EQ(one.completions + two.completions, 1);
    ASSERT_EQ(::send(from.get(), "y", 1, 0), 1);
    bare.run(one);
    bare.run(two);
    EXPECT_EQ(one.result + two.result, 2);
}

TEST_F(uring_tests, a_stream_with_received_data_is_readable) {
    bare_driver bare;
    const socket_pair pair;
    counted_operation first(io_kind::receive, pair.ours.get(), 1);
    bare.start(first);
    counted_operation early(io_kind::readable, pair.ours.get());
    bare.start(early);
    bare.look();
    pair.send("abc");
    bare.run(first);
    bare.run(early);
    EXPECT_EQ(early.result, 0);
    counted_operation late(io_kind::readable, pair.ours.get());
    bare.finish(late);
    EXPECT_EQ(late.result, 0);
}

// With io_uring, a read of a non-blocking terminal completes with EAGAIN at once. The driver must read again
// when input arrives.
TEST_F(uring_tests, a_read_waits_for_input_from_a_nonblocking_terminal) {
    int keyboard = -1;
    int terminal = -1;
    ASSERT_EQ(::openpty(&keyboard, &terminal, nullptr, nullptr, nullptr), 0);
    const unique_fd theirs(keyboard);
    const unique_fd ours(terminal);
    checked(::fcntl(ours.get(), F_SETFL, O_NONBLOCK), "fcntl");
    bare_driver bare;
    counted_operation reading(io_kind::read, ours.get());
    bare.start(reading);
    bare.look();
    EXPECT_EQ(reading.completions, 0);
    ASSERT_EQ(::write(theirs.get(), "yes\n", 4), 4);
    bare.run(reading);
    EXPECT_EQ(reading.received(), "yes\n");
}

TEST_F(uring_tests, looking_for_events_makes_no_system_call_if_nothing_has_happened) {
    bare_driver bare;
    const socket_pair pair;
    counted_operation receive(io_kind::receive, pair.ours.get());
    bare.start(receive);
    bare.look();
    const std::uint64_t before = bare.driver.ring().entries();
    for (int i = 0; i < 100; ++i) bare.look();
    EXPECT_EQ(bare.driver.ring().entries(), before);
    pair.send("now");
    bare.look();
    EXPECT_EQ(receive.completions, 1);
    EXPECT_EQ(bare.driver.ring().entries(), before + 1);
}

TEST_F(uring_tests, a_wait_ends_at_its_own_deadline_after_a_wait_with_a_later_one) {
    bare_driver bare;
    bare.driver.wake();
    bare.driver.wait(steady_clock::now() + hours(1));
    const time_point early = steady_clock::now() + milliseconds(5);
    int waits = 0;
    for (; steady_clock::now() < early; ++waits) bare.driver.wait(early);
    EXPECT_LE(waits, 2);
}

// A busy kernel can end a wait early, which has nothing to do with the deadline. Therefore the smallest
// number of waits of three attempts counts.
TEST_F(uring_tests, an_abandoned_deadline_ends_at_most_one_later_wait) {
    int fewest = std::numeric_limits<int>::max();
    for (int attempt = 0; attempt < 3; ++attempt) {
        bare_driver bare;
        const time_point given_up = steady_clock::now() + milliseconds(1);
        bare.driver.wake();
        bare.driver.wait(given_up);
        bare.look();
        const time_point late = given_up + milliseconds(30);
        int waits = 0;
        for (; steady_clock::now() < late; ++waits) bare.driver.wait(late);
        fewest = std::min(fewest, waits);
    }
    EXPECT_LE(fewest, 2);
}

class uring_buffer_tests : public uring_tests {
protected:
    static constexpr unsigned buffers = 16;

    void SetUp() override {
        uring_tests::SetUp();
        if (!IsSkipped())
            bare.emplace(uring_limits{.submissions = 64, .completions = 64, .buffers = buffers});
    }

    void hoard(const socket_pair& pair, int messages) {
        counted_operation first(io_kind::receive, pair.ours.get());
        bare->start(first);
        pair.send("x");
        bare->run(first);
        for (int i = 0; i < messages; ++i) {
            pair.send("x");
            bare->look();
        }
    }

    void read_all(const socket_pair& pair) {
        for (;;) {
            counted_operation next(io_kind::receive, pair.ours.get());
            bare->start(next);
            bare->look();
            if (next.completions != 0) continue;
            bare->driver.cancel(next);
            bare->run(next);
            bare->look();
            return;
        }
    }

    std::uint64_t requests_of_a_read(const socket_pair& pair) {
        const std::uint64_t before = bare->driver.ring().requests();
        counted_operation op(io_kind::receive, pair.ours.get());
        bare->start(op);
        bare->look();
        pair.send("small");
        bare->look();
        EXPECT_EQ(op.received(), "small");
        return bare->driver.ring().requests() - before;
    }

    std::optional<bare_driver> bare;
};

TEST_F(uring_buffer_tests, a_read_makes_only_one_request_if_slow_streams_hold_all_buffers) {
    const std::array<socket_pair, 3> slow;
    const std::array<socket_pair, 4> others;
    for (const socket_pair& pair : slow) hoard(pair, 12);
    for (int round = 0; round < 3; ++round)
        for (const socket_pair& pair : others) EXPECT_EQ(requests_of_a_read(pair), 1U);

    for (const socket_pair& pair : slow) read_all(pair);
    for (const socket_pair& pair : others) EXPECT_LE(requests_of_a_read(pair), 1U);
    for (int round = 0; round < 3; ++round)
        for (const socket_pair& pair : others)
            EXPECT_EQ(requests_of_a_read(pair), 0U) << "the feeds must have been resumed";
}

TEST_F(uring_buffer_tests, a_slow_reader_that_holds_many_buffers_does_not_stop_the_feeds_of_other_streams) {
    const socket_pair slow;
    const socket_pair burst;
    const std::array<socket_pair, 4> others;
    hoard(slow, 40);
    hoard(burst, 20);
    EXPECT_EQ(requests_of_a_read(others[0]), 1U);
    EXPECT_EQ(requests_of_a_read(others[0]), 1U) << "the buffers had not run out";
    read_all(burst);
    for (const socket_pair& pair : others) EXPECT_LE(requests_of_a_read(pair), 1U);
    for (int round = 0; round < 3; ++round)
        for (const socket_pair& pair : others) EXPECT_EQ(requests_of_a_read(pair), 0U);
}

// The driver uses all its buffers in rotation. If it kept too many, each buffer would have left the CPU's
// caches before its next use.
TEST_F(uring_tests, a_shortage_doubles_the_number_of_buffers_and_the_added_buffers_are_later_removed) {
    uring_ring ring{uring_limits{}};
    provided_buffers buffers(ring.native(), 256);
    const unsigned few = buffers.available();
    arrived_bytes arrived;
    for (unsigned i = 0; i < few; ++i) buffers.append(arrived, static_cast<std::uint16_t>(i), 1);
    EXPECT_EQ(buffers.available(), 0U);
    for (int streams = 0; streams < 3; ++streams) EXPECT_TRUE(buffers.grow());
    EXPECT_EQ(buffers.available(), 2 * few);

    for (int i = 0; i < 100'000; ++i) {
        buffers.discard(arrived);
        buffers.append(arrived, 0, 1);
    }
    buffers.discard(arrived);
    EXPECT_EQ(buffers.available(), few);
}

// The thread that ran the driver does not end. The kernel must nevertheless close the files of the driver's
// requests.
TEST_F(uring_tests, a_driver_that_another_thread_destroys_releases_its_files) {
    socket_pair pair;
    auto bare = std::make_unique<bare_driver>();
    std::promise<void> has_waited;
    std::promise<void> may_end;
    std::jthread runner([&] {
        counted_operation receive(io_kind::receive, pair.ours.get());
        bare->start(receive);
        bare->look();
        bare->driver.discard(receive);
        has_waited.set_value();
        may_end.get_future().wait();
    });
    has_waited.get_future().wait();
    bare.reset();
    pair.ours.reset();
    pollfd far_end{.fd = pair.theirs.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&far_end, 1, 10'000), 1) << "the near end is still open";
    may_end.set_value();
}

// When the peer has ended its output, the kernel immediately completes every poll request, even a request
// that waits for writability.
TEST_F(uring_tests, a_writer_sleeps_until_it_can_write_even_if_the_peer_has_ended_its_own_output) {
    for (const io_kind kind : {io_kind::writable, io_kind::output_call}) {
        bare_driver bare;
        const socket_pair pair;
        checked(::shutdown(pair.theirs.get(), SHUT_WR), "shutdown");
        const std::string block(65'536, 'x');
        while (::send(pair.ours.get(), block.data(), block.size(), MSG_NOSIGNAL) > 0) {
        }
        counted_operation op(kind, pair.ours.get());
        op.call = [](io_operation& of) noexcept {
            of.result = ::send(of.fd, "y", 1, MSG_NOSIGNAL);
            return of.result == 1;
        };
        bare.start(op);
        for (int i = 0; i < 10; ++i) bare.look();
        const std::uint64_t before = bare.driver.ring().requests();
        for (int i = 0; i < 100; ++i) bare.look();
        EXPECT_EQ(op.completions, 0) << static_cast<int>(kind);
        EXPECT_EQ(bare.driver.ring().requests(), before) << static_cast<int>(kind);
        EXPECT_GE(pair.receive().size(), block.size());
        bare.run(op);
        EXPECT_EQ(op.result, kind == io_kind::writable ? 0 : 1);
        EXPECT_EQ(op.completions, 1);
        EXPECT_EQ(bare.driver.pending(), 0U);
    }
}

TEST_F(uring_tests, a_completed_operation_keeps_its_result_if_it_is_discarded_or_its_descriptor_is_closed) {
    for (const bool is_closed : {true, false}) {
        bare_driver bare;
        const socket_pair pair;
        checked(::shutdown(pair.theirs.get(), SHUT_WR), "shutdown");
        const std::string block(65'536, 'x');
        while (::send(pair.ours.get(), block.data(), block.size(), MSG_NOSIGNAL) > 0) {
        }
        counted_operation op(io_kind::writable, pair.ours.get());
        bare.start(op);
        for (int i = 0; i < 10; ++i) bare.look();
        EXPECT_GE(pair.receive().size(), block.size());
        bare.look();
        EXPECT_TRUE(op.pending);
        if (is_closed) {
            bare.driver.close(pair.ours.get());
            bare.run(op);
            EXPECT_EQ(op.result, 0);
        } else {
            bare.driver.discard(op);
            bare.look();
            EXPECT_EQ(op.completions, 0);
        }
        EXPECT_EQ(bare.driver.pending(), 0U);
    }
}

TEST_F(uring_tests, a_driver_can_be_used_only_by_the_thread_that_first_waits_for_its_events) {
    bare_driver bare;
    const socket_pair pair;
    counted_operation receive(io_kind::receive, pair.ours.get());
    bare.start(receive);
    pair.send("x");
    std::thread([&] { bare.run(receive); }).join();
    EXPECT_EQ(receive.completions, 1);
    counted_operation second(io_kind::receive, pair.ours.get());
    bare.start(second);
    const auto refusal = tests::complaint_of<std::system_error>([&] {
        bare.driver.wake();
        for (int i = 0; i < 2; ++i) bare.driver.wait(steady_clock::now() + milliseconds(1));
    });
    EXPECT_SAYS(refusal, "two threads");
    if (second.pending) bare.driver.discard(second);
    bare.driver.close(pair.ours.get());
}

}  // namespace
}  // namespace loopbench::loop
