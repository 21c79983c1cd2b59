// `async_connect` to a Unix socket whose backlog is full reports success only if it has connected.
// https://github.com/chriskohlhoff/asio/issues/1365
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <optional>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

using unix_stream = boost::asio::local::stream_protocol;
using boost::system::error_code;

/// Connects sockets until the backlog is full. Returns them.
std::vector<int> fill(const unix_stream::endpoint& server) {
    std::vector<int> clients;
    for (;;) {
        const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        clients.push_back(client);
        if (::connect(client, server.data(), static_cast<socklen_t>(server.size())) != 0) return clients;
    }
}

clinic::verdict check() {
    boost::asio::io_context context;
    const unix_stream::endpoint address(std::string(1, '\0') + "clinic-" + std::to_string(::getpid()));
    unix_stream::acceptor acceptor(context, unix_stream());
    acceptor.bind(address);
    acceptor.listen(1);
    const auto clients = fill(address);
    unix_stream::socket socket(context);
    std::optional<error_code> found;
    socket.async_connect(address, [&](error_code error) { found = error; });
    context.run_one_for(std::chrono::milliseconds(100));
    if (!found) {  // then the connection is made as soon as the backlog has room
        for (std::size_t i = 0; i + 1 < clients.size(); ++i) acceptor.accept();
        context.restart();
        context.run();
    }
    error_code unconnected;
    socket.remote_endpoint(unconnected);
    for (const int client : clients) ::close(client);
    if (!found) return clinic::wrong("async_connect did not end");
    std::fprintf(stderr, "async_connect ended with: %s\n", found->message().c_str());
    if (*found == boost::asio::error::try_again || *found == boost::asio::error::no_buffer_space)
        return clinic::right();  // these errors tell the program to connect again later
    if (*found) return clinic::wrong("async_connect ended with: %s", found->message().c_str());
    if (!unconnected) return clinic::right();
    return clinic::wrong("async_connect reported success, but the socket is not connected (%s)",
                         unconnected.message().c_str());
}

}  // namespace

int main() {
    return clinic::judge(check);
}
