// Connections proceed although several threads run the context and each socket is freed at its end.
// https://github.com/chriskohlhoff/asio/issues/180
#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <vector>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;

constexpr int rounds = 5, connections = 400, threads = 50;

struct peer {
    explicit peer(tcp::socket with) : socket(std::move(with)) {}
    tcp::socket socket;
    std::array<char, 16> data{};
};

struct results {
    std::atomic<int> ended{0};
    std::atomic<int> errors{0};

    void expect_end(const std::shared_ptr<peer>& of) {
        net::async_read(of->socket, net::buffer(of->data), [this, of](error_code error, std::size_t) {
            if (error != net::error::eof) ++errors;
            ++ended;
            clinic::passed();
        });
    }
};

void serve(const std::shared_ptr<peer>& client, results& all) {
    net::async_read(client->socket, net::buffer(client->data), [client, &all](error_code error, std::size_t) {
        if (error) ++all.errors;
        all.expect_end(client);
    });
}

void accept(tcp::acceptor& acceptor, int left, results& all) {
    acceptor.async_accept([&acceptor, left, &all](error_code error, tcp::socket socket) {
        if (error) ++all.errors;
        if (left > 1) accept(acceptor, left - 1, all);
        serve(std::make_shared<peer>(std::move(socket)), all);
    });
}

void connect(net::io_context& context, tcp::endpoint server, results& all) {
    const auto client = std::make_shared<peer>(tcp::socket(context));
    client->socket.async_connect(server, [client, &all](error_code refused) {
        if (refused) ++all.errors;
        net::async_write(client->socket, net::buffer(client->data),
                         [client, &all](error_code error, std::size_t) {
                             if (error) ++all.errors;
                             error_code ignored;
                             client->socket.shutdown(tcp::socket::shutdown_both, ignored);
                             all.expect_end(client);
                         });
    });
}

clinic::verdict check() {
    results all;
    for (int i = 0; i < rounds; ++i) {
        net::io_context context(threads);
        tcp::acceptor acceptor(context, clinic::any_port);
        accept(acceptor, connections, all);
        for (int each = 0; each < connections; ++each) connect(context, acceptor.local_endpoint(), all);
        std::vector<std::jthread> runners;
        for (int each = 0; each < threads; ++each) runners.emplace_back([&context] { context.run(); });
    }
    constexpr int expected = 2 * rounds * connections;
    if (all.ended == expected && all.errors == 0) return clinic::right();
    return clinic::wrong("%d of %d sockets ended, with %d errors", all.ended.load(), expected,
                         all.errors.load());
}

}  // namespace

int main() {
    return clinic::judge(check);
}
