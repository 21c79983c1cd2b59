// An echo server with a loop in a thread for each CPU. The loops share nothing; a connection stays on the
// loop that serves it first.
#include <fmt/core.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "loop/examples/example.hpp"
#include "loop/group.hpp"

namespace loopbench::examples {

namespace {

loop::task<void> echo(loop::stream client) {
    std::array<std::byte, 4096> buffer;
    for (;;) {
        const loop::io_result received = co_await client.read_some(buffer);
        if (received.bytes == 0) co_return;
        const auto sent = co_await client.write_all(std::span(buffer).first(received.bytes));
        if (sent.error != 0) co_return;
    }
}

void serve(std::uint16_t port, int loops, int clients, bool in_turn) {
    std::atomic<int> clients_left{clients};
    loop::loop_group group({.loops = static_cast<std::size_t>(loops)});
    const auto serves = [&](loop::stream client) -> loop::task<void> {
        co_await echo(std::move(client));
        if (--clients_left == 0) group.stop();
    };
    const auto how = in_turn ? loop::distribution::hand_over : loop::distribution::reuse_port;
    const loop::endpoint server = group.listen(loop::endpoint::loopback(port), how, serves);
    fmt::print("Listening on port {} with {} loops\n", server.port(), group.size());
    group.wait();
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    int port = 3000;
    int loops = 0;
    int clients = -1;
    bool in_turn = false;
    const program described{
        .about = "Runs an echo server on all CPUs. Try it with: nc 127.0.0.1 3000",
        .options =
            {{"--port", "The port to listen on; 0 means any free port", &port},
             {"--loops", "Number of loops, each in its own thread; 0 means one for each CPU", &loops},
             {"--clients",
              "Number of clients to serve before the program ends; a negative number means no limit",
              &clients},
             {"--in-turn",
              "Give the connections to the loops in turn, instead of by the kernel's hash (SO_REUSEPORT)",
              &in_turn}},
    };
    return run_on_its_own_loop(argc, argv, described, [&] {
        if (loops < 0 || loops > 1024)
            throw std::invalid_argument(
                fmt::format("'{}' is not a valid --loops; expected 0 to 1024", loops));
        serve(checked_port(port), loops, clients, in_turn);
    });
}
