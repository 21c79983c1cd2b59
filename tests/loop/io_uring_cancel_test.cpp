// What the io_uring driver leaves behind of an operation that is taken back and of a descriptor that is
// closed: nothing.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>

#include "loop/net/socket_calls.hpp"
#include "tests/loop/full_listener.hpp"
#include "tests/loop/uring_support.hpp"

namespace loopbench::loop {
namespace {

TEST_F(uring_tests, completes_a_cancelled_receive_once_and_loses_no_byte) {
    bare_driver bare;
    const stream_pair pair;
    counted_operation cancelled(io_kind::receive, pair.ours.get());
    bare.start(cancelled);
    bare.look();
    pair.send("kept");
    bare.driver.cancel(cancelled);
    bare.run(cancelled);
    EXPECT_EQ(cancelled.result, -ECANCELED);
    counted_operation next(io_kind::receive, pair.ours.get());
    bare.start(next);
    bare.run(next);
    EXPECT_EQ(next.received(), "kept");
    EXPECT_EQ(cancelled.completions, 1);
}

TEST_F(uring_tests, cancels_whatever_is_pending) {
    bare_driver bare;
    test::full_listener full;
    const unique_fd idle = open_listener(endpoint::loopback(0));
    const unique_fd connecting = open_stream(AF_INET);
    const stream_pair pair;
    counted_operation accept(io_kind::accept, idle.get());
    counted_operation connect(io_kind::connect, connecting.get());
    connect.address = &full.address.address();
    connect.address_bytes = full.address.bytes();
    counted_operation readable(io_kind::readable, pair.ours.get());
    counted_operation datagram(io_kind::receive_from, pair.theirs.get());
    const std::array all{&accept, &connect, &readable, &datagram};
    for (counted_operation* op : all) bare.start(*op);
    bare.look();
    EXPECT_EQ(bare.driver.in_flight(), all.size());
    for (counted_operation* op : all) bare.driver.cancel(*op);
    bare.run(all);
    for (const counted_operation* op : all) {
        EXPECT_EQ(op->result, -ECANCELED);
        EXPECT_EQ(op->completions, 1);
    }
    EXPECT_EQ(bare.driver.in_flight(), 0U);
}

TEST_F(uring_tests, cancels_a_read_of_a_file_that_blocks) {
    bare_driver bare;
    const unique_fd blocking(checked(::inotify_init1(IN_CLOEXEC), "inotify_init1"));
    counted_operation read(io_kind::read, blocking.get());
    bare.start(read);
    bare.look();
    bare.driver.cancel(read);
    bare.run(read);
    EXPECT_EQ(read.result, -ECANCELED);
}

TEST_F(uring_tests, ends_everything_on_a_descriptor_that_is_forgotten) {
    bare_driver bare;
    stream_pair pair;
    while (::send(pair.ours.get(), "full", 4, MSG_NOSIGNAL) > 0) {
    }
    counted_operation receive(io_kind::receive, pair.ours.get());
    counted_operation send(io_kind::send, pair.ours.get());
    counted_operation writable(io_kind::writable, pair.ours.get());
    const std::array all{&receive, &send, &writable};
    for (counted_operation* op : all) bare.start(*op);
    bare.look();
    EXPECT_EQ(bare.driver.in_flight(), all.size());
    bare.driver.forget(pair.ours.get());
    pair.ours.reset();
    bare.run(all);
    for (const counted_operation* op : all) EXPECT_EQ(op->result, -ECANCELED);
    EXPECT_EQ(bare.driver.in_flight(), 0U);
}

TEST_F(uring_tests, hands_over_what_was_started_before_a_descriptor_is_closed) {
    bare_driver bare;
    stream_pair pair;
    counted_operation send(io_kind::send, pair.ours.get(), 4);
    bare.start(send);
    bare.driver.forget(pair.ours.get());
    pair.ours.reset();
    std::array<char, 16> seen;
    EXPECT_EQ(::recv(pair.theirs.get(), seen.data(), seen.size(), 0), 4);
    bare.run(send);
    EXPECT_EQ(send.result, 4);
}

TEST_F(uring_tests, lets_the_peer_see_the_end_as_soon_as_a_descriptor_is_closed) {
    bare_driver bare;
    stream_pair pair;
    counted_operation receive(io_kind::receive, pair.ours.get());
    bare.start(receive);
    bare.look();
    bare.driver.forget(pair.ours.get());
    pair.ours.reset();
    char byte;
    EXPECT_EQ(::recv(pair.theirs.get(), &byte, 1, 0), 0) << "the ring still holds the file";
    bare.run(receive);
}

TEST_F(uring_tests, gives_no_data_of_a_closed_descriptor_to_the_next_of_its_number) {
    bare_driver bare;
    stream_pair old;
    counted_operation receive(io_kind::receive, old.ours.get());
    bare.start(receive);
    bare.look();
    old.send("old");  // its completion comes when the new one is there
    const int number = old.ours.get();
    bare.driver.forget(number);
    stream_pair fresh;
    ASSERT_EQ(::dup3(fresh.ours.get(), number, O_CLOEXEC), number);
    counted_operation next(io_kind::receive, number);
    bare.start(next);
    bare.look();
    fresh.send("new");
    bare.run(next);
    EXPECT_EQ(next.received(), "new");
    EXPECT_EQ(receive.result, -ECANCELED);
}

TEST_F(uring_tests, leaves_an_abandoned_operation_alone) {
    bare_driver bare;
    const stream_pair pair;
    const stream_pair other;
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
    bare.driver.abandon(*read);
    bare.driver.abandon(*receive);
    read.reset();  // AddressSanitizer sees who still touches them
    receive.reset();
    ASSERT_EQ(::write(writer.get(), "x", 1), 1);
    pair.send("y");
    bare.run(bystander);
    EXPECT_EQ(bystander.completions, 1);
    EXPECT_EQ(bare.driver.in_flight(), 0U);
    char byte;
    EXPECT_EQ(::read(reader.get(), &byte, 1), 1) << "the kernel read for an operation that was gone";
}

TEST_F(uring_tests, closes_the_connection_that_an_abandoned_accept_had_got) {
    bare_driver bare;
    const unique_fd listener = open_listener(endpoint::loopback(0));
    endpoint address = local_endpoint(listener.get());
    const unique_fd client = open_stream(AF_INET);
    const stream_pair pair;
    counted_operation accept(io_kind::accept, listener.get());
    counted_operation other(io_kind::read, pair.ours.get());
    bare.start(accept);
    bare.start(other);
    bare.look();
    static_cast<void>(
        ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address.address()), address.bytes()));
    bare.driver.abandon(other);  // enters the kernel, which accepts
    bare.driver.abandon(accept);
    pollfd waiting{client.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&waiting, 1, 10'000), 1) << "nobody has closed it";
    char byte;
    EXPECT_EQ(::recv(client.get(), &byte, 1, 0), 0);
}

TEST_F(uring_tests, holds_no_file_after_its_destruction) {
    stream_pair pair;
    {
        bare_driver bare;
        counted_operation receive(io_kind::receive, pair.ours.get());
        bare.start(receive);
        bare.look();
        bare.driver.abandon(receive);  // the feed goes on
    }
    pair.ours.reset();
    char byte;
    EXPECT_EQ(::recv(pair.theirs.get(), &byte, 1, 0), 0);
}

}  // namespace
}  // namespace loopbench::loop
