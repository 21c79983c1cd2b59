// Tests the accepts of the io_uring driver, which submits at most one accept per listener at a time.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "loop/net/sockets.hpp"
#include "tests/loop/descriptor_limit.hpp"
#include "tests/loop/io/uring_support.hpp"

namespace loopbench::loop {
namespace {

std::ptrdiff_t count_open_files() {
    const std::filesystem::directory_iterator open("/proc/self/fd");
    return std::distance(begin(open), end(open));
}

class uring_listener_tests : public uring_tests {
protected:
    void SetUp() override {
        uring_tests::SetUp();
        if (!IsSkipped()) bare.emplace();
    }

    static unique_fd make_client() { return open_stream(AF_INET); }

    void connect(unique_fd client) {
        endpoint address = local_endpoint(listener.get());
        static_cast<void>(
            ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address.address()), address.bytes()));
        clients.push_back(std::move(client));
    }
    void connect(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) connect(make_client());
    }

    void connect_one_by_one(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            connect(make_client());
            bare->look();
        }
    }

    unique_fd accept() {
        counted_operation op(io_kind::accept, listener.get());
        bare->finish(op);
        EXPECT_GE(op.result, 0);
        return unique_fd(static_cast<int>(op.result));
    }

    std::vector<std::unique_ptr<counted_operation>> start_accepts(std::size_t count) {
        std::vector<std::unique_ptr<counted_operation>> accepts;
        for (std::size_t i = 0; i < count; ++i) {
            accepts.push_back(std::make_unique<counted_operation>(io_kind::accept, listener.get()));
            bare->start(*accepts.back());
        }
        return accepts;
    }

    std::size_t count_backlog() {
        std::size_t count = 0;
        while (unique_fd(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC))) ++count;
        return count;
    }

    /// Lets the kernel complete all requests that can complete, but does not process the completions.
    void enter_without_looking() {
        const socket_pair pair;
        others.push_back(std::make_unique<counted_operation>(io_kind::read, pair.ours.get()));
        bare->start(*others.back());
        bare->driver.close(pair.ours.get());
    }

    void expect_that_clients_see_the_end() const {
        for (const unique_fd& client : clients) {
            pollfd waiting{client.get(), POLLIN, 0};
            ASSERT_EQ(::poll(&waiting, 1, 10'000), 1)
                << "the peer must receive the end of the stream: the socket is still open";
            char byte;
            EXPECT_LE(::recv(client.get(), &byte, 1, 0), 0);
        }
    }

    static bool are_connected(const unique_fd& client, const unique_fd& server) {
        return remote_endpoint(server.get()).port() == local_endpoint(client.get()).port();
    }

    static constexpr std::size_t many = 40;
    static constexpr std::size_t few = 10;

    unique_fd listener = open_listener(endpoint::loopback(0));
    std::vector<unique_fd> clients;
    std::vector<std::unique_ptr<counted_operation>> others;
    std::optional<bare_driver> bare;
};

TEST_F(uring_listener_tests, accepted_sockets_do_not_block_and_are_closed_on_exec) {
    for (const bool was_there_before : {false, true}) {
        if (was_there_before) connect(2);
        counted_operation op(io_kind::accept, listener.get());
        bare->start(op);
        if (!was_there_before) connect_one_by_one(1);
        bare->run(op);
        const unique_fd accepted(static_cast<int>(op.result));
        EXPECT_EQ(::fcntl(accepted.get(), F_GETFL) & O_NONBLOCK, O_NONBLOCK);
        EXPECT_EQ(::fcntl(accepted.get(), F_GETFD), FD_CLOEXEC);
    }
}

TEST_F(uring_listener_tests, an_accept_takes_a_connection_from_the_backlog_without_a_request_to_the_ring) {
    connect(3);
    static_cast<void>(accept());
    const std::uint64_t before = bare->driver.ring().requests();
    for (int i = 1; i < 3; ++i) {
        counted_operation op(io_kind::accept, listener.get());
        ASSERT_TRUE(bare->driver.start(op));
        EXPECT_TRUE(
            are_connected(clients[static_cast<std::size_t>(i)], unique_fd(static_cast<int>(op.result))));
    }
    EXPECT_EQ(bare->driver.ring().requests(), before);
}

TEST_F(uring_listener_tests, the_driver_leaves_connections_in_the_backlog_while_no_accept_waits) {
    for (int i = 0; i < 3; ++i) {
        connect(1);
        static_cast<void>(accept());
        connect_one_by_one(3);
        EXPECT_EQ(count_backlog(), 3U);
    }
    connect_one_by_one(many);
    for (std::size_t i = 0; i < few; ++i) static_cast<void>(accept());
    bare->look();
    EXPECT_EQ(count_backlog(), many - few);
    EXPECT_EQ(bare->driver.pending(), 0U) << "no accept must be pending when no task waits";
}

TEST_F(uring_listener_tests, connections_that_arrived_while_no_accept_waited_are_accepted_in_order) {
    connect_one_by_one(many);
    for (std::size_t i = 0; i < many; ++i) EXPECT_TRUE(are_connected(clients[i], accept())) << "number " << i;
    connect_one_by_one(3);
    for (std::size_t i = many; i < clients.size(); ++i)
        EXPECT_TRUE(are_connected(clients[i], accept())) << "number " << i;
}

TEST_F(uring_listener_tests, connections_that_arrive_before_a_cancellation_are_accepted_in_order) {
    counted_operation cancelled(io_kind::accept, listener.get());
    bare->start(cancelled);
    bare->look();
    connect(1);
    enter_without_looking();
    connect(1);
    bare->driver.cancel(cancelled);
    bare->run(cancelled);
    ASSERT_GE(cancelled.result, 0) << "an accept that has a connection before its cancellation must succeed";
    EXPECT_TRUE(are_connected(clients[0], unique_fd(static_cast<int>(cancelled.result))));
    EXPECT_TRUE(are_connected(clients[1], accept()));
    EXPECT_EQ(cancelled.completions, 1);
}

TEST_F(uring_listener_tests, an_accept_that_starts_while_another_accept_is_being_cancelled_is_served) {
    counted_operation cancelled(io_kind::accept, listener.get());
    counted_operation next(io_kind::accept, listener.get());
    bare->start(cancelled);
    bare->look();
    bare->driver.cancel(cancelled);
    bare->start(next);
    bare->look();
    EXPECT_EQ(cancelled.result, -ECANCELED);
    connect(1);
    bare->run(next);
    EXPECT_TRUE(are_connected(clients.back(), unique_fd(static_cast<int>(next.result))));
}

TEST_F(uring_listener_tests, a_burst_of_connections_serves_several_waiting_accepts) {
    counted_operation one(io_kind::accept, listener.get());
    counted_operation two(io_kind::accept, listener.get());
    bare->start(one);
    bare->start(two);
    connect(many);
    bare->run(one);
    bare->run(two);
    EXPECT_TRUE(are_connected(clients[0], unique_fd(static_cast<int>(one.result))));
    EXPECT_TRUE(are_connected(clients[1], unique_fd(static_cast<int>(two.result))));
    for (std::size_t i = 2; i < many; ++i) EXPECT_TRUE(are_connected(clients[i], accept()));
}

// The test starts no further accept, because the driver would then also serve an accept that it had
// forgotten.
TEST_F(uring_listener_tests, no_accept_waits_while_the_backlog_has_connections) {
    for (const std::size_t connections : {few, many}) {
        auto accepts = start_accepts(few);
        bare->look();
        connect(connections);
        for (std::size_t i = 0; i < few; ++i) {
            bare->run(*accepts[i]);
            EXPECT_TRUE(are_connected(clients[i], unique_fd(static_cast<int>(accepts[i]->result)))) << i;
            EXPECT_EQ(accepts[i]->completions, 1);
        }
        EXPECT_EQ(bare->driver.pending(), 0U);
        EXPECT_EQ(count_backlog(), connections - few);
        clients.clear();
    }
}

TEST_F(uring_listener_tests,
       a_second_waiting_accept_is_served_if_the_woken_accept_is_cancelled_or_discarded) {
    for (const bool discarded : {false, true}) {
        counted_operation woken(io_kind::accept, listener.get());
        counted_operation other(io_kind::accept, listener.get());
        bare->start(woken);
        bare->start(other);
        bare->look();
        connect(1);
        if (discarded) {
            bare->driver.discard(woken);
        } else {
            bare->driver.cancel(woken);
            bare->run(woken);
            ASSERT_EQ(woken.result, -ECANCELED);
        }
        bare->run(other);
        EXPECT_TRUE(are_connected(clients.back(), unique_fd(static_cast<int>(other.result))));
        bare->driver.close(listener.get());
        listener = open_listener(endpoint::loopback(0));
    }
}

TEST_F(uring_listener_tests,
       the_remaining_accepts_are_served_if_one_waiting_accept_is_cancelled_or_discarded) {
    for (const std::size_t taken_back : {0U, 1U, 2U}) {
        for (const bool discarded : {false, true}) {
            auto accepts = start_accepts(3);
            bare->look();
            counted_operation& gone = *accepts[taken_back];
            if (discarded) {
                bare->driver.discard(gone);
            } else {
                bare->driver.cancel(gone);
            }
            connect(2);
            std::size_t client = 0;
            for (std::size_t i = 0; i < 3; ++i) {
                if (i == taken_back) continue;
                bare->run(*accepts[i]);
                EXPECT_TRUE(
                    are_connected(clients[client++], unique_fd(static_cast<int>(accepts[i]->result))));
            }
            EXPECT_EQ(gone.completions, discarded ? 0 : 1);
            EXPECT_EQ(bare->driver.pending(), 0U);
            clients.clear();
        }
    }
}

TEST_F(uring_listener_tests, discarding_an_accept_that_has_a_connection_leaks_no_descriptor) {
    connect(1);
    static_cast<void>(accept());
    const std::ptrdiff_t before = count_open_files();
    {
        counted_operation next(io_kind::accept, listener.get());
        auto discarded = std::make_unique<counted_operation>(io_kind::accept, listener.get());
        bare->start(*discarded);
        bare->start(next);
        bare->look();
        clients.clear();
        connect(1);
        enter_without_looking();
        bare->driver.discard(*discarded);
        EXPECT_EQ(discarded->completions, 0);
        discarded.reset();  // AddressSanitizer detects later accesses
        expect_that_clients_see_the_end();
        connect(1);
        bare->run(next);
        EXPECT_TRUE(are_connected(clients.back(), unique_fd(static_cast<int>(next.result))));
        clients.clear();
    }
    EXPECT_EQ(count_open_files(), before - 1) << "exactly one descriptor, the first client's, must be closed";
}

TEST_F(uring_listener_tests, several_accepts_are_served_in_the_order_of_their_start) {
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
    for (counted_operation* op : {&one, &two, &three}) bare->driver.discard(*op);
}

TEST_F(uring_listener_tests,
       all_accepts_are_served_although_the_ring_has_space_for_few_requests_and_completions) {
    bare.emplace(uring_limits{.submissions = 2, .completions = 4, .buffers = 4});
    auto accepts = start_accepts(many / 2);
    connect(many);
    for (std::size_t i = 0; i < many / 2; ++i) {
        bare->run(*accepts[i]);
        EXPECT_TRUE(are_connected(clients[i], unique_fd(static_cast<int>(accepts[i]->result))));
    }
    for (std::size_t i = many / 2; i < many; ++i) EXPECT_TRUE(are_connected(clients[i], accept()));
}

TEST_F(uring_listener_tests, a_receive_on_a_listener_fails_and_an_accept_on_a_stream_fails) {
    connect_one_by_one(1);
    counted_operation receive(io_kind::receive, listener.get());
    bare->finish(receive);
    EXPECT_EQ(receive.result, -ENOTCONN);
    EXPECT_TRUE(are_connected(clients.back(), accept()));

    const socket_pair pair;
    counted_operation first(io_kind::receive, pair.ours.get(), 1);
    bare->start(first);
    pair.send("more than one");
    bare->run(first);
    counted_operation no_listener(io_kind::accept, pair.ours.get());
    bare->finish(no_listener);
    EXPECT_EQ(no_listener.result, -EINVAL);
}

TEST_F(uring_listener_tests, a_cancelled_or_discarded_accept_leaves_later_connections_in_the_backlog) {
    for (const bool discarded : {false, true}) {
        counted_operation op(io_kind::accept, listener.get());
        bare->start(op);
        bare->look();
        if (discarded) {
            bare->driver.discard(op);
        } else {
            bare->driver.cancel(op);
        }
        bare->look();
        connect_one_by_one(3);
        ASSERT_EQ(count_backlog(), 3U) << (discarded ? "discarded" : "cancelled");
        connect_one_by_one(1);
        EXPECT_TRUE(are_connected(clients.back(), accept()));
    }
}

TEST_F(uring_listener_tests, closing_the_listener_ends_all_accepts_and_leaves_no_connection_open) {
    const std::ptrdiff_t before = count_open_files();
    auto accepts = start_accepts(3);
    bare->look();
    bare->driver.close(listener.get());
    listener.reset();
    for (const auto& op : accepts) {
        bare->run(*op);
        EXPECT_EQ(op->result, -ECANCELED);
    }
    listener = open_listener(endpoint::loopback(0));

    accepts = start_accepts(3);
    bare->look();
    connect(5);
    enter_without_looking();
    bare->driver.close(listener.get());
    listener.reset();
    std::size_t accepted = 0;
    for (const auto& op : accepts) {
        bare->run(*op);
        EXPECT_EQ(op->completions, 1);
        if (op->result < 0) {
            EXPECT_EQ(op->result, -ECANCELED);
        } else {
            ++accepted;
            ::close(static_cast<int>(op->result));
        }
    }
    EXPECT_EQ(accepted, 1U) << "a connection that the kernel delivered must not be lost";
    expect_that_clients_see_the_end();
    clients.clear();
    EXPECT_EQ(count_open_files(), before - 1) << "exactly one descriptor, the listener's, must be closed";
}

TEST_F(uring_listener_tests, a_listener_gets_no_connections_of_a_closed_listener_with_the_same_number) {
    connect(2);
    static_cast<void>(accept());
    counted_operation pending(io_kind::accept, listener.get());
    static_cast<void>(accept());
    bare->start(pending);
    bare->look();
    connect(2);
    const int number = listener.get();
    bare->driver.close(number);
    const unique_fd next = open_listener(endpoint::loopback(0));
    ASSERT_EQ(::dup3(next.get(), number, O_CLOEXEC), number);
    bare->run(pending);
    if (pending.result >= 0) ::close(static_cast<int>(pending.result));
    expect_that_clients_see_the_end();
    clients.clear();
    counted_operation of_the_next(io_kind::accept, number);
    bare->start(of_the_next);
    bare->look();
    EXPECT_EQ(of_the_next.completions, 0);
    connect(1);
    bare->run(of_the_next);
    EXPECT_TRUE(are_connected(clients.back(), unique_fd(static_cast<int>(of_the_next.result))));
}

TEST_F(uring_listener_tests, a_stream_can_reuse_the_descriptor_number_of_a_closed_listener) {
    counted_operation pending(io_kind::accept, listener.get());
    bare->start(pending);
    const int number = listener.get();
    bare->driver.close(number);
    const socket_pair pair;
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
    EXPECT_EQ(pending.result, -ECANCELED);
}

TEST_F(uring_listener_tests, destroying_the_driver_leaves_no_accepted_connection_open) {
    const std::ptrdiff_t before = count_open_files();
    bare.emplace();
    {
        auto accepts = start_accepts(3);
        bare->look();
        connect(3);
        enter_without_looking();
        for (const auto& op : accepts) bare->driver.discard(*op);
        bare.reset();
    }
    clients.clear();
    EXPECT_LT(count_open_files(), before) << "the first driver's files must be closed";
    EXPECT_EQ(count_backlog(), 2U);
}

TEST_F(uring_listener_tests, an_accept_reports_that_no_descriptor_is_free_and_a_later_accept_succeeds) {
    const test::descriptor_limit limit;
    unique_fd client = make_client();
    const unique_fd lowest_free(checked(::dup(listener.get()), "dup"));
    const int spare = lowest_free.get() + 4;  // the kernel reads the limit when an accept is submitted
    ASSERT_TRUE(limit.set(static_cast<rlim_t>(spare)));
    std::vector<unique_fd> hoard;
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
