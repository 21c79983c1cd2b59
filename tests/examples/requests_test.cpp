// Tests tutorial 004's concurrent requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "loop/examples/connect_to_any.hpp"
#include "loop/net/sockets.hpp"
#include "on_every_design.hpp"
#include "tcp_peer.hpp"

namespace loopbench::tests {

namespace {

std::vector<std::string> answers_in(const std::string& output) {
    std::vector<std::string> lines = lines_of(output);
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("GET "); });
    return lines;
}

std::ptrdiff_t background_lines_before(const std::string& line, const std::string& output) {
    const auto found = output.find(line);
    EXPECT_NE(found, std::string::npos) << output;
    const auto before = lines_of(output.substr(0, found));
    return std::count(before.begin(), before.end(), "background task!");
}

void serve_all_at_once(int listener, std::size_t connections) {
    std::vector<tcp_peer> clients;
    const std::string request = "GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n";
    while (clients.size() < connections) {
        clients.emplace_back(loop::unique_fd(loop::checked(::accept(listener, nullptr, nullptr), "accept")));
        EXPECT_EQ(clients.back().receive(request.size()), request);
    }
    for (const tcp_peer& client : clients) client.send("HTTP/1.0 200 OK\r\n\r\nhello");
}

// Returns a bound socket that does not listen. Connections to it are refused, and no other process can use
// its port.
loop::unique_fd refusing_socket() {
    loop::unique_fd bound(loop::checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    const auto any = loop::endpoint::loopback(0);
    loop::checked(::bind(bound.get(), reinterpret_cast<const sockaddr*>(&any.address()), any.bytes()),
                  "bind");
    return bound;
}

}  // namespace

using requests = on_every_design;

TEST_P(requests, answers_arrive_in_the_order_of_their_delays) {
    const program_end end = run_program("concurrent_requests", in_virtual_time());
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    EXPECT_EQ(answers_in(end.output), (std::vector<std::string>{"GET /300: HTTP/1.0 200 OK, 58 bytes",
                                                                "GET /500: HTTP/1.0 200 OK, 58 bytes",
                                                                "GET /700: HTTP/1.0 200 OK, 58 bytes"}));
}

TEST_P(requests, the_background_task_keeps_running_during_requests) {
    const std::string output = run_program("concurrent_requests", in_virtual_time()).output;
    // Only a lower limit is checked, because the kernel can deliver an answer late, but never early.
    EXPECT_GE(background_lines_before("GET /300", output), 3);
    EXPECT_GE(background_lines_before("GET /500", output), 5);
    EXPECT_GE(background_lines_before("GET /700", output), 7);
}

TEST_P(requests, all_requests_are_sent_before_the_first_answer_arrives) {
    loop::unique_fd listener(loop::checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
    loop::checked(::listen(listener.get(), 8), "listen");
    const std::string server = "127.0.0.1:" + std::to_string(loop::local_endpoint(listener.get()).port());
    std::thread serving([&] { serve_all_at_once(listener.get(), 3); });
    const program_end end = run_program("concurrent_requests", on_this_design({server, server, server}));
    serving.join();
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    EXPECT_EQ(answers_in(end.output), std::vector<std::string>(3, "GET /: HTTP/1.0 200 OK, 24 bytes"));
}

TEST_P(requests, the_error_names_the_server_that_refused_the_connection) {
    const auto refusing = refusing_socket();
    const std::string server = loop::local_endpoint(refusing.get()).to_string();
    const program_end end = run_program("concurrent_requests", on_this_design({server}));
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_NE(end.errors.find("connect to " + server + " failed: Connection refused"), std::string::npos)
        << end.errors;
}

TEST(a_request, connect_to_any_tries_each_address_of_the_host) {
    const auto loop = loop::make_loop("loop-epoll");
    const auto refusing = refusing_socket();
    const auto listener = loop->listen();
    const std::vector good_last{loop::local_endpoint(refusing.get()),
                                loop::endpoint::loopback(listener.port())};
    auto connected = loop->run(examples::connect_to_any(*loop, good_last));
    EXPECT_EQ(loop::remote_endpoint(connected.native_handle()).port(), listener.port());
}

TEST(a_request, if_all_addresses_fail_the_error_names_the_last_address) {
    const auto loop = loop::make_loop("loop-epoll");
    const std::array refusing{refusing_socket(), refusing_socket()};
    const std::vector bad{loop::local_endpoint(refusing[0].get()), loop::local_endpoint(refusing[1].get())};
    try {
        auto connected = loop->run(examples::connect_to_any(*loop, bad));
        FAIL() << "connected to " << loop::remote_endpoint(connected.native_handle()).to_string();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.what(), "connect to " + bad.back().to_string() + " failed: Connection refused");
    }
}

INSTANTIATE_TEST_SUITE_P(examples, requests, testing::ValuesIn(design_names()), design_of);

}  // namespace loopbench::tests
