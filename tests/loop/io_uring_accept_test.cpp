// The io_uring driver's multishot accept: what comes before it is asked for, is kept for the next accept or
// closed, and there are few of them.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "loop/net/socket_calls.hpp"
#include "tests/loop/descriptor_limit.hpp"
#include "tests/loop/uring_support.hpp"

namespace loopbench::loop {
namespace {

class uring_listener_tests : public uring_tests {
protected:
    void SetUp() override {
        uring_tests::SetUp();
        if (!IsSkipped()) bare.emplace();
    }

    /// A client of whom nothing is heard yet: one socket less is needed when it connects.
    static unique_fd make_client() { return open_stream(AF_INET); }

    /// Connected when this returns: it is in the backlog, or accepted already.
    void connect(unique_fd client) {
        endpoint address = local_endpoint(listener.get());
        static_cast<void>(
            ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address.address()), address.bytes()));
        clients.push_back(std::move(client));
    }

    /// One client after the other, and the driver looks each time.
    void connect_one_by_one(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            connect(make_client());
            bare->look();
        }
    }

    unique_fd accept() {
        counted_operation op(io_kind::accept, listener.get());
        bare->start(op);
        bare->run(op);
        EXPECT_GE(op.result, 0);
        return unique_fd(static_cast<int>(op.result));
    }

    /// What is left for others, a file at a time, past the driver.
    std::size_t count_backlog() {
        std::size_t count = 0;
        while (unique_fd(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC))) ++count;
        return count;
    }

    /// Afterwards the listener is fed, and nobody waits for a connection.
    void feed_listener() {
        for (int i = 0; i < 2; ++i) {
            connect(make_client());
            static_cast<void>(accept());
            clients.pop_back();
        }
    }

    /// The kernel is entered, and accepts, but no completion is taken.
    void enter_without_looking() {
        const stream_pair pair;
        counted_operation other(io_kind::read, pair.ours.get());
        bare->start(other);
        bare->driver.abandon(other);
    }

    void expect_that_clients_see_the_end() const {
        for (const unique_fd& client : clients) {
            pollfd waiting{client.get(), POLLIN, 0};
            ASSERT_EQ(::poll(&waiting, 1, 10'000), 1) << "nobody has closed it";
            char byte;
            EXPECT_EQ(::recv(client.get(), &byte, 1, 0), 0);
        }
    }

    static bool are_connected(const unique_fd& client, const unique_fd& server) {
        sockaddr_storage peer{};
        socklen_t bytes = sizeof peer;
        checked(::getpeername(server.get(), reinterpret_cast<sockaddr*>(&peer), &bytes), "getpeername");
        return endpoint(peer, bytes).port() == local_endpoint(client.get()).port();
    }

    static constexpr std::size_t many = 40;
    static constexpr std::size_t few = 10;

    unique_fd listener = open_listener(endpoint::loopback(0));
    std::vector<unique_fd> clients;
    std::optional<bare_driver> bare;
};

TEST_F(uring_listener_tests, has_a_connection_before_it_is_asked_for_from_the_second_accept_on) {
    feed_listener();
    for (int i = 0; i < 3; ++i) {
        connect_one_by_one(1);
        counted_operation op(io_kind::accept, listener.get());
        ASSERT_TRUE(bare->driver.start(op));
        const unique_fd accepted(static_cast<int>(op.result));
        EXPECT_TRUE(are_connected(clients.back(), accepted));
        EXPECT_EQ(::fcntl(accepted.get(), F_GETFL) & O_NONBLOCK, O_NONBLOCK);
        EXPECT_EQ(::fcntl(accepted.get(), F_GETFD), FD_CLOEXEC);
    }
}

TEST_F(uring_listener_tests, is_not_fed_after_a_single_accept) {
    connect(make_client());
    static_cast<void>(accept());
    connect_one_by_one(3);
    EXPECT_EQ(count_backlog(), 3U);
}

TEST_F(uring_listener_tests, gets_few_connections_while_its_server_pauses) {
    feed_listener();
    connect_one_by_one(many);
    for (std::size_t i = 0; i < few; ++i) static_cast<void>(accept());
    EXPECT_GE(count_backlog(), many - 2 * few) << "it has more than it asked for";
    EXPECT_EQ(bare->driver.in_flight(), 0U) << "a loop must not go on for what nobody waits for";
}

TEST_F(uring_listener_tests, hands_over_in_order_what_came_during_a_pause) {
    feed_listener();
    connect_one_by_one(many);
    for (std::size_t i = 0; i < many; ++i) EXPECT_TRUE(are_connected(clients[i], accept())) << "number " << i;
    connect_one_by_one(3);
    for (std::size_t i = many; i < clients.size(); ++i)
        EXPECT_TRUE(are_connected(clients[i], accept())) << "number " << i;
}

TEST_F(uring_listener_tests, hands_over_in_order_what_the_end_of_its_feed_crosses) {
    feed_listener();
    counted_operation withdrawn(io_kind::accept, listener.get());
    bare->start(withdrawn);
    connect(make_client());
    enter_without_looking();
    connect(make_client());
    bare->driver.cancel(withdrawn);
    for (const unique_fd& client : clients) EXPECT_TRUE(are_connected(client, accept()));
    EXPECT_EQ(withdrawn.result, -ECANCELED);
    EXPECT_EQ(withdrawn.completions, 1);
}

TEST_F(uring_listener_tests, tells_an_accept_nothing_of_the_end_of_a_feed_that_others_have_left) {
    feed_listener();
    counted_operation withdrawn(io_kind::accept, listener.get());
    counted_operation next(io_kind::accept, listener.get());
    bare->start(withdrawn);
    bare->look();
    bare->driver.cancel(withdrawn);
    bare->start(next);
    bare->look();
    connect(make_client());
    bare->run(next);
    EXPECT_TRUE(are_connected(clients.back(), unique_fd(static_cast<int>(next.result))));
}

TEST_F(uring_listener_tests, serves_a_burst_and_several_that_wait) {
    feed_listener();
    counted_operation one(io_kind::accept, listener.get());
    counted_operation two(io_kind::accept, listener.get());
    bare->start(one);
    bare->start(two);
    for (std::size_t i = 0; i < many; ++i) connect(make_client());
    bare->run(one);
    bare->run(two);
    EXPECT_TRUE(are_connected(clients[0], unique_fd(static_cast<int>(one.result))));
    EXPECT_TRUE(are_connected(clients[1], unique_fd(static_cast<int>(two.result))));
    for (std::size_t i = 2; i < many; ++i) EXPECT_TRUE(are_connected(clients[i], accept()));
}

// One connection wakes one of the kernel's accepts.
TEST_F(uring_listener_tests, serves_another_accept_when_the_one_that_was_woken_is_taken_back) {
    for (const bool abandoned : {false, true}) {
        counted_operation woken(io_kind::accept, listener.get());
        counted_operation other(io_kind::accept, listener.get());
        bare->start(woken);
        bare->start(other);
        bare->look();
        connect(make_client());
        if (abandoned) {
            bare->driver.abandon(woken);
        } else {
            bare->driver.cancel(woken);
            bare->run(woken);
            ASSERT_EQ(woken.result, -ECANCELED);
        }
        bare->run(other);
        EXPECT_TRUE(are_connected(clients.back(), unique_fd(static_cast<int>(other.result))));
        // The next round is of a listener that has never been fed.
        bare->driver.forget(listener.get());
        listener = open_listener(endpoint::loopback(0));
    }
}

TEST_F(uring_listener_tests, serves_each_of_several_accepts_in_the_order_in_which_they_asked) {
    counted_operation one(io_kind::accept, listener.get());
    counted_operation two(io_kind::accept, listener.get());
    counted_operation three(io_kind::accept, listener.get());
    for (counted_operation* op : {&one, &two, &three}) bare->start(*op);
    for (int round = 0; round < 5; ++round) {
        for (counted_operation* op : {&one, &two, &three}) {
            connect_one_by_one(1);
            bare->run(*op);
            EXPECT_TRUE(are_connected(clients.back(), unique_fd(static_cast<int>(op->result)))) << round;
            op->completions = 0;
            bare->start(*op);
        }
    }
    for (counted_operation* op : {&one, &two, &three}) bare->driver.abandon(*op);
}

TEST_F(uring_listener_tests, is_fed_again_when_the_queue_of_completions_has_overflown) {
    bare.emplace(uring_limits{.submissions = 8, .completions = 16, .buffers = 4});
    feed_listener();
    counted_operation first(io_kind::accept, listener.get());
    bare->start(first);
    for (std::size_t i = 0; i < many; ++i) connect(make_client());
    bare->run(first);
    EXPECT_TRUE(are_connected(clients[0], unique_fd(static_cast<int>(first.result))));
    for (std::size_t i = 1; i < many; ++i) EXPECT_TRUE(are_connected(clients[i], accept()));
}

TEST_F(uring_listener_tests, gives_connections_to_accepts_alone) {
    feed_listener();
    connect_one_by_one(1);
    counted_operation receive(io_kind::receive, listener.get());
    bare->start(receive);
    bare->run(receive);
    EXPECT_EQ(receive.result, -ENOTCONN);
    EXPECT_TRUE(are_connected(clients.back(), accept()));

    const stream_pair pair;
    counted_operation first(io_kind::receive, pair.ours.get(), 1);
    bare->start(first);
    pair.send("more than one");
    bare->run(first);
    counted_operation no_listener(io_kind::accept, pair.ours.get());
    bare->start(no_listener);
    bare->run(no_listener);
    EXPECT_EQ(no_listener.result, -EINVAL);
}

TEST_F(uring_listener_tests, leaves_connections_to_others_when_its_accept_is_taken_back) {
    feed_listener();
    for (const bool abandoned : {false, true}) {
        counted_operation op(io_kind::accept, listener.get());
        bare->start(op);
        bare->look();
        if (abandoned) {
            bare->driver.abandon(op);
        } else {
            bare->driver.cancel(op);
        }
        bare->look();
        connect_one_by_one(3);
        ASSERT_EQ(count_backlog(), 3U) << (abandoned ? "abandoned" : "cancelled");
        connect_one_by_one(1);
        EXPECT_TRUE(are_connected(clients.back(), accept()));
    }
}

TEST_F(uring_listener_tests, closes_what_nobody_asked_for_when_it_is_closed) {
    feed_listener();
    connect_one_by_one(3);
    connect(make_client());
    enter_without_looking();  // the fourth comes when the listener is forgotten
    bare->driver.forget(listener.get());
    listener.reset();
    bare->look();
    expect_that_clients_see_the_end();
}

TEST_F(uring_listener_tests, gets_no_connection_of_the_one_that_had_its_number) {
    feed_listener();
    connect(make_client());
    enter_without_looking();
    const int number = listener.get();
    bare->driver.forget(number);
    const unique_fd next = open_listener(endpoint::loopback(0));
    ASSERT_EQ(::dup3(next.get(), number, O_CLOEXEC), number);
    feed_listener();
    EXPECT_EQ(count_backlog(), 0U);
    expect_that_clients_see_the_end();
    clients.clear();
    connect_one_by_one(1);
    EXPECT_TRUE(are_connected(clients.back(), accept()));
}

TEST_F(uring_listener_tests, leaves_its_number_to_a_stream_that_is_fed_with_bytes) {
    feed_listener();
    const int number = listener.get();
    bare->driver.forget(number);
    const stream_pair pair;
    ASSERT_EQ(::dup3(pair.ours.get(), number, O_CLOEXEC), number);
    counted_operation first(io_kind::receive, number);
    bare->start(first);
    pair.send("first");
    bare->run(first);
    pair.send("second");
    bare->look();
    counted_operation second(io_kind::receive, number);
    ASSERT_TRUE(bare->driver.start(second));
    EXPECT_EQ(second.received(), "second");
}

TEST_F(uring_listener_tests, leaves_nothing_open_when_the_driver_is_destroyed) {
    feed_listener();
    connect_one_by_one(3);
    connect(make_client());
    enter_without_looking();
    bare.reset();
    expect_that_clients_see_the_end();
}

TEST_F(uring_listener_tests, says_that_descriptors_have_run_out_to_those_who_wait_and_recovers) {
    const test::descriptor_limit limit;
    unique_fd client = make_client();
    unique_fd other = make_client();
    const unique_fd lowest_free(checked(::dup(listener.get()), "dup"));
    const int spare = lowest_free.get() + 4;  // the kernel looks at the limit when the accept is armed
    ASSERT_TRUE(limit.set(static_cast<rlim_t>(spare)));
    feed_listener();
    std::vector<unique_fd> hoard;
    for (int fd; (fd = ::dup(listener.get())) >= 0;) hoard.emplace_back(fd);

    connect(std::move(other));
    bare->look();  // nobody waits, so nobody is told, and it is in the backlog still
    hoard.pop_back();
    EXPECT_TRUE(are_connected(clients.back(), accept()));

    counted_operation told(io_kind::accept, listener.get());
    bare->start(told);
    bare->look();
    for (int fd; (fd = ::dup(listener.get())) >= 0;) hoard.emplace_back(fd);
    connect(std::move(client));
    bare->run(told);
    EXPECT_EQ(told.result, -EMFILE);
    hoard.clear();
    EXPECT_TRUE(are_connected(clients.back(), accept()));
}

}  // namespace
}  // namespace loopbench::loop
