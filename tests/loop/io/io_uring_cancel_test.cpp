// Tests that the io_uring driver keeps no data of a cancelled or discarded operation, or of a closed
// descriptor.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <vector>

#include "loop/net/sockets.hpp"
#include "tests/loop/io/uring_support.hpp"
#include "tests/loop/net/full_listener.hpp"

namespace loopbench::loop {
namespace {

TEST_F(uring_tests, a_cancelled_receive_completes_once_and_loses_no_byte) {
    bare_driver bare;
    const socket_pair pair;
    counted_operation cancelled(io_kind::receive, pair.ours.get());
    bare.start(cancelled);
    bare.look();
    pair.send("kept");
    bare.driver.cancel(cancelled);
    bare.run(cancelled);
    EXPECT_EQ(cancelled.result, -ECANCELED);
    counted_operation next(io_kind::receive, pair.ours.get());
    bare.finish(next);
    EXPECT_EQ(next.received(), "kept");
    EXPECT_EQ(cancelled.completions, 1);
}

TEST_F(uring_tests, every_kind_of_pending_operation_can_be_cancelled) {
    bare_driver bare;
    test::full_listener full;
    const unique_fd idle = open_listener(endpoint::loopback(0));
    const unique_fd connecting = open_stream(AF_INET);
    const socket_pair pair;
    counted_operation accept(io_kind::accept, idle.get());
    counted_operation connect(io_kind::connect, connecting.get());
    connect.address = &full.address.address();
    connect.address_bytes = full.address.bytes();
    counted_operation readable(io_kind::readable, pair.ours.get());
    counted_operation datagram(io_kind::receive_from, pair.theirs.get());
    const std::array all{&accept, &connect, &readable, &datagram};
    for (counted_operation* op : all) bare.start(*op);
    bare.look();
    EXPECT_EQ(bare.driver.pending(), all.size());
    for (counted_operation* op : all) bare.driver.cancel(*op);
    bare.run(all);
    for (const counted_operation* op : all) {
        EXPECT_EQ(op->result, -ECANCELED);
        EXPECT_EQ(op->completions, 1);
    }
    EXPECT_EQ(bare.driver.pending(), 0U);
}

TEST_F(uring_tests, a_read_of_a_blocking_file_can_be_cancelled) {
    bare_driver bare;
    const unique_fd blocking(checked(::inotify_init1(IN_CLOEXEC), "inotify_init1"));
    counted_operation read(io_kind::read, blocking.get());
    bare.start(read);
    bare.look();
    bare.driver.cancel(read);
    bare.run(read);
    EXPECT_EQ(read.result, -ECANCELED);
}

TEST_F(uring_tests, closing_a_listener_frees_its_port_although_many_operations_are_ready) {
    bare_driver bare;
    unique_fd listener = open_listener(endpoint::loopback(0));
    const endpoint address = local_endpoint(listener.get());
    counted_operation accept(io_kind::accept, listener.get());
    bare.start(accept);
    std::vector<std::unique_ptr<socket_pair>> pairs;
    std::vector<std::unique_ptr<counted_operation>> waits;
    for (int i = 0; i < 100; ++i) {
        pairs.push_back(std::make_unique<socket_pair>());
        waits.push_back(std::make_unique<counted_operation>(io_kind::readable, pairs.back()->ours.get()));
        bare.start(*waits.back());
    }
    bare.look();
    for (const auto& pair : pairs) pair->send("x");
    bare.driver.close(listener.get());
    listener.reset();
    EXPECT_NO_THROW(open_listener(address));
    for (const auto& wait : waits) bare.run(*wait);
    bare.run(accept);
}

TEST_F(uring_tests, closing_a_descriptor_ends_all_operations_of_this_descriptor) {
    bare_driver bare;
    socket_pair pair;
    while (::send(pair.ours.get(), "full", 4, MSG_NOSIGNAL) > 0) {
    }
    counted_operation receive(io_kind::receive, pair.ours.get());
    counted_operation send(io_kind::send, pair.ours.get());
    counted_operation writable(io_kind::writable, pair.ours.get());
    const std::array all{&receive, &send, &writable};
    for (counted_operation* op : all) bare.start(*op);
    bare.look();
    EXPECT_EQ(bare.driver.pending(), all.size());
    bare.driver.close(pair.ours.get());
    pair.ours.reset();
    bare.run(all);
    for (const counted_operation* op : all) EXPECT_EQ(op->result, -ECANCELED);
    EXPECT_EQ(bare.driver.pending(), 0U);
}

TEST_F(uring_tests, a_started_send_reaches_the_kernel_even_if_its_descriptor_is_closed_immediately) {
    bare_driver bare;
    socket_pair pair;
    bare.look();  // binds the ring to this thread
    counted_operation send(io_kind::send, pair.ours.get(), 4);
    bare.start(send);
    bare.driver.close(pair.ours.get());
    pair.ours.reset();
    std::array<char, 16> seen;
    EXPECT_EQ(::recv(pair.theirs.get(), seen.data(), seen.size(), 0), 4);
    bare.run(send);
    EXPECT_EQ(send.result, 4);
}

TEST_F(uring_tests, the_peer_reads_the_end_of_the_stream_as_soon_as_a_descriptor_is_closed) {
    bare_driver bare;
    socket_pair pair;
    counted_operation receive(io_kind::receive, pair.ours.get());
    bare.start(receive);
    bare.look();
    bare.driver.close(pair.ours.get());
    pair.ours.reset();
    char byte;
    EXPECT_EQ(::recv(pair.theirs.get(), &byte, 1, 0), 0) << "the ring still keeps the file open";
    bare.run(receive);
}

TEST_F(uring_tests, data_of_a_closed_descriptor_does_not_reach_the_next_file_with_the_same_number) {
    bare_driver bare;
    socket_pair old;
    counted_operation receive(io_kind::receive, old.ours.get());
    bare.start(receive);
    bare.look();
    old.send("old");
    const int number = old.ours.get();
    bare.driver.close(number);
    socket_pair fresh;
    ASSERT_EQ(::dup3(fresh.ours.get(), number, O_CLOEXEC), number);
    counted_operation next(io_kind::receive, number);
    bare.start(next);
    bare.look();
    fresh.send("new");
    bare.run(next);
    EXPECT_EQ(next.received(), "new");
    EXPECT_EQ(receive.result, -ECANCELED);
}

TEST_F(uring_tests, the_driver_does_not_access_a_discarded_operation_again) {
    bare_driver bare;
    const socket_pair pair;
    const socket_pair other;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    const unique_fd reader(ends[0]);
    const unique_fd writer(ends[1]);
    counted_operation bystander(io_kind::writable, other.ours.get());
    auto read = std::make_unique<counted_operation>(io_kind::read, reader.get());
    auto receive = std::make_unique<counted_operation>(io_kind::receive, pair.ours.get());
    bare.start(*read);
    bare.start(*receive);
    bare.start(bystander);
    bare.driver.discard(*read);
    bare.driver.discard(*receive);
    read.reset();  // AddressSanitizer detects later accesses
    receive.reset();
    ASSERT_EQ(::write(writer.get(), "x", 1), 1);
    pair.send("y");
    bare.run(bystander);
    EXPECT_EQ(bystander.completions, 1);
    EXPECT_EQ(bare.driver.pending(), 0U);
    char byte;
    EXPECT_EQ(::read(reader.get(), &byte, 1), 1) << "the kernel must not read for a cancelled operation";
}

TEST_F(uring_tests, the_connection_of_a_discarded_accept_is_closed) {
    bare_driver bare;
    const unique_fd listener = open_listener(endpoint::loopback(0));
    endpoint address = local_endpoint(listener.get());
    const unique_fd client = open_stream(AF_INET);
    const socket_pair pair;
    counted_operation accept(io_kind::accept, listener.get());
    counted_operation other(io_kind::read, pair.ours.get());
    bare.start(accept);
    bare.start(other);
    bare.look();
    static_cast<void>(
        ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address.address()), address.bytes()));
    bare.driver.close(pair.ours.get());
    bare.driver.discard(accept);
    pollfd waiting{client.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&waiting, 1, 10'000), 1)
        << "the peer must receive the end of the stream: the socket is still open";
    char byte;
    EXPECT_EQ(::recv(client.get(), &byte, 1, 0), 0);
}

TEST_F(uring_tests, closing_a_descriptor_does_not_affect_the_reads_of_its_duplicate) {
    bare_driver bare;
    for (const io_kind kind : {io_kind::read, io_kind::receive}) {
        socket_pair pair;
        const unique_fd duplicate(checked(::dup(pair.ours.get()), "dup"));
        counted_operation closed(kind, pair.ours.get());
        counted_operation other(kind, duplicate.get());
        bare.start(other);
        bare.look();
        bare.start(closed);
        bare.look();
        bare.driver.close(pair.ours.get());
        pair.ours.reset();
        bare.run(closed);
        bare.look();
        EXPECT_EQ(closed.result, -ECANCELED);
        ASSERT_EQ(other.completions, 0) << other.result;
        pair.send("still here");
        bare.run(other);
        EXPECT_EQ(other.received(), "still here");
        bare.driver.close(duplicate.get());
    }
}

TEST_F(uring_tests, closing_a_descriptor_leaves_the_feed_of_its_duplicate_armed) {
    bare_driver bare;
    socket_pair pair;
    const unique_fd duplicate(checked(::dup(pair.ours.get()), "dup"));
    counted_operation first(io_kind::receive, duplicate.get());
    bare.start(first);
    pair.send("first");
    bare.run(first);
    counted_operation closed(io_kind::writable, pair.ours.get());
    bare.start(closed);
    bare.driver.close(pair.ours.get());
    pair.ours.reset();
    bare.look();
    pair.send("second");
    bare.look();
    counted_operation second(io_kind::receive, duplicate.get());
    ASSERT_TRUE(bare.driver.start(second)) << "the driver must already have received the bytes";
    EXPECT_EQ(second.received(), "second");
}

// discard() processes the completion of the write's first part. The next wait would submit the rest of the
// write, but the descriptor is closed before this wait.
TEST_F(uring_tests, a_write_to_a_closed_descriptor_does_not_continue_on_the_next_file_with_the_same_number) {
    bare_driver bare;
    socket_pair pair;
    counted_operation write(io_kind::send, pair.ours.get(), std::size_t{4} << 20);
    write.whole = true;
    bare.start(write);
    bare.look();
    std::size_t taken = pair.receive().size();
    const socket_pair another;
    counted_operation discarded(io_kind::read, another.ours.get());
    bare.start(discarded);
    bare.driver.discard(discarded);
    taken += pair.receive().size();
    ASSERT_EQ(write.moved, taken);
    ASSERT_GT(taken, 0U);
    const int number = pair.ours.get();
    bare.driver.close(number);
    const socket_pair next;
    ASSERT_EQ(::dup3(next.ours.get(), number, O_CLOEXEC), number);
    bare.run(write);
    bare.look();
    EXPECT_EQ(write.result, -ECANCELED);
    EXPECT_EQ(write.moved, taken);
    EXPECT_EQ(write.completions, 1);
    EXPECT_EQ(next.receive(), "");
    EXPECT_EQ(pair.receive(), "");
}

TEST_F(uring_tests, a_cancelled_write_does_not_continue_after_the_part_that_has_already_been_written) {
    bare_driver bare;
    for (const bool closed : {false, true}) {
        socket_pair pair;
        const socket_pair another;
        const socket_pair next;
        counted_operation write(io_kind::send, pair.ours.get(), std::size_t{4} << 20);
        counted_operation other(io_kind::read, another.ours.get());
        write.whole = true;
        bare.start(write);
        bare.start(other);
        bare.look();
        std::size_t taken = pair.receive().size();
        bare.driver.close(another.ours.get());  // enters the kernel, but processes no completion
        if (closed) {
            bare.driver.close(pair.ours.get());
            ASSERT_EQ(::dup3(next.ours.get(), pair.ours.get(), O_CLOEXEC), pair.ours.get());
        } else {
            bare.driver.cancel(write);
        }
        bare.look();
        taken += pair.receive().size();
        EXPECT_EQ(write.completions, 1);
        EXPECT_EQ(write.result, -ECANCELED);
        EXPECT_EQ(write.moved, taken);
        EXPECT_EQ(next.receive(), "");
        bare.run(other);
        if (write.pending) bare.driver.discard(write);
    }
}

TEST_F(uring_tests, an_operation_can_be_discarded_while_its_completion_is_in_the_completion_queue) {
    bare_driver bare;
    for (const io_kind kind : {io_kind::read, io_kind::writable, io_kind::receive}) {
        const socket_pair pair;
        const socket_pair another;
        auto done = std::make_unique<counted_operation>(kind, pair.ours.get());
        counted_operation other(io_kind::read, another.ours.get());
        bare.start(*done);
        bare.start(other);
        bare.look();
        if (kind == io_kind::writable) {
            EXPECT_EQ(done->completions, 1);
            bare.start(*done);
        }
        pair.send("x");
        bare.driver.close(another.ours.get());  // enters the kernel, but processes no completion
        const int completions = done->completions;
        ASSERT_TRUE(done->pending);
        bare.driver.discard(*done);
        EXPECT_EQ(done->completions, completions);
        EXPECT_FALSE(done->pending);
        done.reset();
        bare.run(other);
        bare.look();
        EXPECT_EQ(bare.driver.pending(), 0U);
        bare.driver.close(pair.ours.get());
    }
}

TEST_F(uring_tests, an_operation_can_be_discarded_after_its_descriptor_has_been_closed) {
    bare_driver bare;
    for (const bool cancelled : {false, true}) {
        socket_pair pair;
        while (::send(pair.ours.get(), "full", 4, MSG_NOSIGNAL) > 0) {
        }
        auto read = std::make_unique<counted_operation>(io_kind::read, pair.ours.get());
        auto send = std::make_unique<counted_operation>(io_kind::send, pair.ours.get());
        bare.start(*read);
        bare.start(*send);
        bare.look();
        if (cancelled) bare.driver.cancel(*read);
        bare.driver.close(pair.ours.get());
        pair.ours.reset();
        ASSERT_TRUE(read->pending && send->pending);
        bare.driver.discard(*read);
        EXPECT_FALSE(read->pending);
        EXPECT_EQ(read->completions, 0);
        read.reset();
        if (send->pending) bare.driver.discard(*send);
        bare.run_ready();
        send.reset();
        bare.look();
        EXPECT_EQ(bare.driver.pending(), 0U);
    }
}

TEST_F(uring_tests, operations_that_end_before_the_first_wait_of_the_driver_make_no_system_call) {
    bare_driver bare;
    const socket_pair pair;
    const socket_pair closing;
    counted_operation cancelled(io_kind::receive, pair.ours.get());
    auto discarded = std::make_unique<counted_operation>(io_kind::readable, pair.ours.get());
    counted_operation closed(io_kind::send, closing.ours.get());
    counted_operation closed_too(io_kind::accept, closing.ours.get());
    counted_operation kept(io_kind::receive, pair.ours.get());
    for (counted_operation* op : {&cancelled, discarded.get(), &closed, &closed_too, &kept}) bare.start(*op);
    EXPECT_EQ(bare.driver.pending(), 5U);
    bare.driver.cancel(cancelled);
    bare.driver.discard(*discarded);
    EXPECT_EQ(discarded->completions, 0);
    discarded.reset();
    bare.driver.close(closing.ours.get());
    EXPECT_EQ(bare.driver.pending(), 1U);
    EXPECT_EQ(bare.driver.ring().entries(), 0U);
    bare.run_ready();
    for (const counted_operation* op : {&cancelled, &closed, &closed_too}) {
        EXPECT_EQ(op->result, -ECANCELED);
        EXPECT_EQ(op->completions, 1);
    }
    pair.send("data");
    bare.run(kept);
    bare.look();
    EXPECT_EQ(kept.received(), "data");
    EXPECT_EQ(closing.receive(), "") << "the closed descriptor's operation must receive no bytes";
    EXPECT_EQ(cancelled.completions + closed.completions + closed_too.completions, 3);
    EXPECT_EQ(bare.driver.pending(), 0U);
}

TEST_F(uring_tests, each_of_many_operations_completes_exactly_once_although_the_rings_are_small) {
    bare_driver bare({.submissions = 2, .completions = 4, .buffers = 4});
    for (int round = 0; round < 3; ++round) {
        std::vector<socket_pair> pairs(60);
        std::vector<std::unique_ptr<counted_operation>> all;
        const io_kind kinds[] = {io_kind::receive, io_kind::read, io_kind::readable, io_kind::send,
                                 io_kind::writable};
        for (const socket_pair& pair : pairs) {
            for (const io_kind kind : kinds) {
                const bool sends = kind == io_kind::send;
                all.push_back(std::make_unique<counted_operation>(
                    kind, pair.ours.get(), sends ? std::size_t{1} << 20 : std::size_t{64}));
                all.back()->whole = sends;
                bare.start(*all.back());
            }
        }
        if (round != 0) bare.look();
        std::vector<bool> discarded(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % 3 == 1) bare.driver.cancel(*all[i]);
            if (i % 7 == 2 && all[i]->pending) {
                bare.driver.discard(*all[i]);
                discarded[i] = true;
            }
        }
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (i % 4 == 0) {
                bare.driver.close(pairs[i].ours.get());
                pairs[i].ours.reset();
            } else {
                pairs[i].send("more bytes than all pending reads can return, so that every read completes");
            }
        }
        for (const socket_pair& pair : pairs) ::shutdown(pair.theirs.get(), SHUT_WR);
        const auto all_ended = [&] { return bare.driver.pending() == 0; };
        for (int looks = 0; looks < 100'000 && !all_ended(); ++looks) {
            bare.look();
            for (const socket_pair& pair : pairs) static_cast<void>(pair.receive());
        }
        bare.look();
        EXPECT_EQ(bare.driver.pending(), 0U);
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_EQ(all[i]->completions, discarded[i] ? 0 : 1) << "number " << i << " of round " << round;
            EXPECT_FALSE(all[i]->pending);
        }
        for (const socket_pair& pair : pairs)
            if (pair.ours) bare.driver.close(pair.ours.get());
    }
}

TEST_F(uring_tests, a_destroyed_driver_keeps_no_file_open) {
    socket_pair pair;
    {
        bare_driver bare;
        counted_operation receive(io_kind::receive, pair.ours.get());
        bare.start(receive);
        bare.look();
        bare.driver.discard(receive);
    }
    pair.ours.reset();
    char byte;
    EXPECT_EQ(::recv(pair.theirs.get(), &byte, 1, 0), 0);
}

}  // namespace
}  // namespace loopbench::loop
