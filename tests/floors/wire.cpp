#include "tests/floors/wire.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <utility>

#include "loop/io/fd.hpp"

namespace loopbench::bench::floors {

namespace {

using loop::checked;

std::pair<loop::unique_fd, loop::unique_fd> socket_pair() {
    std::array<int, 2> fds{};
    checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), "socketpair");
    return {loop::unique_fd(fds[0]), loop::unique_fd(fds[1])};
}

void send(int fd, std::span<const std::byte> bytes) {
    static_cast<void>(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

void wait_until_read(int fd) {
    int unread = 1;
    while (::ioctl(fd, SIOCOUTQ, &unread) == 0 && unread > 0) std::this_thread::yield();
}

}  // namespace

wire::wire(std::size_t connections, std::function<fate(const passing&)> decide, std::size_t bytes)
    : decide_(std::move(decide)), message_(bytes), stop_(checked(::eventfd(0, EFD_CLOEXEC), "eventfd")) {
    for (std::size_t i = 0; i < connections; ++i) {
        auto [client, to_client] = socket_pair();
        auto [server, to_server] = socket_pair();
        ends_.push_back({.client = std::move(client), .server = std::move(server)});
        links_.push_back({.to_client = std::move(to_client), .to_server = std::move(to_server)});
    }
    thread_ = std::thread([this] { carry_messages(); });
}

wire::~wire() {
    for (const link& each : links_) cut(each);
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
}

void wire::cut(const link& cut_link) {
    ::shutdown(cut_link.to_client.get(), SHUT_RDWR);
    ::shutdown(cut_link.to_server.get(), SHUT_RDWR);
}

void wire::carry_messages() {
    std::vector<pollfd> watched{{.fd = stop_.get(), .events = POLLIN, .revents = 0}};
    for (const link& each : links_)
        for (const int fd : {each.to_client.get(), each.to_server.get()})
            watched.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    while (::poll(watched.data(), watched.size(), -1) >= 0 && watched[0].revents == 0) {
        for (std::size_t i = 1; i < watched.size(); ++i) {
            if ((watched[i].revents & POLLIN) != 0)
                carry((i - 1) / 2, i % 2 == 1 ? direction::request : direction::reply);
            if ((watched[i].revents & POLLHUP) != 0) watched[i].fd = -1;
        }
    }
}

void wire::carry(std::size_t connection, direction which) {
    link& on = links_[connection];
    const int from = which == direction::request ? on.to_client.get() : on.to_server.get();
    const int to = which == direction::request ? on.to_server.get() : on.to_client.get();
    const std::span message(message_);
    if (::recv(from, message.data(), message.size(), MSG_WAITALL) != static_cast<ssize_t>(message.size()))
        return;

    const std::uint64_t number = on.carried[static_cast<std::size_t>(which)]++;
    const fate becomes =
        decide_({.connection = connection, .which = which, .number = number, .bytes = message});
    switch (becomes) {
        case fate::whole:
            return send(to, message);
        case fate::in_pieces:
        case fate::interrupted:
            send(to, message.first(1));
            wait_until_read(to);
            if (becomes == fate::interrupted) ::pthread_kill(maker_, SIGUSR1);
            return send(to, message.subspan(1));
        case fate::cut_off:
            send(to, message.first(1));
            return cut(on);
        case fate::last:
            ::shutdown(from, SHUT_RDWR);
            ::shutdown(to, SHUT_RD);
            return send(to, message);
    }
}

}  // namespace loopbench::bench::floors
