// Tests the echo floors over a wire that changes, splits or cuts off messages.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "bench/suite/floors/echo_floor.hpp"
#include "tests/floors/named.hpp"
#include "tests/floors/wire.hpp"

namespace loopbench::bench::floors {
namespace {

constexpr std::uint64_t round_trips_each = 20;
constexpr std::uint64_t seventh_timed = workloads::warm_up_round_trips + 6;

struct echo_floors : testing::TestWithParam<named<echo_floor>> {
    void run_over(wire& w, std::size_t bytes = 64) {
        t.emplace(workload_size::small, round_trips_each * w.connections().size());
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

TEST_P(echo_floors, if_no_message_is_altered_each_message_counts_as_one_round_trip) {
    wire w(3, [](const passing&) { return fate::whole; });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "");
    EXPECT_EQ(t->operations_done(), 3 * round_trips_each);
    EXPECT_EQ(t->latency().count(), 3 * round_trips_each);
}

TEST_P(echo_floors, messages_that_arrive_in_pieces_are_put_together) {
    wire w(3, [](const passing&) { return fate::in_pieces; });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "");
}

TEST_P(echo_floors, floors_continue_after_a_signal_interrupts_a_system_call) {
    struct sigaction heard {
    }, before{};
    heard.sa_handler = [](int) {};  // without SA_RESTART, so that the signal interrupts system calls
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

TEST_P(echo_floors, large_messages_are_put_together_and_a_wrong_last_byte_fails_the_trial) {
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
                  spoil ? "number of replies that differ from the bytes sent: expected 0, got 1" : "");
    }
}

TEST_P(echo_floors, one_wrong_byte_in_one_reply_fails_the_trial) {
    wire w(3, [](const passing& message) {
        if (message.connection == 1 && message.which == direction::reply && message.number == seventh_timed)
            message.bytes.back() ^= std::byte{1};
        return fate::whole;
    });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""),
              "number of replies that differ from the bytes sent: expected 0, got 1");
}

TEST_P(echo_floors, a_reply_that_repeats_the_previous_reply_fails_the_trial) {
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
    EXPECT_EQ(t->failure().value_or(""),
              "number of replies that differ from the bytes sent: expected 0, got 1");
}

TEST_P(echo_floors, if_a_request_is_cut_off_the_trial_fails_and_the_other_connections_finish) {
    wire w(3, [](const passing& message) {
        const bool cut =
            message.connection == 1 && message.which == direction::request && message.number == seventh_timed;
        return cut ? fate::cut_off : fate::whole;
    });
    run_over(w);
    if (IsSkipped()) return;
    // The rest of the reason depends on when the floor's server notices the end of the connection. It can do
    // so when it sends back the first byte, or when it waits for the missing bytes.
    EXPECT_TRUE(t->failure().value_or("").starts_with("a client's connection failed: "))
        << t->failure().value_or("");
    EXPECT_EQ(t->latency().count(), 2 * round_trips_each + 6);
}

TEST_P(echo_floors, a_reply_that_is_cut_off_during_the_warm_up_fails_the_trial) {
    wire w(3, [](const passing& message) {
        const bool cut = message.connection == 1 && message.which == direction::reply && is_warm_up(message);
        return cut ? fate::cut_off : fate::whole;
    });
    run_over(w);
    if (IsSkipped()) return;
    EXPECT_EQ(t->failure().value_or(""), "a client's connection failed: Connection reset by peer");
    EXPECT_EQ(t->latency().count(), 2 * round_trips_each);
}

TEST_P(echo_floors, a_write_to_a_closed_connection_fails_the_trial_without_ending_the_process) {
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
