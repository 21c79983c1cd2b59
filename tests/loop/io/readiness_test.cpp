// Tests how the readiness drivers turn the kernel's events into completions. The tests supply the events.
#include "loop/io/readiness.hpp"

#include <fcntl.h>

#include <utility>

#include "loop/net/sockets.hpp"
#include "tests/loop/support.hpp"

namespace loopbench::loop::test {

namespace {

/// A driver that reports the `events` of the test, and records which descriptors it would watch.
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
    bool refuses = false;

private:
    void watch(int fd, bool in, bool out) override {
        if (refuses) throw_errno("no watch is left", ENOSPC);
        watches.push_back({fd, generation_of(fd), in, out});
        if (!in && !out) unwatched.push_back(fd);
    }
};

/// A fixture whose driver is edge-triggered if the parameter is true, and otherwise level-triggered.
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

    /// Reports that the descriptor is readable. Operations that can continue after this report make their
    /// system calls in the next take_slice().
    void tell(std::uint32_t generation, bool hung_up = false) {
        driver.events.push_back(
            {.fd = ours.get(), .generation = generation, .in = true, .out = false, .hung_up = hung_up});
        driver.wait(do_not_wait);
    }
    void report(std::uint32_t generation, bool hung_up = false) {
        tell(generation, hung_up);
        take_slice();
    }

    void wait_and_be_told(io_operation& op, std::string_view text = "abc") {
        ASSERT_FALSE(driver.start(op));
        put(peer.get(), text);
        tell(driver.watches.back().generation);
    }
    void wait_and_complete(io_operation& op) {
        wait_and_be_told(op);
        take_slice();
        ASSERT_EQ(op.result, 3);
    }

    void take_slice() {
        driver.wait(do_not_wait);
        while (!ready.empty()) run_next();
    }
    void run_next() {
        operation& next = ready.pop();
        next.complete(&next, completion::run);
    }

    /// Receives a long message. After it, the driver no longer makes an operation's system call when the
    /// kernel reports readiness, but only when the loop runs the operation.
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

    void receive_until_events_come_by_level() {
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
    static inline std::vector<operation*> ended;
};

std::string kind_of_readiness(const testing::TestParamInfo<bool>& by_edges) {
    return by_edges.param ? "edge_triggered" : "level_triggered";
}
INSTANTIATE_TEST_SUITE_P(, readiness, testing::Bool(), kind_of_readiness);

}  // namespace

TEST_P(readiness, an_operation_that_does_not_need_to_wait_completes_immediately) {
    put(peer.get(), "abc");
    auto op = reading();
    EXPECT_TRUE(driver.start(op));
    EXPECT_EQ(op.result, 3);
    EXPECT_TRUE(driver.watches.empty());
    EXPECT_TRUE(ready.empty());
}

TEST_P(readiness, an_event_of_a_closed_file_does_not_affect_the_next_file_with_the_same_number) {
    auto before = reading();
    ASSERT_FALSE(driver.start(before));
    const std::uint32_t old_generation = driver.watches.back().generation;
    driver.close(ours.get());
    EXPECT_EQ(before.result, -ECANCELED);
    EXPECT_EQ(&ready.pop(), &before);
    // An edge-triggered driver does not ask the kernel to stop watching the file, because closing a file
    // removes it from the kernel's set.
    EXPECT_EQ(driver.unwatched, GetParam() ? std::vector<int>{} : std::vector{ours.get()});

    auto after = reading();
    ASSERT_FALSE(driver.start(after));
    put(peer.get(), "abc");
    report(old_generation);
    EXPECT_TRUE(after.pending) << "an event of the old file must not complete this operation";
    report(driver.watches.back().generation);
    EXPECT_FALSE(after.pending);
    EXPECT_EQ(after.result, 3);
}

// If a duplicate descriptor keeps an unwatched file open, the kernel still reports events of this file.
TEST_P(readiness, an_event_of_an_unwatched_file_does_not_affect_the_next_file_with_the_same_number) {
    auto before = reading();
    ASSERT_FALSE(driver.start(before));
    const std::uint32_t old_generation = driver.watches.back().generation;
    driver.discard(before);
    driver.unwatch(ours.get());

    auto after = reading();
    ASSERT_FALSE(driver.start(after));
    put(peer.get(), "abc");
    report(old_generation);
    EXPECT_TRUE(after.pending) << "an event of the old file must not complete this operation";
    report(driver.watches.back().generation);
    EXPECT_EQ(after.result, 3);
}

TEST_P(readiness, after_a_short_read_of_a_tcp_socket_the_next_read_waits_for_an_event_of_the_kernel) {
    use_tcp();
    put(peer.get(), "abc");
    auto first = reading();
    ASSERT_TRUE(driver.start(first));
    put(peer.get(), "def");
    auto second = reading();
    EXPECT_FALSE(driver.start(second));
    report(driver.watches.back().generation);
    EXPECT_EQ(second.result, 3);
}

// A read of a Unix stream ends after a message that carries descriptors, even if more data is available. No
// new event reports the remaining data.
TEST_P(readiness, an_edge_triggered_unix_stream_stays_ready_after_a_short_read) {
    put(peer.get(), "abc");
    auto first = reading();
    ASSERT_TRUE(driver.start(first));
    put(peer.get(), "def");
    auto second = reading();
    EXPECT_EQ(driver.start(second), GetParam());
    if (second.pending) driver.discard(second);
}

TEST_P(readiness, an_edge_triggered_datagram_socket_stays_ready_after_a_short_read) {
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

TEST_P(readiness, a_socket_with_urgent_data_stays_ready) {
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
    take_slice();
    EXPECT_EQ(first.result, 3);
    put(peer.get(), "efg");
    auto second = reading();
    EXPECT_TRUE(driver.start(second));
    EXPECT_EQ(second.result, 3);
}

TEST_P(readiness, after_a_read_that_filled_its_buffer_the_next_read_does_not_wait) {
    put(peer.get(), "abcdef");
    auto first = reading(3);
    auto second = reading(3);
    EXPECT_TRUE(driver.start(first));
    EXPECT_TRUE(driver.start(second));
    EXPECT_EQ(second.result, 3);
}

class readiness_by_edges : public readiness {};
INSTANTIATE_TEST_SUITE_P(, readiness_by_edges, testing::Values(true), kind_of_readiness);

TEST_P(readiness_by_edges, input_is_watched_level_triggered_after_many_system_calls_that_found_no_data) {
    receive_until_events_come_by_level();
    put(peer.get(), "abcdef");
    auto first = reading(3);
    auto second = reading(3);
    EXPECT_FALSE(driver.start(first)) << "a read of level-triggered input must wait for an event";
    report(driver.watches.back().generation);
    EXPECT_EQ(first.result, 3);
    EXPECT_FALSE(driver.start(second));
    report(driver.watches.back().generation);
    EXPECT_EQ(second.result, 3);
    EXPECT_EQ(driver.watches.size(), 2u);
}

TEST_P(readiness_by_edges,
       a_unix_stream_is_watched_level_triggered_after_many_system_calls_that_found_no_data) {
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

TEST_P(readiness_by_edges, input_is_watched_edge_triggered_again_if_much_data_is_waiting) {
    receive_until_events_come_by_level();
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
    receive_until_events_come_by_level();
    for (int i = 0; i < messages; ++i) {
        auto op = reading(3);
        wait_and_complete(op);
    }
    EXPECT_EQ(driver.watches.size(), 4u);
}

TEST_P(readiness_by_edges, input_is_watched_edge_triggered_again_if_no_operation_reads_the_reported_data) {
    receive_until_events_come_by_level();
    put(peer.get(), "abc");
    report(driver.watches.back().generation);
    ASSERT_EQ(driver.watches.size(), 3u);
    EXPECT_TRUE(driver.watches.back().in && driver.watches.back().out);
    auto op = reading(3);
    EXPECT_TRUE(driver.start(op)) << "the read must complete now, because its event is not reported again";
    for (int i = 0; i < 100; ++i) {
        auto next = reading(3);
        ASSERT_FALSE(driver.start(next));
        driver.discard(next);
    }
    EXPECT_EQ(driver.watches.size(), 3u) << "input must stay edge-triggered";
}

// The kernel reports a socket without data as readable if its error queue is not empty, or if it is a
// datagram socket that is shut down. With level-triggered watching, the kernel would repeat this report at
// every wait.
TEST_P(readiness_by_edges, input_is_watched_edge_triggered_again_after_a_reported_event_without_data) {
    receive_until_events_come_by_level();
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

TEST_P(readiness_by_edges, input_is_watched_edge_triggered_again_if_output_has_to_wait) {
    receive_until_events_come_by_level();
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

// If a duplicate descriptor keeps a closed file open, a kernel that watches the file level-triggered reports
// it at every wait.
TEST_P(readiness_by_edges, level_triggered_watching_of_a_file_ends_when_the_file_is_closed) {
    receive_until_events_come_by_level();
    driver.close(ours.get());
    EXPECT_EQ(driver.unwatched, std::vector{ours.get()});
}

// A program that only waited for the readability of a file can close the file without informing the driver.
// If a duplicate descriptor then keeps the file open, a kernel that watches it level-triggered reports it at
// every wait.
TEST_P(readiness_by_edges, a_file_is_not_watched_level_triggered_if_tasks_only_wait_for_its_readability) {
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

// After the event for the last bytes, an edge-triggered driver gets no further event for the end of the
// stream.
TEST_P(readiness, a_file_stays_ready_when_the_peer_has_hung_up) {
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

TEST_P(readiness, a_reported_event_without_data_leaves_the_operation_pending) {
    auto op = reading();
    ASSERT_FALSE(driver.start(op));
    report(driver.watches.back().generation);
    EXPECT_TRUE(op.pending);
    EXPECT_EQ(driver.pending(), 1u);
    driver.discard(op);
    EXPECT_EQ(driver.pending(), 0u);
}

TEST_P(readiness, edge_triggered_watching_starts_once_per_file_and_level_triggered_watching_per_operation) {
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

TEST_P(readiness, refusing_a_closed_descriptor_leaves_other_descriptors_watched) {
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

TEST_P(readiness, operations_that_wait_on_one_file_are_served_in_the_order_in_which_they_started) {
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

// The coroutine can then use the bytes while they are in the CPU's caches. An operation that is cancelled
// before it runs loses no bytes.
TEST_P(readiness, an_operation_makes_its_system_call_only_when_the_operation_runs) {
    receive_much();
    auto op = reading();
    wait_and_be_told(op);
    tell(driver.watches.back().generation);
    EXPECT_TRUE(op.pending);
    take_slice();
    EXPECT_EQ(op.result, 3);
    EXPECT_EQ(ended, std::vector<operation*>{&op});
    EXPECT_EQ(driver.pending(), 0u);
}

// While all waiting operations are queued, the driver does not query the kernel. If it did, the kernel would
// again report all level-triggered descriptors of these operations.
TEST_P(readiness, the_driver_queries_the_kernel_again_after_the_queued_calls_are_made) {
    receive_much();
    auto op = reading();
    wait_and_be_told(op);
    tell(driver.watches.back().generation);
    EXPECT_EQ(driver.events.size(), 1u) << "no operation needs the second event";
    run_next();
    EXPECT_EQ(op.result, 3);
    driver.wait(do_not_wait);
    EXPECT_TRUE(driver.events.empty());
}

TEST_P(readiness, the_driver_queries_the_kernel_again_if_the_waiting_operation_was_discarded) {
    receive_much();
    auto op = reading();
    wait_and_be_told(op);
    driver.discard(op);
    take_slice();
    tell(driver.watches.back().generation);
    EXPECT_TRUE(driver.events.empty());
}

// If the driver did not query the kernel, a connection that always has data would prevent reports about other
// connections.
TEST_P(readiness, the_driver_queries_the_kernel_again_although_more_operations_are_queued) {
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
    take_slice();
    EXPECT_EQ(second.result, 3);
}

TEST_P(readiness, a_waiting_operation_is_served_before_a_new_operation) {
    receive_much();
    auto first = reading(3);
    wait_and_be_told(first, "abcdef");
    auto second = reading(3);
    EXPECT_FALSE(driver.start(second)) << "the available data belongs to the first operation";
    take_slice();
    EXPECT_EQ(first.result, 3);
    EXPECT_EQ(second.result, 3);
    EXPECT_EQ(ended, (std::vector<operation*>{&first, &second}));
}

TEST_P(readiness, a_queued_call_is_not_made_when_its_operation_is_cancelled) {
    receive_much();
    auto cancelled = reading();
    wait_and_be_told(cancelled);
    driver.cancel(cancelled);
    auto next = reading();
    EXPECT_TRUE(driver.start(next));
    EXPECT_EQ(next.result, 3);
    take_slice();
    EXPECT_EQ(cancelled.result, -ECANCELED);
    EXPECT_EQ(ended, std::vector<operation*>{&cancelled});
}

TEST_P(readiness, a_queued_call_of_a_closed_file_does_not_affect_the_next_file_with_the_same_number) {
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
    take_slice();
    EXPECT_EQ(before.result, -ECANCELED);
    EXPECT_TRUE(after.pending);
    driver.discard(after);
}

TEST_P(readiness, a_receive_that_waits_after_two_failing_accepts_completes) {
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

TEST_P(readiness, an_operation_whose_file_cannot_be_watched_does_not_stay_pending) {
    driver.refuses = true;
    auto refused = reading();
    EXPECT_THROW(driver.start(refused), std::system_error);
    EXPECT_FALSE(refused.pending);
    EXPECT_EQ(driver.pending(), 0u);
    driver.refuses = false;
    auto next = reading();
    wait_and_complete(next);
    EXPECT_EQ(ended, std::vector<operation*>{&next});
}

}  // namespace loopbench::loop::test
