// The echo server from the first part of tutorial 003 has no scheduler. It uses select(), two tables of
// callbacks, and a list of tasks; the newest task runs first. Unlike the tutorial's server, this server
// accepts several clients, because the order of the tasks is visible only with several clients. It also
// closes the connections of clients that have left.
#include <fmt/core.h>
#include <sys/select.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loop/examples/example.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using callback = std::function<void()>;
using callbacks = std::map<int, callback>;

fd_set set_of(const callbacks& table) {
    fd_set set;
    FD_ZERO(&set);
    for (const auto& [fd, function] : table) FD_SET(fd, &set);
    return set;
}

int highest(const callbacks& table) {
    return table.empty() ? -1 : table.rbegin()->first;
}

class select_server {
public:
    /// Creates a server. run() returns after `clients` clients; if `clients` is negative, run() never
    /// returns.
    select_server(std::uint16_t port, int clients)
        : listener_(loop::open_listener(loop::endpoint::loopback(port))), clients_left_(clients) {
        fmt::print("Listening on port {}\n", loop::local_endpoint(listener_.get()).port());
        readable_t_[listener_.get()] = [this] { accept(); };
    }

    void run() {
        while (clients_left_ != 0) {
            add_ready_tasks();
            while (!tasks_.empty()) {
                const callback task = std::move(tasks_.back());
                tasks_.pop_back();
                task();
            }
        }
    }

private:
    void add_ready_tasks() {
        fd_set readable = set_of(readable_t_);
        fd_set writable = set_of(writable_t_);
        timeval timeout{.tv_sec = 0, .tv_usec = std::chrono::microseconds(200ms).count()};
        const int highest_fd = std::max(highest(readable_t_), highest(writable_t_));
        if (::select(highest_fd + 1, &readable, &writable, nullptr, &timeout) < 0) {
            if (errno != EINTR) loop::throw_failed("select");
            return;
        }
        pop_those_in(readable, readable_t_);
        pop_those_in(writable, writable_t_);
    }

    void pop_those_in(const fd_set& ready, callbacks& table) {
        std::erase_if(table, [&](auto& entry) {
            if (!FD_ISSET(entry.first, &ready)) return false;
            tasks_.push_back(std::move(entry.second));
            return true;
        });
    }

    void accept() {
        loop::unique_fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!client && errno != EAGAIN && errno != ECONNABORTED) loop::throw_failed("accept");
        const int fd = client.get();
        if (client && fd < FD_SETSIZE) {  // otherwise, closes the connection: select() cannot watch it
            clients_[fd] = std::move(client);
            readable_t_[fd] = [this, fd] { receive(fd); };
        }
        readable_t_[listener_.get()] = [this] { accept(); };
    }

    void receive(int fd) {
        std::array<char, 10000> buffer;
        const auto count = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (count <= 0) {
            forget(fd);
            return;
        }
        const std::string_view data(buffer.data(), static_cast<std::size_t>(count));
        fmt::print("Received message:  {}\n", data);
        writable_t_[fd] = [this, fd, reply = fmt::format("Got: {}", data)] { send(fd, reply); };
    }

    void send(int fd, const std::string& reply) {
        const auto count = ::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL);
        if (count < 0) {
            forget(fd);
        } else if (const std::string rest = reply.substr(static_cast<std::size_t>(count)); !rest.empty()) {
            writable_t_[fd] = [this, fd, rest] { send(fd, rest); };
        } else {
            readable_t_[fd] = [this, fd] { receive(fd); };
        }
    }

    void forget(int fd) {
        clients_.erase(fd);
        if (clients_left_ > 0) --clients_left_;
    }

    loop::unique_fd listener_;
    int clients_left_;
    callbacks readable_t_;
    callbacks writable_t_;
    std::vector<callback> tasks_;
    std::map<int, loop::unique_fd> clients_;
};

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    int port = 3000;
    int clients = -1;
    const program described{
        .about = "Runs an echo server that uses only select. Try it with: nc 127.0.0.1 3000",
        .options = {{"--port", "The port to listen on; 0 means any free port", &port},
                    {"--clients",
                     "Number of clients to serve before the program ends; a negative number means no limit",
                     &clients}},
    };
    return run_on_its_own_loop(argc, argv, described,
                               [&] { select_server(checked_port(port), clients).run(); });
}
