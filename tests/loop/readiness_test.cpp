// How readiness becomes completion, with a poller that reports what a test tells it to.
#include "loop/drivers/readiness.hpp"

#include <deque>

#include "loop/net/socket_calls.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

/// What was asked of the poller, and what it is going to report.
template <bool EdgeTriggered>
struct scripted_poller {
    struct watched {
        int fd;
        std::uint32_t generation;
        bool in;
        bool out;
    };

    static constexpr bool edge_triggered = EdgeTriggered;
    void watch(int fd, std::uint32_t generation, bool in, bool out) {
        watches.push_back({fd, generation, in, out});
    }
    void unwatch(int fd) { unwatched.push_back(fd); }
    void closing(int fd) { unwatched.push_back(fd); }
    template <class Report>
    void wait(time_point, Report&& report) {
        for (const readiness_event& event : std::exchange(events, {})) report(event);
    }
    void wake() noexcept {}

    std::vector<watched> watches;
    std::vector<int> unwatched;
    std::deque<readiness_event> events;
};

template <class Poller>
class readiness : public testing::Test {
protected:
    readiness() {
        int ends[2];
        checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
        ours.reset(ends[0]);
        peer.reset(ends[1]);
    }

    void use_tcp() {
        const unique_fd listener = open_listener(endpoint::loopback(0));
        const endpoint where = local_endpoint(listener.get());
        peer.reset(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
        checked(::connect(peer.get(), reinterpret_cast<const sockaddr*>(&where.address()), where.bytes()),
                "connect");
        ours.reset(
            checked(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC), "accept4"));
    }

    io_operation reading(std::size_t bytes = 8) {
        io_operation op{};
        op.kind = io_kind::receive;
        op.fd = ours.get();
        op.data = buffer.data();
        op.size = bytes;
        return op;
    }

    void report(std::uint32_t generation, bool hung_up = false) {
        driver.poller().events.push_back(
            {.fd = ours.get(), .generation = generation, .in = true, .out = false, .hung_up = hung_up});
        driver.wait(do_not_wait);
    }

    unique_fd ours;
    unique_fd peer;
    std::array<std::byte, 64> buffer;
    operation_queue ready;
    readiness_driver<Poller> driver{ready};
};

using pollers = testing::Types<scripted_poller<true>, scripted_poller<false>>;

struct poller_names {
    template <class P>
    static std::string GetName(int) {
        return P::edge_triggered ? "edge_triggered" : "level_triggered";
    }
};

}  // namespace

TYPED_TEST_SUITE(readiness, pollers, poller_names);

TYPED_TEST(readiness, completes_at_once_what_need_not_wait) {
    put(this->peer.get(), "abc");
    auto op = this->reading();
    EXPECT_TRUE(this->driver.start(op));
    EXPECT_EQ(op.result, 3);
    EXPECT_TRUE(this->driver.poller().watches.empty());
    EXPECT_TRUE(this->ready.empty());
}

TYPED_TEST(readiness, of_a_closed_file_does_not_touch_the_next_one_of_its_number) {
    auto before = this->reading();
    ASSERT_FALSE(this->driver.start(before));
    const std::uint32_t old_generation = this->driver.poller().watches.back().generation;
    this->driver.forget(this->ours.get());
    EXPECT_EQ(before.result, -ECANCELED);
    EXPECT_EQ(&this->ready.pop(), &before);
    EXPECT_EQ(this->driver.poller().unwatched, std::vector{this->ours.get()});

    auto after = this->reading();
    ASSERT_FALSE(this->driver.start(after));
    put(this->peer.get(), "abc");
    this->report(old_generation);
    EXPECT_TRUE(after.pending) << "the event was the old file's";
    this->report(this->driver.poller().watches.back().generation);
    EXPECT_FALSE(after.pending);
    EXPECT_EQ(after.result, 3);
}

TYPED_TEST(readiness, is_not_asked_for_again_where_a_short_read_has_told_that_nothing_is_left) {
    this->use_tcp();
    put(this->peer.get(), "abc");
    auto first = this->reading();
    ASSERT_TRUE(this->driver.start(first));
    put(this->peer.get(), "def");  // the kernel would say so; nobody has asked it
    auto second = this->reading();
    EXPECT_FALSE(this->driver.start(second));
    this->report(this->driver.poller().watches.back().generation);
    EXPECT_EQ(second.result, 3);
}

// A short read of a Unix stream may have stopped at a message with descriptors, and no further edge would
// tell.
TYPED_TEST(readiness, by_edges_stays_after_a_short_read_of_a_unix_stream) {
    put(this->peer.get(), "abc");
    auto first = this->reading();
    ASSERT_TRUE(this->driver.start(first));
    put(this->peer.get(), "def");
    auto second = this->reading();
    EXPECT_EQ(this->driver.start(second), TypeParam::edge_triggered);
    if (second.pending) this->driver.abandon(second);
}

TYPED_TEST(readiness, stays_when_there_is_urgent_data) {
    this->use_tcp();
    auto first = this->reading();
    ASSERT_FALSE(this->driver.start(first));
    put(this->peer.get(), "abc");
    this->driver.poller().events.push_back({.fd = this->ours.get(),
                                            .generation = this->driver.poller().watches.back().generation,
                                            .in = true,
                                            .out = false,
                                            .hung_up = false,
                                            .urgent = true});
    this->driver.wait(do_not_wait);
    EXPECT_EQ(first.result, 3);
    put(this->peer.get(), "efg");
    auto second = this->reading();
    EXPECT_TRUE(this->driver.start(second));
    EXPECT_EQ(second.result, 3);
}

TYPED_TEST(readiness, goes_on_after_a_full_read_without_waiting) {
    put(this->peer.get(), "abcdef");
    auto first = this->reading(3);
    auto second = this->reading(3);
    EXPECT_TRUE(this->driver.start(first));
    EXPECT_TRUE(this->driver.start(second));
    EXPECT_EQ(second.result, 3);
}

// After the last bytes there is the end to be read, and an edge-triggered poller will not report it again.
TYPED_TEST(readiness, stays_when_the_peer_has_hung_up) {
    auto first = this->reading();
    ASSERT_FALSE(this->driver.start(first));
    put(this->peer.get(), "abc");
    this->peer.reset();
    this->report(this->driver.poller().watches.back().generation, true);
    EXPECT_EQ(first.result, 3);
    auto second = this->reading();
    EXPECT_TRUE(this->driver.start(second));
    EXPECT_EQ(second.result, 0);
}

TYPED_TEST(readiness, that_comes_in_vain_leaves_the_operation_waiting) {
    auto op = this->reading();
    ASSERT_FALSE(this->driver.start(op));
    this->report(this->driver.poller().watches.back().generation);
    EXPECT_TRUE(op.pending);
    EXPECT_EQ(this->driver.in_flight(), 1u);
    this->driver.abandon(op);
    EXPECT_EQ(this->driver.in_flight(), 0u);
}

TYPED_TEST(readiness, is_watched_once_by_edges_and_while_it_is_wanted_by_levels) {
    for (int i = 0; i < 3; ++i) {
        auto op = this->reading();
        ASSERT_FALSE(this->driver.start(op));
        this->driver.cancel(op);
        EXPECT_EQ(op.result, -ECANCELED);
        EXPECT_EQ(&this->ready.pop(), &op);
    }
    EXPECT_EQ(this->driver.poller().watches.size(), TypeParam::edge_triggered ? 1u : 6u);
    EXPECT_EQ(this->driver.poller().watches.back().in, TypeParam::edge_triggered);
}

TYPED_TEST(readiness, of_a_closed_descriptor_is_not_asked_for_and_nobody_else_is_forgotten) {
    constexpr int high = 200;
    checked(::dup2(this->ours.get(), high), "dup2");
    this->ours.reset(high);
    auto waiting = this->reading();
    ASSERT_FALSE(this->driver.start(waiting));
    auto refused = this->reading();
    refused.fd = -1;
    EXPECT_TRUE(this->driver.start(refused));
    EXPECT_EQ(refused.result, -EBADF);
    put(this->peer.get(), "abc");
    this->report(this->driver.poller().watches.back().generation);
    EXPECT_EQ(waiting.result, 3);
    EXPECT_FALSE(waiting.pending);
}

TYPED_TEST(readiness, serves_those_who_wait_in_the_order_in_which_they_came) {
    auto first = this->reading(3);
    auto second = this->reading(3);
    ASSERT_FALSE(this->driver.start(first));
    ASSERT_FALSE(this->driver.start(second));
    put(this->peer.get(), "abc");
    this->report(this->driver.poller().watches.back().generation);
    EXPECT_FALSE(first.pending);
    EXPECT_TRUE(second.pending);
    this->driver.abandon(second);
    EXPECT_EQ(&this->ready.pop(), &first);
}

}  // namespace loopbench::loop::test
