// The program that tutorial 004 announces for its second part makes concurrent requests over plain TCP, while
// a background task runs. Each request uses HTTP/1.0: its answer ends when the connection is closed. If no
// servers are given as arguments, the program itself is the server; it answers GET /500 after 500 ms, for
// example.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loop/coro/future.hpp"
#include "loop/examples/connect_to_any.hpp"
#include "loop/examples/example.hpp"
#include "loop/net/read.hpp"
#include "loop/net/resolver.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using loop::task;

struct target {
    std::vector<loop::endpoint> where;
    std::string host;
    std::string path;
};

task<target> located(loop::resolver& resolver, std::string text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::size_t colon = text.substr(0, slash).rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == slash)
        throw std::invalid_argument(
            fmt::format("'{}' is not a server; expected HOST:PORT or HOST:PORT/PATH", text));
    const std::string port = text.substr(colon + 1, slash - colon - 1);
    std::string host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    // The await is a separate statement, because g++ 12 would destroy the vector twice if the await
    // were inside the braces.
    auto where = co_await resolver.resolve(host, port);
    co_return target{
        .where = std::move(where), .host = host, .path = slash == text.size() ? "/" : text.substr(slash)};
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

void throw_on_error(const loop::io_result& result, const char* doing) {
    if (result.error != 0) throw std::system_error(result.error_code(), doing);
}

task<void> answer(loop::stream stream) {
    loop::buffered_reader reader(stream);
    const auto request = co_await reader.read_until("\r\n\r\n");
    int delay_ms = 0;
    if (request.text.starts_with("GET /"))
        std::from_chars(request.text.data() + 5, request.text.data() + request.text.size(), delay_ms);
    co_await stream.loop().sleep_for(scaled(std::chrono::milliseconds(delay_ms)));
    const std::string response =
        fmt::format("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nafter {} ms\n", delay_ms);
    co_await stream.write_all(bytes_of(response));
}

task<void> serve(event_loop& loop, loop::listener listener) {
    for (;;) create_task(loop, answer(co_await listener.accept()));
}

task<std::string> read_to_the_end(loop::stream& stream) {
    constexpr std::size_t bytes_max = std::size_t{1} << 20;
    std::string text;
    std::array<std::byte, 4096> buffer;
    while (text.size() < bytes_max) {
        const loop::io_result part = co_await stream.read_some(buffer);
        throw_on_error(part, "cannot receive an answer");
        if (part.bytes == 0) break;
        text.append(reinterpret_cast<const char*>(buffer.data()), part.bytes);
    }
    co_return text;
}

task<void> get(event_loop& loop, target from) {
    auto stream = co_await connect_to_any(loop, from.where);
    const std::string request = fmt::format("GET {} HTTP/1.0\r\nHost: {}\r\n\r\n", from.path, from.host);
    throw_on_error(co_await stream.write_all(bytes_of(request)), "cannot send a request");
    const std::string response = co_await read_to_the_end(stream);
    fmt::print("GET {}: {}, {} bytes\n", from.path, response.substr(0, response.find('\r')), response.size());
}

task<void> background_task(event_loop& loop) {
    const auto start = loop.now();
    for (int tick = 1;; ++tick) {
        co_await loop.sleep_until(start + tick * scaled(100ms));
        fmt::print("background task!\n");
    }
}

std::vector<target> own_server(event_loop& loop) {
    auto listener = loop.listen();
    const std::vector where{loop::endpoint::loopback(listener.port())};
    create_task(loop, serve(loop, std::move(listener)));
    return {{where, "localhost", "/700"}, {where, "localhost", "/500"}, {where, "localhost", "/300"}};
}

task<void> get_all(event_loop& loop, std::vector<std::string> servers) {
    std::vector<target> targets;
    {
        loop::resolver resolver(loop);
        for (std::string& server : servers) targets.push_back(co_await located(resolver, std::move(server)));
    }
    if (targets.empty()) targets = own_server(loop);
    std::vector<task<void>> requests;
    for (target& from : targets) requests.push_back(get(loop, std::move(from)));

    const auto background = create_task(loop, background_task(loop));
    const auto start = loop.now();
    co_await loop.gather(std::span(requests));
    fmt::print("{} requests in {:.2f} ms\n", requests.size(), milliseconds(loop.now() - start));
    background.cancel();
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    std::vector<std::string> servers;
    const program described{
        .about = "Sends HTTP/1.0 requests concurrently, while a task runs in the background.",
        .design = "loop-asyncio",
        .options = {{"servers",
                     "Servers as HOST:PORT or HOST:PORT/PATH; by default, the program starts its own server",
                     &servers}},
    };
    return run_example(argc, argv, described, [&](event_loop& loop) { loop.run(get_all(loop, servers)); });
}
