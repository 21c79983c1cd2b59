// Tests the two echo servers of tutorial 003, and the echo server on all CPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "on_every_design.hpp"
#include "tcp_peer.hpp"

namespace loopbench::tests {

namespace {

// Returns the lines that begin with one of `starts`. The tests compare a server's counts and a client's lines
// separately, because a client's line can come between any two lines of the counts.
std::vector<std::string> lines_with(const std::vector<std::string>& lines,
                                    const std::vector<std::string>& starts) {
    std::vector<std::string> found;
    for (const std::string& line : lines) {
        if (std::any_of(starts.begin(), starts.end(),
                        [&](const auto& start) { return line.starts_with(start); }))
            found.push_back(line);
    }
    return found;
}

std::uint16_t port_in(const std::string& line) {
    const std::string before = "Listening on port ";
    EXPECT_EQ(line.substr(0, before.size()), before);
    return static_cast<std::uint16_t>(std::stoi(line.substr(before.size())));
}

std::string connected(const tcp_peer& client) {
    return "Connected to  ('127.0.0.1', " + std::to_string(client.port()) + ")";
}

}  // namespace

TEST(the_select_server, the_select_server_runs_the_newest_task_first) {
    running_program program("echo_with_select", {"--port", "0", "--clients", "2"});
    const std::uint16_t port = port_in(program.read_line());
    auto older = tcp_peer::connected_to(port);
    older.send("here");
    EXPECT_EQ(older.receive(9), "Got: here");
    auto newer = tcp_peer::connected_to(port);
    newer.send("here");
    EXPECT_EQ(newer.receive(9), "Got: here");

    program.stop();
    older.deliver("from the older");
    newer.deliver("from the newer");
    program.go_on();
    EXPECT_EQ(newer.receive(19), "Got: from the newer");
    EXPECT_EQ(older.receive(19), "Got: from the older");
    newer.reset();
    older.close();
    const program_end end = program.end();
    EXPECT_EQ(end.exit_code, 0) << end.errors;
    EXPECT_EQ(end.output,
              "Received message:  here\nReceived message:  here\n"
              "Received message:  from the newer\nReceived message:  from the older\n");
}

TEST(the_server_on_all_cores, the_server_answers_many_clients_at_once_and_ends_after_the_last) {
    for (const bool in_turn : {false, true}) {
        std::vector<std::string> options{"--port", "0", "--loops", "3", "--clients", "8"};
        if (in_turn) options.emplace_back("--in-turn");
        running_program program("echo_on_all_cores", options);
        const std::string line = program.read_line();
        EXPECT_TRUE(line.ends_with(" with 3 loops")) << line;
        std::vector<tcp_peer> clients;
        for (int i = 0; i < 8; ++i) clients.push_back(tcp_peer::connected_to(port_in(line)));
        for (const tcp_peer& each : clients) each.send("hello");
        for (const tcp_peer& each : clients) EXPECT_EQ(each.receive(5), "hello");
        clients.clear();
        const program_end end = program.end();
        EXPECT_EQ(end.exit_code, 0) << end.errors;
    }
}

TEST(the_server_on_all_cores, a_port_that_is_in_use_is_refused) {
    running_program first("echo_on_all_cores", {"--port", "0", "--loops", "2"});
    const std::string port = std::to_string(port_in(first.read_line()));
    const program_end end = run_program("echo_on_all_cores", {"--port", port, "--loops", "2"});
    EXPECT_EQ(end.exit_code, 1);
    EXPECT_NE(end.errors.find("127.0.0.1:" + port), std::string::npos) << end.errors;
}

class echo_server : public on_every_design {
protected:
    std::vector<std::string> serving(int clients) const {
        return in_virtual_time({"--port", "0", "--until", "4", "--clients", std::to_string(clients)});
    }

    static std::vector<std::string> finished(running_program& program) {
        const program_end end = program.end();
        EXPECT_EQ(end.exit_code, 0) << end.errors;
        return lines_of(end.output);
    }
};

TEST_P(echo_server, the_server_answers_while_the_counting_tasks_run) {
    running_program program("echo_beside_counting", serving(1));
    auto client = tcp_peer::connected_to(port_in(program.read_line()));
    client.send("hello");
    EXPECT_EQ(client.receive(10), "Got: hello");
    client.send("again");
    EXPECT_EQ(client.receive(10), "Got: again");
    const std::string connection = connected(client);
    client.close();

    const auto lines = finished(program);
    EXPECT_EQ(lines_with(lines, {"Connect", "Received"}),
              (std::vector<std::string>{connection, "Received message:  hello", "Received message:  again",
                                        "Connection Closed"}));
    EXPECT_EQ(lines_with(lines, {"Up", "Down"}),
              (std::vector<std::string>{"Down 6", "Up 0", "Up 1", "Up 2", "Up 3", "Down 5", "Up 4", "Down 4",
                                        "Down 3", "Down 2", "Down 1"}));
}

TEST_P(echo_server, the_next_client_is_served_after_the_previous_client_has_left) {
    running_program program("echo_beside_counting", serving(2));
    const std::uint16_t port = port_in(program.read_line());
    auto first = tcp_peer::connected_to(port);
    auto second = tcp_peer::connected_to(port);
    second.send("two");
    first.send("one");
    EXPECT_EQ(first.receive(8), "Got: one");
    const std::vector<std::string> expected{connected(first),  "Received message:  one", "Connection Closed",
                                            connected(second), "Received message:  two", "Connection Closed"};
    first.reset();
    EXPECT_EQ(second.receive(8), "Got: two");
    second.close();
    EXPECT_EQ(lines_with(finished(program), {"Connect", "Received"}), expected);
}

TEST_P(echo_server, the_counting_tasks_continue_while_a_client_is_silent) {
    running_program program("echo_beside_counting", serving(1));
    auto client = tcp_peer::connected_to(port_in(program.read_line()));
    std::string line;
    do {
        line = program.read_line();
    } while (line != "Down 1" && !line.empty());
    EXPECT_EQ(line, "Down 1");
    client.close();
    static_cast<void>(finished(program));
}

TEST_P(echo_server, the_server_retries_accept_once_a_second_while_it_has_no_free_descriptor) {
    running_program program("echo_beside_counting", in_virtual_time({"--port", "0"}));
    const std::uint16_t port = port_in(program.read_line());
    program.limit_descriptors(3);
    auto client = tcp_peer::connected_to(port);
    const auto is_refusal = [](const std::string& line) {
        return line.starts_with("Cannot accept: Too many");
    };
    std::string line;
    do {
        line = program.read_line();
        ASSERT_NE(line, "");
    } while (!is_refusal(line));
    int seconds = 0;
    for (int refusals = 0; refusals < 5;) {
        line = program.read_line();
        ASSERT_NE(line, "");
        if (is_refusal(line)) ++refusals;
        if (line.starts_with("Up ")) ++seconds;
    }
    EXPECT_GE(seconds, 4);
    program.limit_descriptors(100);
    client.send("hello");
    EXPECT_EQ(client.receive(10), "Got: hello");
}

INSTANTIATE_TEST_SUITE_P(examples, echo_server, testing::ValuesIn(design_names()), design_of);

}  // namespace loopbench::tests
