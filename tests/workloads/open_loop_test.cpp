// The load generator against servers with planted faults, and with a fault of its own.
#include "bench/generator/open_loop.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace loopbench::bench {
namespace {

using namespace std::chrono_literals;

enum class fault { none, wrong_bytes, closes_after_100 };

/// Serves every connection from one thread, for ever.
[[noreturn]] void serve(int listener, fault planted) {
    std::vector<pollfd> watched{{listener, POLLIN, 0}};
    std::array<char, 4096> buffer;
    for (int reads = 0;;) {
        ::poll(watched.data(), watched.size(), -1);
        const std::size_t count = watched.size();
        for (std::size_t i = 1; i < count; ++i) {
            if (watched[i].revents == 0) continue;
            const ssize_t got = ::recv(watched[i].fd, buffer.data(), buffer.size(), 0);
            if (got <= 0 || (planted == fault::closes_after_100 && ++reads > 100)) {
                ::close(watched[i].fd);
                watched[i].fd = -1;
                continue;
            }
            if (planted == fault::wrong_bytes && ++reads % 10 == 0) buffer[0] ^= 1;
            ::send(watched[i].fd, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
        }
        if (watched[0].revents != 0) watched.push_back({::accept(listener, nullptr, nullptr), POLLIN, 0});
    }
}

/// An echo server in a process of its own.
class server_process {
public:
    explicit server_process(fault planted = fault::none) {
        const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(listener, generic, size), 0);
        EXPECT_EQ(::listen(listener, 128), 0);
        EXPECT_EQ(::getsockname(listener, generic, &size), 0);
        port_ = ntohs(address.sin_port);
        process_ = ::fork();
        if (process_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            serve(listener, planted);
        }
        ::close(listener);
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

open_loop_plan plan_for(const server_process& server, std::uint64_t requests, double rate) {
    open_loop_plan plan;
    plan.port = server.port();
    plan.requests = requests;
    plan.rate = rate;
    return plan;
}

void stop_for(pid_t process, std::chrono::milliseconds after, std::chrono::milliseconds duration) {
    std::this_thread::sleep_for(after);
    ::kill(process, SIGSTOP);
    std::this_thread::sleep_for(duration);
    ::kill(process, SIGCONT);
}

std::uint64_t count_over(const histogram& values, std::chrono::nanoseconds limit) {
    std::uint64_t over = 0;
    values.for_each_bucket([&](std::int64_t lowest, std::int64_t, std::uint64_t count) {
        if (lowest >= limit.count()) over += count;
    });
    return over;
}

TEST(open_loop, gets_every_reply_and_keeps_to_its_rate) {
    const server_process server;
    const auto result = run_open_loop(plan_for(server, 500, 5000));
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.sent, 500u);
    EXPECT_EQ(result.replies, 500u);
    EXPECT_EQ(result.wrong_replies, 0u);
    EXPECT_EQ(result.latency.count(), 500u);
    EXPECT_EQ(result.send_lateness.count(), 500u);
    EXPECT_EQ(result.rate, 5000);
}

TEST(open_loop, measures_the_capacity_first_when_it_is_given_a_load) {
    const server_process server;
    auto plan = plan_for(server, 300, 0);
    plan.load = 0.25;
    plan.capacity_time = 20ms;
    const auto result = run_open_loop(plan);
    EXPECT_EQ(result.failure, "");
    EXPECT_GT(result.capacity, 100);
    EXPECT_DOUBLE_EQ(result.rate, result.capacity / 4);
    EXPECT_EQ(result.replies, 300u);
}

// A second at 2000 a second: 2000 requests are due while nobody answers. A client that waited for each reply
// before the next request would see at most one late one on each connection.
TEST(open_loop, charges_a_stopped_server_for_every_request_that_was_due) {
    const server_process server;
    std::thread stopping(stop_for, server.id(), 300ms, 1000ms);
    const auto result = run_open_loop(plan_for(server, 5000, 2000));
    stopping.join();
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.replies, 5000u);
    const auto late = count_over(result.latency, 10ms);
    EXPECT_GT(late, 1900u);
    // And not those that were due when it ran: a quarter of them were, before it was stopped.
    EXPECT_LT(late, 4500u);
    EXPECT_GT(count_over(result.latency, 500ms), 900u);  // half of the time is half of the requests
}

TEST(open_loop, counts_replies_that_are_wrong) {
    const server_process server(fault::wrong_bytes);
    const auto result = run_open_loop(plan_for(server, 300, 5000));
    EXPECT_GT(result.wrong_replies, 10u);
    EXPECT_EQ(result.replies + result.wrong_replies, 300u);
}

TEST(open_loop, ends_with_the_reason_when_the_server_hangs_up) {
    const server_process server(fault::closes_after_100);
    EXPECT_EQ(run_open_loop(plan_for(server, 2000, 5000)).failure, "the contender closed a connection");
}

TEST(open_loop, ends_with_the_reason_when_the_server_stops_for_ever) {
    const server_process server;
    auto plan = plan_for(server, 2000, 2000);
    plan.patience = 100ms;
    std::thread stopping([&] {
        std::this_thread::sleep_for(300ms);  // of a second: it has answered, however slowly it starts
        ::kill(server.id(), SIGSTOP);
    });
    const auto failure = run_open_loop(plan).failure;
    stopping.join();
    EXPECT_TRUE(failure.ends_with("of 2000 replies had not come 0.1 s after the last request")) << failure;
}

TEST(open_loop, ends_with_the_reason_when_no_reply_comes_at_all) {
    const server_process server;
    ::kill(server.id(), SIGSTOP);
    auto plan = plan_for(server, 10, 5000);
    plan.patience = 50ms;
    EXPECT_EQ(run_open_loop(plan).failure, "the first replies had not come after 0.05 s");
}

TEST(open_loop, finds_a_generator_that_lags_to_be_the_bottleneck) {
    const server_process server;
    const std::string command = "exec '" LOOPBENCH_TEST_GENERATOR "' --rate=2000 --requests=2000 --port=" +
                                std::to_string(server.port());
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t generator = ::fork();
    if (generator == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    stop_for(generator, 500ms, 200ms);  // in the midst of its second, however slowly it starts
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    ::waitpid(generator, nullptr, 0);
    const auto result = nlohmann::json::parse(text);
    EXPECT_EQ(result["failure"], "");
    EXPECT_GT(result["send_late_p99"].get<double>(), 50e6);
    ASSERT_TRUE(result["bottleneck"].is_string());
    EXPECT_NE(result["bottleneck"].get<std::string>().find("it sent so late that latency_p90 is "),
              std::string::npos);
}

/// So many requests more, sent so late, of a server that takes so long for each.
void sent_late(open_loop_result& result, int requests, std::int64_t late_ns,
               std::int64_t served_ns = 100'000) {
    for (int i = 0; i < requests; ++i) {
        result.latency.record(served_ns + late_ns);
        result.latency_from_send.record(served_ns);
        result.send_lateness.record(late_ns);
    }
}

TEST(open_loop, trusts_a_generator_that_was_in_time_and_had_time) {
    open_loop_result result;
    sent_late(result, 1000, 9000);
    result.busy = 0.74;
    EXPECT_EQ(percentiles_of_its_own_making(result), std::vector<std::string_view>{});
    EXPECT_EQ(generator_was_the_bottleneck(result), std::nullopt);
    result.busy = 0.76;
    EXPECT_NE(generator_was_the_bottleneck(result), std::nullopt);
}

TEST(open_loop, leaves_out_the_percentiles_that_are_of_the_generators_making) {
    open_loop_result result;
    sent_late(result, 950, 0);
    sent_late(result, 50, 20'000);
    EXPECT_EQ(percentiles_of_its_own_making(result),
              (std::vector<std::string_view>{"latency_p99", "latency_p999", "latency_max"}));
    EXPECT_EQ(generator_was_the_bottleneck(result), std::nullopt);
    sent_late(result, 100, 20'000);
    EXPECT_NE(generator_was_the_bottleneck(result), std::nullopt);
}

TEST(open_loop, leaves_out_what_its_lateness_could_have_made_on_other_requests) {
    open_loop_result result;
    sent_late(result, 950, 0, 10'000);
    sent_late(result, 30, 0, 100'000);
    sent_late(result, 20, 11'000, 10'000);
    EXPECT_EQ(percentiles_of_its_own_making(result).front(), "latency_p99");
    EXPECT_EQ(generator_was_the_bottleneck(result), std::nullopt);
}

TEST(open_loop, names_the_percentile_that_makes_a_trial_invalid) {
    open_loop_result result;
    sent_late(result, 700, 20'000);
    sent_late(result, 300, 0, 1'000'000);
    EXPECT_EQ(percentiles_of_its_own_making(result).size(), 5U) << "what is above it is not to be trusted";
    EXPECT_NE(generator_was_the_bottleneck(result).value_or("").find("so late that latency_p50 is 120"),
              std::string::npos);
}

}  // namespace
}  // namespace loopbench::bench
