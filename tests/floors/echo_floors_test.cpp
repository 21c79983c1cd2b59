// The echo floors on a wire that can be trusted with nothing.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "bench/floors/echo.hpp"
#include "tests/floors/named.hpp"
#include "tests/floors/wire.hpp"

namespace loopbench::bench::floors {
namespace {

constexpr std::uint64_t round_trips_each = 20;
constexpr std::uint64_t seventh_timed = workloads::warm_up_round_trips + 6;

struct echo_floors : testing::TestWithParam<named<echo_floor>> {
    /// Runs the floor over the wire; skips the test where the kernel refuses io_uring.
    void run_over(wire& w, std::size_t bytes = 64) {
        t.emplace(trial_size::smoke, round_trips_each * w.connections().size());
        unless_refused([&] { GetParam().function(w.connections(), bytes, *t); });
    }

    std::optional<trial> t;
};

INSTANTIATE_TEST_SUITE_P(all, echo_floors,
                         testing::Values(named<echo_floor>{"blocking", echo_blocking},
                                         named<echo_floor>{"epoll", echo_epoll},
                                         named<echo_floor>{"uring", echo_uring}),
                         name_of);

bool is_warm_up(const passing& message) {
    return message.number < workloads::warm_up_round_trips;
}

TEST_P(echo_floors, prove_round_trips_whose_messages_arrive_late) {
    wire w(3, [](const passing&) { return fate::whole; });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "");
    EXPECT_EQ(t->operations_done(), 3 * round_trips_each);
    EXPECT_EQ(t->latency().count(), 3 * round_trips_each);
}

TEST_P(echo_floors, put_messages_together_that_arrive_in_pieces) {
    wire w(3, [](const passing&) { return fate::in_pieces; });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "");
}

TEST_P(echo_floors, go_on_after_signals_in_the_middle_of_messages) {
    struct sigaction heard {
    }, before{};
    heard.sa_handler = [](int) {};  // and no SA_RESTART: calls end
    ASSERT_EQ(::sigaction(SIGUSR1, &heard, &before), 0);
    {
        wire w(3, [](const passing& message) {
            return message.which == direction::reply ? fate::interrupted : fate::whole;
        });
        run_over(w);
    }
    ::sigaction(SIGUSR1, &before, nullptr);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "");
    EXPECT_EQ(t->operations_done(), 3 * round_trips_each);
}

TEST_P(echo_floors, put_large_messages_together_and_see_one_wrong_byte_at_their_end) {
    constexpr std::size_t bytes = 16'384;
    for (const bool spoil : {false, true}) {
        wire w(
            3,
            [spoil](const passing& message) {
                if (spoil && message.connection == 2 && message.which == direction::reply &&
                    message.number == seventh_timed)
                    message.bytes.back() ^= std::byte{1};
                return fate::in_pieces;
            },
            bytes);
        run_over(w, bytes);
        if (IsSkipped()) return;
        EXPECT_EQ(t->failure().value_or(""),
                  spoil ? "replies that are not the bytes sent: expected 0, got 1" : "");
    }
}

TEST_P(echo_floors, fail_the_trial_when_one_byte_of_one_reply_is_wrong) {
    wire w(3, [](const passing& message) {
        if (message.connection == 1 && message.which == direction::reply && message.number == seventh_timed)
            message.bytes.back() ^= std::byte{1};
        return fate::whole;
    });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "replies that are not the bytes sent: expected 0, got 1");
}

TEST_P(echo_floors, fail_the_trial_when_a_reply_is_that_of_the_round_trip_before) {
    std::array<std::byte, 64> before{};
    wire w(1, [&before](const passing& message) {
        if (message.which != direction::reply) return fate::whole;
        if (message.number == seventh_timed)
            std::ranges::copy(before, message.bytes.begin());
        else
            std::ranges::copy(message.bytes, before.begin());
        return fate::whole;
    });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "replies that are not the bytes sent: expected 0, got 1");
}

TEST_P(echo_floors, fail_the_trial_when_a_request_is_cut_off_and_finish_the_other_connections) {
    wire w(3, [](const passing& message) {
        const bool cut =
            message.connection == 1 && message.which == direction::request && message.number == seventh_timed;
        return cut ? fate::cut_off : fate::whole;
    });
    run_over(w);
    if (IsSkipped()) return;
    // Where it is noticed: when the server sends back what has come, or when it waits for the rest.
    EXPECT_TRUE(t->failure().value_or("").starts_with("a client's connection failed: "))
        << t->failure().value_or("");
    EXPECT_EQ(t->latency().count(), 2 * round_trips_each + 6);
}

TEST_P(echo_floors, fail_the_trial_when_a_reply_is_cut_off_while_warming_up) {
    wire w(3, [](const passing& message) {
        const bool cut = message.connection == 1 && message.which == direction::reply && is_warm_up(message);
        return cut ? fate::cut_off : fate::whole;
    });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "a client's connection failed: Connection reset by peer");
    EXPECT_EQ(t->latency().count(), 2 * round_trips_each);
}

TEST_P(echo_floors, fail_the_trial_and_live_when_they_send_into_a_connection_that_is_gone) {
    for (const direction which : {direction::request, direction::reply}) {
        wire w(3, [which](const passing& message) {
            const bool last = message.connection == 1 && message.which == which && is_warm_up(message);
            return last ? fate::last : fate::whole;
        });
        run_over(w);
        if (IsSkipped()) return;
        EXPECT_TRUE(t->failure().value_or("").starts_with("a client's connection failed: "))
            << t->failure().value_or("");
        EXPECT_EQ(t->latency().count(), 2 * round_trips_each);
    }
}

}  // namespace
}  // namespace loopbench::bench::floors
