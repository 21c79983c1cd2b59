// The scheduler of tutorial 003 runs an echo server, which serves one client at a time, while two functions
// count. The program consists only of callbacks, each of which schedules the next callback.
#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "loop/examples/example.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;

struct settings {
    int port = 3000;
    int until = -1;
    int clients = -1;
};

void read_wait(event_loop& loop, int fd, std::function<void()> function) {
    loop.add_reader(fd, [&loop, fd, function] {
        loop.remove_reader(fd);
        function();
    });
}

void write_wait(event_loop& loop, int fd, std::function<void()> function) {
    loop.add_writer(fd, [&loop, fd, function] {
        loop.remove_writer(fd);
        function();
    });
}

// Returns the address as Python prints it, for example ('127.0.0.1', 51234).
std::string printed(const sockaddr_in& address) {
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    return fmt::format("('{}', {})", text.data(), ntohs(address.sin_port));
}

class echo_server {
public:
    /// Creates a server for `clients` clients, which are served one after the other. If `clients` is
    /// negative, the server never ends.
    echo_server(event_loop& loop, std::uint16_t port, int clients)
        : loop_(loop),
          listener_(loop, loop::open_listener(loop::endpoint::loopback(port))),
          clients_left_(clients) {
        fmt::print("Listening on port {}\n", loop::local_endpoint(listener_.native_handle()).port());
        wait_for_a_client();
    }

private:
    void wait_for_a_client() {
        if (clients_left_ == 0) {
            listener_.close();
            return;
        }
        read_wait(loop_, listener_.native_handle(), [this] { accept(); });
    }

    void accept() {
        sockaddr_in address{};
        socklen_t bytes = sizeof address;
        const int fd = ::accept4(listener_.native_handle(), reinterpret_cast<sockaddr*>(&address), &bytes,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            could_not_accept(errno);
            return;
        }
        if (clients_left_ > 0) --clients_left_;
        client_ = loop::descriptor(loop_, loop::unique_fd(fd));
        fmt::print("Connected to  {}\n", printed(address));
        read_wait(loop_, fd, [this] { receive(); });
    }

    // Tries to accept again: immediately if the error is that the client has closed the connection, and after
    // a second if it is any other error. After any other error, the client stays in the backlog and the
    // listener stays ready, so that immediate retries would use a whole core.
    void could_not_accept(int error) {
        if (error == EAGAIN || error == ECONNABORTED) {
            wait_for_a_client();
            return;
        }
        fmt::print("Cannot accept: {}; trying again in 1 s\n", std::strerror(error));
        loop_.call_later(scaled(1s), [this] { wait_for_a_client(); });
    }

    void receive() {
        const auto count = ::recv(client_.native_handle(), buffer_.data(), buffer_.size(), 0);
        if (count < 0 && errno == EAGAIN) {
            read_wait(loop_, client_.native_handle(), [this] { receive(); });
        } else if (count <= 0) {
            close_client();
        } else {
            const std::string_view data(buffer_.data(), static_cast<std::size_t>(count));
            fmt::print("Received message:  {}\n", data);
            reply_ = fmt::format("Got: {}", data);
            write_wait(loop_, client_.native_handle(), [this] { send(); });
        }
    }

    void send() {
        const auto count = ::send(client_.native_handle(), reply_.data(), reply_.size(), MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN) {
            close_client();
            return;
        }
        if (count > 0) reply_.erase(0, static_cast<std::size_t>(count));
        if (reply_.empty()) {
            read_wait(loop_, client_.native_handle(), [this] { receive(); });
        } else {
            write_wait(loop_, client_.native_handle(), [this] { send(); });
        }
    }

    void close_client() {
        client_.close();
        fmt::print("Connection Closed\n");
        wait_for_a_client();
    }

    event_loop& loop_;
    loop::descriptor listener_;
    loop::descriptor client_;
    int clients_left_;
    std::array<char, 10000> buffer_;
    std::string reply_;
};

void countdown(event_loop& loop, int n) {
    if (n == 0) return;
    fmt::print("Down {}\n", n);
    loop.call_later(scaled(4s), [&loop, n] { countdown(loop, n - 1); });
}

void countup(event_loop& loop, int until, int i = 0) {
    fmt::print("Up {}\n", i);
    if (i != until) loop.call_later(scaled(1s), [&loop, until, i] { countup(loop, until, i + 1); });
}

void serve_and_count(event_loop& loop, const settings& given) {
    const echo_server server(loop, checked_port(given.port), given.clients);
    loop.call_soon([&loop] { countdown(loop, 6); });
    loop.call_soon([&loop, &given] { countup(loop, given.until); });
    loop.run_until_idle();
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    settings given;
    const program described{
        .about =
            "Runs an echo server, while one task counts down and another counts up. Try it with: nc "
            "127.0.0.1 3000",
        .design = "loop-scheduler",
        .options = {{"--port", "The port to listen on; 0 means any free port", &given.port},
                    {"--until",
                     "The task that counts up ends at this number; if the number is negative, it never ends",
                     &given.until},
                    {"--clients",
                     "Number of clients to serve, one after the other; a negative number means no limit",
                     &given.clients}},
    };
    return run_example(argc, argv, described, [&](event_loop& loop) { serve_and_count(loop, given); });
}
