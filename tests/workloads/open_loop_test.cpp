// Tests the load generator with faults in the server or in the generator's own link.
#include "bench/suite/generator/open_loop.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bench/suite/generator/conversation.hpp"
#include "loop/net/sockets.hpp"
#include "tests/support/says.hpp"

namespace loopbench::bench {
namespace {

using namespace std::chrono_literals;

enum class fault {
    none,
    wrong_bytes,
    answers_twice,
    closes_after_100,
    pauses_after_1000,
    stops_after_1000,
    slow
};

constexpr auto pause_of_a_server = 1s;       // can be longer on a busy machine
constexpr auto pause_between_slices = 20ms;  // of a slow server, after serving each connection once
constexpr std::size_t request_bytes = 64;

[[noreturn]] void serve(int listener, fault planted) {
    std::vector<pollfd> watched{{listener, POLLIN, 0}};
    std::array<char, 4096> buffer;
    const std::size_t most = planted == fault::slow ? request_bytes : buffer.size();
    for (std::size_t reads = 0, requests = 0;;) {
        ::poll(watched.data(), watched.size(), -1);
        const std::size_t count = watched.size();
        for (std::size_t i = 1; i < count; ++i) {
            if (watched[i].revents == 0) continue;
            const ssize_t got = ::recv(watched[i].fd, buffer.data(), most, 0);
            ++reads;
            if (got <= 0 || (planted == fault::closes_after_100 && reads > 100)) {
                ::close(watched[i].fd);
                watched[i].fd = -1;
                continue;
            }
            const std::size_t before =
                std::exchange(requests, requests + static_cast<std::size_t>(got) / request_bytes);
            if (before < 1000 && requests >= 1000) {
                if (planted == fault::pauses_after_1000) std::this_thread::sleep_for(pause_of_a_server);
                while (planted == fault::stops_after_1000) ::pause();
            }
            if (planted == fault::wrong_bytes && reads % 10 == 0) buffer[0] ^= 1;
            for (int copies = planted == fault::answers_twice ? 2 : 1; copies > 0; --copies)
                ::send(watched[i].fd, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
        }
        if (watched[0].revents != 0) watched.push_back({::accept(listener, nullptr, nullptr), POLLIN, 0});
        if (planted == fault::slow) std::this_thread::sleep_for(pause_between_slices);
    }
}

class server_process {
public:
    explicit server_process(fault planted = fault::none) {
        const auto listener = loop::open_listener(loop::endpoint::loopback(0));
        port_ = loop::local_endpoint(listener.get()).port();
        process_ = ::fork();
        if (process_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            serve(listener.get(), planted);
        }
    }
    ~server_process() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    server_process(const server_process&) = delete;
    server_process& operator=(const server_process&) = delete;

    std::uint16_t port() const { return port_; }
    pid_t id() const { return process_; }

private:
    std::uint16_t port_ = 0;
    pid_t process_ = -1;
};

/// Returns a plan for the real schedule only. With a `look_time` of 0, the generator does not first test in
/// short runs whether it can offer the rate.
open_loop_plan plan_for(const server_process& server, std::uint64_t requests, double rate) {
    open_loop_plan plan;
    plan.server = loop::endpoint::loopback(server.port());
    plan.requests = requests;
    plan.rate = rate;
    plan.look_time = 0s;
    return plan;
}

/// A link that answers all requests itself, with faults. It sends no replies while the number of requests is
/// between `silent_after` and `silent_until`. Other faults delay requests or change replies.
class planted_link final : public link {
    using clock = std::chrono::steady_clock;

public:
    struct faults {
        std::size_t silent_after = 0, silent_until = 0;
        std::chrono::milliseconds slow_by{0};
        std::size_t slow_once_after = 0;  // number of requests before the only delay; 0: repeated delays
        std::vector<clock::time_point>* sent = nullptr;
        bool wrong = false;
        std::chrono::milliseconds takes_one_in{0};
        bool http = false;
    };
    explicit planted_link(const faults& planted) : planted_(planted) {}

    bool send(std::size_t connection, std::span<const std::byte> bytes) override {
        if (clock::now() < took_ + planted_.takes_one_in) return false;
        took_ = clock::now();
        if (planted_.sent != nullptr) planted_.sent->push_back(clock::now());
        unanswered_.emplace_back(connection, bytes);
        ++sent_;
        exchanged_ = false;
        return true;
    }
    void exchange() override {
        if (std::exchange(exchanged_, true) || sent_ <= planted_.slow_once_after) return;
        std::this_thread::sleep_for(planted_.slow_by);
        if (planted_.slow_once_after > 0) planted_.slow_by = {};
    }
    bool receive(reader& to) override {
        if (sent_ > planted_.silent_after && sent_ < planted_.silent_until) return true;
        for (const auto& [connection, bytes] : std::exchange(unanswered_, {})) {
            const auto right = planted_.http ? std::as_bytes(std::span(http_reply)) : bytes;
            std::vector<std::byte> reply(right.begin(), right.end());
            if (planted_.wrong) reply.front() ^= std::byte{1};
            to.arrived(connection, reply);
        }
        return true;
    }
    std::string_view name() const noexcept override { return "planted"; }

private:
    faults planted_;
    std::vector<std::pair<std::size_t, std::span<const std::byte>>> unanswered_;
    std::size_t sent_ = 0;
    clock::time_point took_{};
    bool exchanged_ = true;
};

std::uint64_t count_over(const histogram& values, std::chrono::nanoseconds limit) {
    std::uint64_t over = 0;
    values.for_each_bucket([&](std::int64_t lowest, std::int64_t, std::uint64_t count) {
        if (lowest >= limit.count()) over += count;
    });
    return over;
}

chosen_link by_epoll(const open_loop_plan& plan) {
    return link_by_epoll(plan, "a test");
}

class open_loop_over : public testing::TestWithParam<chosen_link (*)(const open_loop_plan&)> {
protected:
    static open_loop_result run(const open_loop_plan& plan) { return run_open_loop(plan, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(links, open_loop_over, testing::Values(cheapest_link, by_epoll));

TEST_P(open_loop_over, every_reply_is_counted_and_the_generator_keeps_the_requested_rate) {
    const server_process server;
    const auto result = run(plan_for(server, 500, 5000));
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.sent, 500u);
    EXPECT_EQ(result.replies, 500u);
    EXPECT_EQ(result.wrong_replies, 0u);
    EXPECT_EQ(result.latency.count() + result.left_out, 500u);
    EXPECT_EQ(result.send_lateness.count(), result.latency.count());
    EXPECT_EQ(result.rate, 5000);
}

TEST_P(open_loop_over, split_and_merged_replies_are_recognized) {
    const server_process server;
    for (const std::size_t bytes : {1UL, 3000UL, 65'536UL}) {
        auto plan = plan_for(server, 200, 20'000);
        plan.bytes = bytes;
        plan.connections = 3;
        const auto result = run(plan);
        EXPECT_EQ(result.failure, "") << bytes;
        EXPECT_EQ(result.replies, 200u) << bytes;
    }
}

TEST_P(open_loop_over, the_generator_counts_wrong_replies) {
    const server_process server(fault::wrong_bytes);
    const auto result = run(plan_for(server, 300, 5000));
    EXPECT_GT(result.wrong_replies, 0u);
    EXPECT_EQ(result.replies + result.wrong_replies, 300u);
}

TEST_P(open_loop_over, a_server_that_closes_a_connection_ends_the_run_and_the_reason_is_reported) {
    const server_process server(fault::closes_after_100);
    EXPECT_EQ(run(plan_for(server, 2000, 5000)).failure, "the contender closed a connection");
}

TEST_P(open_loop_over, a_duplicate_reply_ends_the_run_or_is_counted_as_a_wrong_reply) {
    const server_process server(fault::answers_twice);
    const auto result = run(plan_for(server, 300, 5000));
    EXPECT_TRUE(tests::says(result.failure, "bytes that no request had asked for") ||
                result.wrong_replies > 0)
        << result.failure;
}

TEST_P(open_loop_over, a_server_that_stops_replying_ends_the_run_and_the_reason_is_reported) {
    const server_process server(fault::stops_after_1000);
    auto plan = plan_for(server, 2000, 20'000);
    plan.patience = 2s;
    const auto failure = run(plan).failure;
    for (const auto* part : {"of 2000 replies", "2 s"}) EXPECT_SAYS(failure, part);
}

TEST_P(open_loop_over, a_server_that_never_replies_ends_the_run_and_the_reason_is_reported) {
    const server_process server;
    ::kill(server.id(), SIGSTOP);
    auto plan = plan_for(server, 10, 5000);
    plan.patience = 50ms;
    EXPECT_SAYS(run(plan).failure, "0.05 s");
}

// During the pause of one second, 2000 requests fall due. A client that waited for each reply would see at
// most one late reply per connection.
TEST_P(open_loop_over,
       a_pause_of_the_server_increases_the_latency_of_every_request_that_is_due_during_the_pause) {
    const server_process server(fault::pauses_after_1000);
    auto plan = plan_for(server, 5000, 2000);
    plan.tries_max = 1;
    const auto result = run(plan);
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.replies, 5000u);
    EXPECT_GT(count_over(result.latency, 10ms) + result.left_out, 1900u);
    EXPECT_LT(count_over(result.latency, 500ms), 4500u);  // 1000 requests were answered before the pause
    // The 1000 requests that fall due in the first half of the pause wait for at least half a second.
    EXPECT_GT(count_over(result.latency, 500ms) + result.left_out, 900u);
}

TEST(open_loop, the_capacity_is_measured_first_if_the_load_is_relative_to_the_capacity) {
    const server_process server;
    auto plan = plan_for(server, 300, 0);
    plan.load = 0.25;
    plan.capacity_time = 20ms;
    const auto result = run_open_loop(plan);
    EXPECT_EQ(result.failure, "");
    EXPECT_GT(result.capacity, 0);
    EXPECT_DOUBLE_EQ(result.rate, result.capacity / 4);
    EXPECT_EQ(result.replies, 300u);
}

TEST(open_loop, the_result_states_why_the_generator_uses_epoll_instead_of_io_uring) {
    const server_process server;
    const auto result = run_open_loop(plan_for(server, 1, 1000), by_epoll);
    EXPECT_EQ(result.refused, "a test");
    EXPECT_EQ(result.io, "epoll");
}

// The link's only descriptor, which belongs to epoll, gets the lowest free number. The test closes this
// descriptor to cause an error.
TEST(epoll_link, an_error_of_epoll_ends_the_exchange_with_an_exception) {
    const int lowest = ::dup(STDERR_FILENO);
    ::close(lowest);
    const auto made = make_epoll_link({}, 0ms);
    made->exchange();
    ::close(lowest);
    EXPECT_THROW(made->exchange(), std::system_error);
    ASSERT_EQ(::dup(STDERR_FILENO), lowest) << "the generator closes this descriptor";
}

link_maker planted(const planted_link::faults& faults) {
    return [faults](const open_loop_plan&) {
        return chosen_link{std::make_unique<planted_link>(faults), ""};
    };
}

open_loop_plan plan_without_a_server(std::uint64_t requests, double rate) {
    open_loop_plan plan;
    plan.requests = requests;
    plan.rate = rate;
    plan.look_time = 0s;
    return plan;
}

TEST(open_loop, the_result_always_names_the_io_driver_of_the_generator) {
    const auto result = run_open_loop(plan_without_a_server(1, 1000), planted({}));
    EXPECT_EQ(result.refused, "");
    EXPECT_EQ(result.io, "planted");
}

TEST(open_loop, no_request_is_sent_before_its_scheduled_time) {
    std::vector<std::chrono::steady_clock::time_point> sent;
    const auto plan = plan_without_a_server(200, 10'000);
    const auto before = std::chrono::steady_clock::now();
    run_open_loop(plan, planted({.sent = &sent}));
    ASSERT_GE(sent.size(), plan.requests);
    const auto scheduled = std::span(sent).last(plan.requests);
    for (std::size_t i = 0; i < scheduled.size(); ++i)
        EXPECT_GE((scheduled[i] - before).count(), static_cast<std::int64_t>(i) * 100'000) << i;
}

// The link answers only the warm-up's requests until all other requests are sent.
TEST(open_loop, all_requests_are_sent_on_schedule_even_if_no_reply_arrives) {
    constexpr std::size_t requests = 300, to_warm_up = 16;
    const auto result =
        run_open_loop(plan_without_a_server(requests, 10'000),
                      planted({.silent_after = to_warm_up, .silent_until = to_warm_up + requests}));
    EXPECT_EQ(result.sent, requests);
    EXPECT_EQ(result.replies, requests);
}

// The generator looks for replies once per millisecond. A request counts only if the time between two looks
// is at most a tenth of the request's latency. The link is silent for 0.6 s, so requests count even if the
// generator loses its core for 60 ms.
TEST(open_loop, requests_that_a_pause_of_the_server_delays_are_included_in_the_latencies) {
    constexpr std::size_t requests = 300, to_warm_up = 16;
    auto plan = plan_without_a_server(requests, 500);
    plan.tries_max = 1;
    const auto result = run_open_loop(
        plan, planted({.silent_after = to_warm_up, .silent_until = to_warm_up + requests, .slow_by = 1ms}));
    EXPECT_EQ(result.replies, requests) << result.failure;
    EXPECT_GT(result.latency.count(), 0U);
}

TEST(open_loop, the_measurement_of_the_capacity_lasts_for_at_least_a_thousand_replies) {
    std::vector<std::chrono::steady_clock::time_point> sent;
    auto plan = plan_without_a_server(10, 0);
    plan.capacity_time = 1ns;
    const auto result = run_open_loop(plan, planted({.sent = &sent}));
    EXPECT_EQ(result.replies, 10U) << result.failure;
    EXPECT_GE(sent.size(), 1000U);
}

TEST(open_loop, a_run_that_took_longer_than_the_time_limit_for_replies_is_not_repeated) {
    auto plan = plan_without_a_server(2000, 1000);
    plan.patience = 1s;
    const auto result = run_open_loop(plan, planted({.slow_by = 20ms}));
    EXPECT_NE(generator_was_the_bottleneck(result), std::nullopt);
    EXPECT_EQ(result.tries, 1U);
}

// Each send takes 20 ms. During this time, 40 requests fall due.
TEST(open_loop, a_generator_that_sends_too_slowly_is_reported_as_the_bottleneck) {
    const auto result = run_open_loop(plan_without_a_server(400, 2000), planted({.slow_by = 20ms}));
    EXPECT_EQ(result.failure, "");
    EXPECT_GT(result.left_out, 200U);
    EXPECT_EQ(result.tries, 3U);
    EXPECT_NE(generator_was_the_bottleneck(result), std::nullopt);
    EXPECT_TRUE(why_invalid(result).value_or("").starts_with("the generator was the bottleneck"));
}

// The generator is delayed once by 20 ms, as if it had lost its core. The 200 requests that fall due during
// the delay are left out. The request before them is also left out, because the generator finds its reply
// only after the delay. If this process really loses its core, more requests are left out.
TEST(open_loop, requests_that_the_generator_sent_late_are_left_out_of_the_latencies) {
    auto plan = plan_without_a_server(2000, 10'000);
    plan.tries_max = 1;
    const auto result = run_open_loop(plan, planted({.slow_by = 20ms, .slow_once_after = 500}));
    EXPECT_EQ(result.replies, 2000U) << result.failure;
    EXPECT_EQ(result.latency.count() + result.left_out, 2000U);
    EXPECT_GT(result.left_out, 190U);
    EXPECT_EQ(count_over(result.latency, 1ms), 0U);
    EXPECT_EQ(count_over(result.send_lateness, 1ms), 0U);
}

// The HTTP client sleeps for up to a millisecond at a time, and arriving data wakes it. `late_max` is an
// hour, so that requests which fall due during a sleep do not count as late.
TEST(open_loop, requests_of_a_client_that_sleeps_until_data_arrives_do_not_count_as_sent_late) {
    auto plan = plan_without_a_server(100, 1000);
    plan.http = true;
    plan.late_max = 1h;
    plan.tries_max = 1;
    const auto result = run_open_loop(plan, planted({.slow_by = 1ms, .http = true}));
    EXPECT_EQ(result.replies, 100U) << result.failure;
    EXPECT_EQ(result.left_out, 0U);
}

TEST(open_loop, wrong_replies_are_reported_even_if_the_generator_cannot_offer_the_requested_rate) {
    auto plan = plan_without_a_server(400, 2000);
    plan.look_time = 1ms;
    const auto result = run_open_loop(plan, planted({.slow_by = 20ms, .wrong = true}));
    EXPECT_EQ(result.not_offered, std::nullopt);
    EXPECT_GT(result.wrong_replies, 0U);
}

TEST(open_loop, runs_are_made_only_at_rates_that_the_generator_can_offer) {
    auto plan = plan_without_a_server(400, 2000);
    plan.look_time = 1ms;
    const auto result = run_open_loop(plan, planted({.slow_by = 20ms}));
    EXPECT_TRUE(result.not_offered.value_or("").starts_with("the generator was the bottleneck"));
    EXPECT_EQ(result.sent, 0U);
}

// The server answers at most 16 requests in 20 ms (800 per second), but the schedule contains 2000 requests
// per second.
TEST(open_loop, a_server_that_replies_too_slowly_is_reported_as_overloaded) {
    const server_process server(fault::slow);
    const auto result = run_open_loop(plan_for(server, 400, 2000));
    EXPECT_EQ(result.replies, 400u) << result.failure;
    EXPECT_TRUE(why_invalid(result).value_or("").starts_with("the server does not sustain 2000 requests"));
}

// The link accepts at most one request in 5 ms. During this time, five requests fall due.
TEST(open_loop, a_server_that_reads_requests_too_slowly_is_reported_as_overloaded) {
    auto plan = plan_without_a_server(100, 1000);
    plan.tries_max = 1;
    const auto result = run_open_loop(plan, planted({.takes_one_in = 5ms}));
    EXPECT_EQ(result.replies, 100U) << result.failure;
    EXPECT_GT(result.held_back, 50U);
    EXPECT_LE(result.held_back, 100U);
    EXPECT_TRUE(why_invalid(result).value_or("").starts_with("the server does not sustain 1000 requests"))
        << why_invalid(result).value_or("valid");
}

// The reason must be the same, because the printed report has one line for each distinct reason.
TEST(open_loop, every_overloaded_server_is_reported_with_the_same_reason) {
    const auto said_after = [](std::chrono::nanoseconds queued) {
        open_loop_result result;
        result.rate = 20'000;
        result.sent = 40'000;
        result.least_of_first_half = 1ms;
        result.least_of_second_half = queued;
        return why_invalid(result).value_or("");
    };
    EXPECT_TRUE(said_after(100ms).starts_with("the server does not sustain 20000 requests per second"));
    EXPECT_EQ(said_after(100ms), said_after(200ms));
}

TEST(open_loop, runs_are_made_only_at_rates_that_the_server_sustains) {
    const server_process server(fault::slow);
    auto plan = plan_for(server, 400, 2000);
    plan.look_time = 1ms;
    const auto result = run_open_loop(plan);
    EXPECT_TRUE(result.not_offered.value_or("").starts_with("the server does not sustain 2000 requests"));
    EXPECT_EQ(result.sent, 0U);
}

/// Adds requests that the generator sent `late_ns` too late. The server answered them after `served_ns`.
void sent_late(open_loop_result& result, int requests, std::int64_t late_ns,
               std::int64_t served_ns = 100'000) {
    for (int i = 0; i < requests; ++i) {
        result.latency.record(served_ns + late_ns);
        result.latency_from_send.record(served_ns);
        result.send_lateness.record(late_ns);
    }
}

TEST(open_loop, a_run_is_valid_if_the_generator_was_in_time_for_at_least_80_percent_of_the_requests) {
    open_loop_result result;
    sent_late(result, 1000, 9000);
    result.sent = 1000;
    result.left_out = 200;
    EXPECT_EQ(percentiles_of_its_own_making(result), std::vector<std::string_view>{});
    EXPECT_EQ(generator_was_the_bottleneck(result), std::nullopt);
    result.left_out = 201;
    EXPECT_NE(generator_was_the_bottleneck(result), std::nullopt);
}

TEST(open_loop, percentiles_that_fall_on_requests_sent_late_are_left_out) {
    open_loop_result result;
    sent_late(result, 950, 0);
    sent_late(result, 50, 20'000);
    EXPECT_EQ(percentiles_of_its_own_making(result),
              (std::vector<std::string_view>{"latency_p99", "latency_p999", "latency_max"}));
    EXPECT_EQ(generator_was_the_bottleneck(result), std::nullopt);
    sent_late(result, 100, 20'000);
    EXPECT_NE(generator_was_the_bottleneck(result), std::nullopt);
}

TEST(open_loop, percentiles_that_requests_sent_late_could_have_increased_are_left_out) {
    open_loop_result result;
    sent_late(result, 950, 0, 10'000);
    sent_late(result, 30, 0, 100'000);
    sent_late(result, 20, 11'000, 10'000);
    EXPECT_EQ(percentiles_of_its_own_making(result).front(), "latency_p99");
    EXPECT_EQ(generator_was_the_bottleneck(result), std::nullopt);
}

TEST(open_loop, the_reason_for_an_invalid_trial_names_the_lowest_unreliable_percentile) {
    open_loop_result result;
    sent_late(result, 700, 20'000);
    sent_late(result, 300, 0, 1'000'000);
    EXPECT_EQ(percentiles_of_its_own_making(result).size(), 5U) << "higher percentiles are unreliable, too";
    EXPECT_NE(generator_was_the_bottleneck(result).value_or("").find("latency_p50 is 120"),
              std::string::npos);
}

}  // namespace
}  // namespace loopbench::bench
