// The HTTP server on loop-epoll that wrk and the suite's generator measure. It prints its port. It computes
// for about 20 us per request, so that the server is the bottleneck, not the client.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include "bench/suite/generator/conversation.hpp"
#include "loop/designs.hpp"
#include "loop/net/stream.hpp"

namespace {

using loopbench::loop::event_loop;
using task = event_loop::task<void>;

void compute() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < end) {
    }
}

task serve(event_loop::stream stream) {
    const std::string reply(loopbench::bench::http_reply);
    std::string received;
    std::byte buffer[4096];
    for (;;) {
        const auto got = co_await stream.read_some(buffer);
        if (got.error != 0 || got.bytes == 0) co_return;
        received.append(reinterpret_cast<const char*>(buffer), got.bytes);
        for (std::size_t end = 0; (end = received.find("\r\n\r\n")) != std::string::npos;) {
            received.erase(0, end + 4);
            compute();
            const auto sent = co_await stream.write_all(std::as_bytes(std::span(reply)));
            if (sent.error != 0) co_return;
        }
    }
}

task serve_all(event_loop& loop) {
    auto listener = loop.listen();
    std::printf("%d\n", listener.port());
    std::fflush(stdout);
    for (;;) loop.spawn(serve(co_await listener.accept()));
}

}  // namespace

int main() {
    const auto loop = loopbench::loop::make_loop("loop-epoll");
    loop->run(serve_all(*loop));
}
