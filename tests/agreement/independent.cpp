// The second implementation of four of the suite's workloads. It uses plain Asio and plain system calls, and
// no code of the suite. agree.py compares its numbers with the suite's numbers.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace asio = boost::asio;
using asio::ip::tcp;
using executor = asio::io_context::executor_type;
template <class T>
using task = asio::awaitable<T, executor>;
using socket_type = asio::basic_stream_socket<tcp, executor>;
using acceptor_type = asio::basic_socket_acceptor<tcp, executor>;

namespace {

using clock_type = std::chrono::steady_clock;

double ns_since(clock_type::time_point start, int operations) {
    return std::chrono::duration<double, std::nano>(clock_type::now() - start).count() / operations;
}

double yield() {
    constexpr int operations = 5'000'000;
    asio::io_context context{1};
    double result = 0;
    auto yields = [&]() -> task<void> {
        const auto start = clock_type::now();
        for (int i = 0; i < operations; ++i) co_await asio::post(context.get_executor(), asio::deferred);
        result = ns_since(start, operations);
    };
    asio::co_spawn(context, yields(), asio::detached);
    context.run();
    return result;
}

// Returns the nanoseconds per child. A posted function starts the children, because Asio would queue each
// start that is made outside of the loop. run() returns when all children have ended, as the join of a gather
// would.
double gather() {
    constexpr int rounds = 1000, children = 1000;
    asio::io_context context{1};
    auto child = [&]() -> task<void> { co_await asio::post(context.get_executor(), asio::deferred); };
    const auto round = [&] {
        asio::post(context, [&] {
            for (int i = 0; i < children; ++i) asio::co_spawn(context, child(), asio::detached);
        });
        context.restart();
        context.run();
    };
    round();
    const auto start = clock_type::now();
    for (int i = 0; i < rounds; ++i) round();
    return ns_since(start, rounds * children);
}

task<void> serve(socket_type socket) {
    std::array<char, 4096> buffer;
    for (;;) {
        const auto [error, bytes] =
            co_await socket.async_read_some(asio::buffer(buffer), asio::as_tuple(asio::deferred));
        if (error) co_return;
        co_await asio::async_write(socket, asio::buffer(buffer, bytes), asio::deferred);
    }
}

double asio_echo() {
    constexpr int round_trips = 200'000;
    asio::io_context context{1};
    acceptor_type acceptor(context.get_executor(), {asio::ip::address_v4::loopback(), 0});
    double result = 0;
    auto server = [&]() -> task<void> {
        socket_type peer = co_await acceptor.async_accept(asio::deferred);
        peer.set_option(tcp::no_delay(true));
        co_await serve(std::move(peer));
    };
    auto client = [&]() -> task<void> {
        socket_type socket(context.get_executor());
        co_await socket.async_connect(acceptor.local_endpoint(), asio::deferred);
        socket.set_option(tcp::no_delay(true));
        std::array<char, 64> message{}, reply{};
        clock_type::time_point start;
        for (int i = -1000; i < round_trips; ++i) {
            if (i == 0) start = clock_type::now();
            co_await asio::async_write(socket, asio::buffer(message), asio::deferred);
            co_await asio::async_read(socket, asio::buffer(reply), asio::deferred);
        }
        result = ns_since(start, round_trips);
    };
    asio::co_spawn(context, server(), asio::detached);
    asio::co_spawn(context, client(), asio::detached);
    context.run();
    return result;
}

int checked(int result, const char* what) {
    if (result >= 0) return result;
    std::perror(what);
    std::exit(EXIT_FAILURE);
}

double blocking_echo() {
    constexpr int round_trips = 200'000;
    const int listener = checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    checked(bind(listener, generic, bytes), "bind");
    checked(listen(listener, 1), "listen");
    checked(getsockname(listener, generic, &bytes), "getsockname");
    const int client = checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
    checked(connect(client, generic, bytes), "connect");
    const int server = checked(accept(listener, nullptr, nullptr), "accept");
    const int on = 1;
    for (const int fd : {client, server})
        checked(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
    std::array<char, 64> message{};
    const auto pass = [&](int from, int to) {
        if (send(from, message.data(), message.size(), 0) != 64 ||
            recv(to, message.data(), message.size(), 0) != 64)
            checked(-1, "send or recv");
    };
    clock_type::time_point start;
    for (int i = -1000; i < round_trips; ++i) {
        if (i == 0) start = clock_type::now();
        pass(client, server);
        pass(server, client);
    }
    const double result = ns_since(start, round_trips);
    for (const int fd : {client, server, listener}) close(fd);
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, std::function<double()>> works{
        {"yield", yield}, {"gather", gather}, {"asio-echo", asio_echo}, {"blocking-echo", blocking_echo}};
    const auto work = works.find(argc == 2 ? argv[1] : "");
    if (work == works.end()) {
        std::fprintf(stderr, "usage: independent yield|gather|asio-echo|blocking-echo\n");
        return 2;
    }
    std::printf("%.3f\n", work->second());
}
