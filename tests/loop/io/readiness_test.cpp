// How readiness becomes completion, with a kernel that reports what a test tells it to.
#include "loop/io/readiness.hpp"

#include <fcntl.h>

#include <utility>

#include "loop/net/sockets.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

/// What was asked of the kernel, and what it is going to report.
class scripted_driver final : public readiness_driver {
public:
    struct watched {
        int fd;
        std::uint32_t generation;
        bool in;
        bool out;
    };

    scripted_driver(ready_queue& ready, bool edge_triggered) : readiness_driver(ready, edge_triggered) {}

    void wake() noexcept override {}
    void wait_for_reports(time_point) override {
        for (const readiness_event& event : std::exchange(events, {})) report(event);
    }

    std::vector<watched> watches;
    std::vector<int> unwatched;
    std::vector<readiness_event> events;
    bool refuses = false;  // to watch anything more

private:
    void watch(int fd, bool in, bool out) override {
        if (refuses) throw_errno("no watch is left", ENOSPC);
        watches.push_back({fd, generation_of(fd), in, out});
        if (!in && !out) unwatched.push_back(fd);
    }
};

/// By edges, or by levels.
class readiness : public testing::TestWithParam<bool> {
protected:
    readiness() {
        ended.clear();
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
        op.complete = [](operation* ended_now, completion) { ended.push_back(ended_now); };
        op.kind = io_kind::receive;
        op.fd = ours.get();
        op.data = buffer.data();
        op.size = bytes;
        return op;
    }

    /// The kernel says so. What that lets go on is run with take_turn().
    void tell(std::uint32_t generation, bool hung_up = false) {
        driver.events.push_back(
            {.fd = ours.get(), .generation = generation, .in = true, .out = false, .hung_up = hung_up});
        driver.wait(do_not_wait);
    }
    void report(std::uint32_t generation, bool hung_up = false) {
        tell(generation, hung_up);
        take_turn();
    }

    /// The operation waits, and then something comes and the kernel says so.
    void wait_and_be_told(io_operation& op, std::string_view text = "abc") {
        ASSERT_FALSE(driver.start(op));
        put(peer.get(), text);
        tell(driver.watches.back().generation);
    }
    /// The same to its end.
    void wait_and_complete(io_operation& op) {
        wait_and_be_told(op);
        take_turn();
        ASSERT_EQ(op.result, 3);
    }

    void take_turn() {
        driver.wait(do_not_wait);
        while (!ready.empty()) run_next();
    }
    void run_next() {
        operation& next = ready.pop();
        next.complete(&next, completion::run);
    }

    /// From then on its calls are made when their turn has come.
    void receive_much() {
        put(peer.get(), std::string(much.size(), 'm'));
        auto op = reading();
        op.data = much.data();
        op.size = much.size();
        ASSERT_TRUE(driver.start(op));
        ASSERT_EQ(op.result, static_cast<std::int64_t>(much.size()));
        auto nothing_more = reading();
        ASSERT_FALSE(driver.start(nothing_more));
        driver.discard(nothing_more);
    }

    /// Receives messages that fill the buffer, each reported when somebody waits for it, until the driver has
    /// learned that another call after it is in vain.
    void receive_until_it_is_told_by_level() {
        for (int i = 0; i < 100 && (driver.watches.empty() || driver.watches.back().out); ++i) {
            auto op = reading(3);
            wait_and_complete(op);
            if (HasFatalFailure()) return;
        }
        ASSERT_TRUE(driver.watches.back().in);
        ASSERT_FALSE(driver.watches.back().out);
    }

    unique_fd ours;
    unique_fd peer;
    std::array<std::byte, 64> buffer;
    std::vector<std::byte> much = std::vector<std::byte>(16'384);
    ready_queue ready;
    scripted_driver driver{ready, /*edge_triggered=*/GetParam()};
    static inline std::vector<operation*> ended;  // in this order
};

std::string kind_of_readiness(const testing::TestParamInfo<bool>& by_edges) {
    return by_edges.param ? "edge_triggered" : "level_triggered";
}
INSTANTIATE_TEST_SUITE_P(, readiness, testing::Bool(), kind_of_readiness);

}  // namespace

TEST_P(readiness, completes_at_once_what_need_not_wait) {
    put(peer.get(), "abc");
    auto op = reading();
    EXPECT_TRUE(driver.start(op));
    EXPECT_EQ(op.result, 3);
    EXPECT_TRUE(driver.watches.empty());
    EXPECT_TRUE(ready.empty());
}

TEST_P(readiness, of_a_closed_file_does_not_touch_the_next_one_of_its_number) {
    auto before = reading();
    ASSERT_FALSE(driver.start(before));
    const std::uint32_t old_generation = driver.watches.back().generation;
    driver.close(ours.get());
    EXPECT_EQ(before.result, -ECANCELED);
    EXPECT_EQ(&ready.pop(), &before);
    // By edges, closing the file takes it out of the kernel's set.
    EXPECT_EQ(driver.unwatched, GetParam() ? std::vector<int>{} : std::vector{ours.get()});

    auto after = reading();
    ASSERT_FALSE(driver.start(after));
    put(peer.get(), "abc");
    report(old_generation);
    EXPECT_TRUE(after.pending) << "the event was the old file's";
    report(driver.watches.back().generation);
    EXPECT_FALSE(after.pending);
    EXPECT_EQ(after.result, 3);
}

// It was closed by somebody who did not say so, and lives on in a duplicate, which the kernel still reports.
TEST_P(readiness, of_a_file_that_is_not_watched_any_more_does_not_touch_the_next_one_of_its_number) {
    auto before = reading();
    ASSERT_FALSE(driver.start(before));
    const std::uint32_t old_generation = driver.watches.back().generation;
    driver.discard(before);
    driver.unwatch(ours.get());

    auto after = reading();
    ASSERT_FALSE(driver.start(after));
    put(peer.get(), "abc");
    report(old_generation);
    EXPECT_TRUE(after.pending) << "the event was the old file's";
    report(driver.watches.back().generation);
    EXPECT_EQ(after.result, 3);
}

TEST_P(readiness, is_not_asked_for_again_where_a_short_read_has_told_that_nothing_is_left) {
    use_tcp();
    put(peer.get(), "abc");
    auto first = reading();
    ASSERT_TRUE(driver.start(first));
    put(peer.get(), "def");  // the kernel would say so; nobody has asked it
    auto second = reading();
    EXPECT_FALSE(driver.start(second));
    report(driver.watches.back().generation);
    EXPECT_EQ(second.result, 3);
}

// A short read of a Unix stream may have stopped at a message with descriptors, and no further edge would
// tell.
TEST_P(readiness, by_edges_stays_after_a_short_read_of_a_unix_stream) {
    put(peer.get(), "abc");
    auto first = reading();
    ASSERT_TRUE(driver.start(first));
    put(peer.get(), "def");
    auto second = reading();
    EXPECT_EQ(driver.start(second), GetParam());
    if (second.pending) driver.discard(second);
}

TEST_P(readiness, by_edges_stays_after_a_short_read_of_one_message_of_several) {
    ours.reset(checked(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"));
    peer.reset(checked(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
    const endpoint anywhere = endpoint::loopback(0);
    checked(::bind(ours.get(), reinterpret_cast<const sockaddr*>(&anywhere.address()), anywhere.bytes()),
            "bind");
    const endpoint where = local_endpoint(ours.get());
    checked(::connect(peer.get(), reinterpret_cast<const sockaddr*>(&where.address()), where.bytes()),
            "connect");
    put(peer.get(), "abc");
    put(peer.get(), "def");
    auto first = reading();
    ASSERT_TRUE(driver.start(first));
    EXPECT_EQ(first.result, 3);
    auto second = reading();
    EXPECT_EQ(driver.start(second), GetParam());
    if (second.pending) driver.discard(second);
}

TEST_P(readiness, stays_when_there_is_urgent_data) {
    use_tcp();
    auto first = reading();
    ASSERT_FALSE(driver.start(first));
    put(peer.get(), "abc");
    driver.events.push_back({.fd = ours.get(),
                             .generation = driver.watches.back().generation,
                             .in = true,
                             .out = false,
                             .hung_up = false,
                             .urgent = true});
    take_turn();
    EXPECT_EQ(first.result, 3);
    put(peer.get(), "efg");
    auto second = reading();
    EXPECT_TRUE(driver.start(second));
    EXPECT_EQ(second.result, 3);
}

TEST_P(readiness, goes_on_after_a_full_read_without_waiting) {
    put(peer.get(), "abcdef");
    auto first = reading(3);
    auto second = reading(3);
    EXPECT_TRUE(driver.start(first));
    EXPECT_TRUE(driver.start(second));
    EXPECT_EQ(second.result, 3);
}

class readiness_by_edges : public readiness {};
INSTANTIATE_TEST_SUITE_P(, readiness_by_edges, testing::Values(true), kind_of_readiness);

TEST_P(readiness_by_edges, comes_to_be_told_by_level_where_calls_are_in_vain) {
    receive_until_it_is_told_by_level();
    put(peer.get(), "abcdef");
    auto first = reading(3);
    auto second = reading(3);
    EXPECT_FALSE(driver.start(first)) << "whether there is something, the kernel says";
    report(driver.watches.back().generation);
    EXPECT_EQ(first.result, 3);
    EXPECT_FALSE(driver.start(second));
    report(driver.watches.back().generation);
    EXPECT_EQ(second.result, 3);
    EXPECT_EQ(driver.watches.size(), 2u);
}

TEST_P(readiness_by_edges, comes_to_be_told_by_level_after_each_read_of_a_unix_stream) {
    for (int i = 0; i < 100 && (driver.watches.empty() || driver.watches.back().out); ++i) {
        auto op = reading();
        wait_and_complete(op);
        if (HasFatalFailure()) return;
    }
    ASSERT_FALSE(driver.watches.back().out);
    put(peer.get(), "abc");
    auto next = reading();
    EXPECT_FALSE(driver.start(next));
    report(driver.watches.back().generation);
    EXPECT_EQ(next.result, 3);
}

TEST_P(readiness_by_edges, is_told_by_edges_again_where_more_waits_than_was_told) {
    receive_until_it_is_told_by_level();
    constexpr int messages = 1000;
    int told = 0;
    put(peer.get(), std::string(3 * messages, 'm'));
    for (int i = 0; i < messages; ++i) {
        auto op = reading(3);
        if (!driver.start(op)) {
            ++told;
            report(driver.watches.back().generation);
        }
        ASSERT_EQ(op.result, 3);
    }
    EXPECT_LT(told, messages / 4);
    EXPECT_EQ(driver.watches.size(), 3u);
    EXPECT_TRUE(driver.watches.back().in && driver.watches.back().out);
    receive_until_it_is_told_by_level();  // until there is no more than that
    for (int i = 0; i < messages; ++i) {
        auto op = reading(3);
        wait_and_complete(op);
    }
    EXPECT_EQ(driver.watches.size(), 4u);
}

TEST_P(readiness_by_edges, is_told_by_edges_again_where_nobody_reads_what_is_there) {
    receive_until_it_is_told_by_level();
    put(peer.get(), "abc");
    report(driver.watches.back().generation);
    ASSERT_EQ(driver.watches.size(), 3u);
    EXPECT_TRUE(driver.watches.back().in && driver.watches.back().out);
    auto op = reading(3);
    EXPECT_TRUE(driver.start(op)) << "it was told and is not told again";
    for (int i = 0; i < 100; ++i) {
        auto next = reading(3);
        ASSERT_FALSE(driver.start(next));
        driver.discard(next);
    }
    EXPECT_EQ(driver.watches.size(), 3u) << "for good";
}

// As a socket is whose error queue is not empty, or whose datagrams are shut down: it would be told for ever.
TEST_P(readiness_by_edges, is_told_by_edges_again_where_it_was_told_and_there_is_nothing) {
    receive_until_it_is_told_by_level();
    auto op = reading(3);
    ASSERT_FALSE(driver.start(op));
    report(driver.watches.back().generation);
    ASSERT_TRUE(op.pending);
    ASSERT_EQ(driver.watches.size(), 3u);
    EXPECT_TRUE(driver.watches.back().in && driver.watches.back().out);
    put(peer.get(), "abc");
    report(driver.watches.back().generation);
    EXPECT_EQ(op.result, 3);
}

TEST_P(readiness_by_edges, is_told_by_edges_again_where_output_has_to_wait) {
    receive_until_it_is_told_by_level();
    const std::vector<std::byte> more_than_fits(std::size_t{16} << 20);
    io_operation op{};
    op.kind = io_kind::send;
    op.fd = ours.get();
    op.data = const_cast<std::byte*>(more_than_fits.data());
    op.size = more_than_fits.size();
    op.whole = true;
    ASSERT_FALSE(driver.start(op));
    ASSERT_EQ(driver.watches.size(), 3u);
    EXPECT_TRUE(driver.watches.back().in && driver.watches.back().out);
    driver.discard(op);
}

// By level, one that lives on in a duplicate would be told for ever.
TEST_P(readiness_by_edges, of_a_file_that_is_closed_is_not_told_by_level_any_more) {
    receive_until_it_is_told_by_level();
    driver.close(ours.get());
    EXPECT_EQ(driver.unwatched, std::vector{ours.get()});
}

// When its user has gone, it may be closed without the driver's knowledge, and live on in a duplicate.
TEST_P(readiness_by_edges, is_not_told_by_level_to_who_asks_for_nothing_else) {
    for (int i = 0; i < 100; ++i) {
        auto op = reading();
        op.kind = io_kind::readable;
        ASSERT_FALSE(driver.start(op));
        put(peer.get(), "a");
        report(driver.watches.back().generation);
        ASSERT_EQ(op.result, 0);
        char taken;
        ASSERT_EQ(::read(ours.get(), &taken, 1), 1);
    }
    EXPECT_EQ(driver.watches.size(), 1u);
}

// After the last bytes there is the end to be read, and an edge-triggered poller will not report it again.
TEST_P(readiness, stays_when_the_peer_has_hung_up) {
    auto first = reading();
    ASSERT_FALSE(driver.start(first));
    put(peer.get(), "abc");
    peer.reset();
    report(driver.watches.back().generation, true);
    EXPECT_EQ(first.result, 3);
    auto second = reading();
    EXPECT_TRUE(driver.start(second));
    EXPECT_EQ(second.result, 0);
}

TEST_P(readiness, that_comes_in_vain_leaves_the_operation_waiting) {
    auto op = reading();
    ASSERT_FALSE(driver.start(op));
    report(driver.watches.back().generation);
    EXPECT_TRUE(op.pending);
    EXPECT_EQ(driver.pending(), 1u);
    driver.discard(op);
    EXPECT_EQ(driver.pending(), 0u);
}

TEST_P(readiness, is_watched_once_by_edges_and_while_it_is_wanted_by_levels) {
    for (int i = 0; i < 3; ++i) {
        auto op = reading();
        ASSERT_FALSE(driver.start(op));
        driver.cancel(op);
        EXPECT_EQ(op.result, -ECANCELED);
        EXPECT_EQ(&ready.pop(), &op);
    }
    EXPECT_EQ(driver.watches.size(), GetParam() ? 1u : 6u);
    EXPECT_EQ(driver.watches.back().in, GetParam());
}

TEST_P(readiness, of_a_closed_descriptor_is_not_asked_for_and_nobody_else_is_forgotten) {
    constexpr int high = 200;
    checked(::dup2(ours.get(), high), "dup2");
    ours.reset(high);
    auto waiting = reading();
    ASSERT_FALSE(driver.start(waiting));
    auto refused = reading();
    refused.fd = -1;
    EXPECT_TRUE(driver.start(refused));
    EXPECT_EQ(refused.result, -EBADF);
    put(peer.get(), "abc");
    report(driver.watches.back().generation);
    EXPECT_EQ(waiting.result, 3);
    EXPECT_FALSE(waiting.pending);
}

TEST_P(readiness, serves_those_who_wait_in_the_order_in_which_they_came) {
    auto first = reading(3);
    auto second = reading(3);
    ASSERT_FALSE(driver.start(first));
    ASSERT_FALSE(driver.start(second));
    put(peer.get(), "abc");
    report(driver.watches.back().generation);
    EXPECT_FALSE(first.pending);
    EXPECT_TRUE(second.pending);
    driver.discard(second);
    EXPECT_EQ(ended, std::vector<operation*>{&first});
}

// What is read stays in the caches until its coroutine looks at it; and what nobody has read yet, a cancelled
// operation does not lose.
TEST_P(readiness, lets_the_call_be_made_when_its_turn_has_come) {
    receive_much();
    auto op = reading();
    wait_and_be_told(op);
    tell(driver.watches.back().generation);
    EXPECT_TRUE(op.pending);
    take_turn();
    EXPECT_EQ(op.result, 3);
    EXPECT_EQ(ended, std::vector<operation*>{&op});
    EXPECT_EQ(driver.pending(), 0u);
}

// By level, a thousand descriptors whose calls are queued would be named once more by each look in between.
TEST_P(readiness, is_asked_for_when_the_calls_that_it_asked_for_are_made) {
    receive_much();
    auto op = reading();
    wait_and_be_told(op);
    tell(driver.watches.back().generation);
    EXPECT_EQ(driver.events.size(), 1u) << "nobody has asked for the second";
    run_next();
    EXPECT_EQ(op.result, 3);
    driver.wait(do_not_wait);
    EXPECT_TRUE(driver.events.empty());
}

TEST_P(readiness, is_asked_for_where_who_waited_has_gone_before_its_turn) {
    receive_much();
    auto op = reading();
    wait_and_be_told(op);
    driver.discard(op);
    take_turn();
    tell(driver.watches.back().generation);
    EXPECT_TRUE(driver.events.empty());
}

// One connection that always has more would keep the others from being heard of.
TEST_P(readiness, is_asked_for_although_more_who_wait_for_the_same_are_queued) {
    receive_much();
    auto first = reading(3);
    auto second = reading(3);
    ASSERT_FALSE(driver.start(first));
    wait_and_be_told(second, "abcdef");
    run_next();
    EXPECT_EQ(first.result, 3);
    EXPECT_TRUE(second.pending);
    EXPECT_FALSE(ready.empty());
    tell(driver.watches.back().generation);
    EXPECT_TRUE(driver.events.empty());
    take_turn();
    EXPECT_EQ(second.result, 3);
}

TEST_P(readiness, serves_who_waits_before_who_comes_when_the_call_is_not_yet_made) {
    receive_much();
    auto first = reading(3);
    wait_and_be_told(first, "abcdef");
    auto second = reading(3);
    EXPECT_FALSE(driver.start(second)) << "what is there belongs to the first";
    take_turn();
    EXPECT_EQ(first.result, 3);
    EXPECT_EQ(second.result, 3);
    EXPECT_EQ(ended, (std::vector<operation*>{&first, &second}));
}

TEST_P(readiness, comes_to_nothing_when_its_operation_is_cancelled_before_its_turn) {
    receive_much();
    auto cancelled = reading();
    wait_and_be_told(cancelled);
    driver.cancel(cancelled);
    auto next = reading();
    EXPECT_TRUE(driver.start(next));
    EXPECT_EQ(next.result, 3);
    take_turn();
    EXPECT_EQ(cancelled.result, -ECANCELED);
    EXPECT_EQ(ended, std::vector<operation*>{&cancelled});
}

TEST_P(readiness, of_a_file_that_is_closed_before_its_turn_does_not_touch_the_next_one_of_its_number) {
    receive_much();
    auto before = reading();
    wait_and_be_told(before);
    driver.close(ours.get());
    const unique_fd old(checked(::dup(ours.get()), "dup"));
    int ends[2];
    checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), "socketpair");
    const unique_fd other(ends[1]);
    checked(::dup3(ends[0], ours.get(), O_CLOEXEC), "dup3");
    ::close(ends[0]);
    auto after = reading();
    ASSERT_FALSE(driver.start(after));
    take_turn();
    EXPECT_EQ(before.result, -ECANCELED);
    EXPECT_TRUE(after.pending);
    driver.discard(after);
}

// They fail without waiting for anything, and must not hide what waits behind them.
TEST_P(readiness, reaches_a_receive_behind_two_accepts_on_a_socket_that_is_no_listener) {
    use_tcp();
    auto first = reading(1);
    auto one_accept = reading();
    auto other_accept = reading();
    one_accept.kind = other_accept.kind = io_kind::accept;
    auto second = reading(1);
    for (io_operation* op : {&first, &one_accept, &other_accept, &second}) ASSERT_FALSE(driver.start(*op));
    put(peer.get(), "ab");
    report(driver.watches.back().generation);
    EXPECT_EQ(first.result, 1);
    EXPECT_EQ(one_accept.result, -EINVAL);
    EXPECT_EQ(other_accept.result, -EINVAL);
    EXPECT_EQ(second.result, 1);
    EXPECT_EQ(driver.pending(), 0u);
}

TEST_P(readiness, that_cannot_be_watched_leaves_nothing_waiting) {
    driver.refuses = true;
    auto refused = reading();
    EXPECT_THROW(driver.start(refused), std::system_error);
    EXPECT_FALSE(refused.pending);
    EXPECT_EQ(driver.pending(), 0u);
    driver.refuses = false;
    auto next = reading();
    wait_and_complete(next);  // it was behind one that is gone
    EXPECT_EQ(ended, std::vector<operation*>{&next});
}

}  // namespace loopbench::loop::test
