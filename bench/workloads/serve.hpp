// Serving clients that do not wait: the contender is a server in its own process, the client another program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "bench/runtime.hpp"
#include "bench/workloads/generator_process.hpp"
#include "bench/workloads/trial.hpp"

namespace loopbench::bench::workloads {

namespace detail {

template <Runtime R>
task_of<R> echo_until_closed(typename R::stream& stream) {
    std::vector<std::byte> buffer(4096);
    for (;;) {
        const auto received = co_await stream.read_some(buffer);
        if (received.error != 0 || received.bytes == 0) break;
        const auto sent = co_await stream.write_all(std::span<const std::byte>(buffer).first(received.bytes));
        if (sent.error != 0) break;
    }
    stream.close();
}

/// Accepts so many connections and serves them until all are closed.
template <Runtime R>
task_of<R> serve_connections(R& runtime, typename R::listener& listener, std::size_t count) {
    std::vector<typename R::stream> accepted;
    std::vector<task_of<R>> handlers;
    accepted.reserve(count);  // a stream is not moved any more when its handler has it
    for (std::size_t i = 0; i < count; ++i) {
        accepted.push_back(co_await listener.accept());
        handlers.push_back(echo_until_closed<R>(accepted.back()));
    }
    co_await runtime.gather(std::span<task_of<R>>(handlers));
}

/// The generator's two visits: it finds out how much it may ask for, and then keeps to its schedule, which is
/// the timed section. When it ended before its second visit, the listener was closed then.
template <Runtime R>
task_of<R> serve_generator(R& runtime, trial& t, typename R::listener& listener, std::size_t connections,
                           std::string& ended_early) {
    try {
        co_await serve_connections(runtime, listener, connections);
        t.begin();
        co_await serve_connections(runtime, listener, connections);
        t.end();
    } catch (const std::system_error& error) {
        ended_early = error.what();
    }
}

}  // namespace detail

namespace detail {

template <Runtime R>
task_of<R> serve_open_loop(R& runtime, trial& t, offered_load offered) {
    constexpr std::size_t connections = 16;
    auto listener = runtime.listen();
    typename R::event generator_ended(runtime);
    generator_process generator;
    const auto when_ended = [&runtime, &listener, &generator_ended] {
        runtime.post_from_any_thread([&listener, &generator_ended] {
            listener.close();  // a server that still waits for connections waits in vain
            generator_ended.set();
        });
    };
    const bool started = generator.start({.port = listener.port(),
                                          .connections = connections,
                                          .requests = t.operations(),
                                          .offered = offered,
                                          .capacity_s = t.smoke() ? 0.05 : 0.3},
                                         t, when_ended);
    if (!started) co_return;
    std::string ended_early;
    co_await serve_generator(runtime, t, listener, connections, ended_early);
    co_await generator_ended.wait();
    generator.prove(t, t.operations());  // which knows more of why
    if (!ended_early.empty()) t.fail("serving ended too early: " + ended_early);
}

}  // namespace detail

/// One operation: one request of 64 bytes, echoed. They come at a fixed rate, `Load` percent of what the
/// contender was found to be capable of just before, on 16 connections; the latency is from when a request
/// was to be sent.
template <Runtime R, int Load>
task_of<R> serve_open_loop(R& runtime, trial& t) {
    return detail::serve_open_loop(runtime, t, {.percent_of_capacity = Load});
}

/// The same at so many requests per second, whoever the contender is.
template <Runtime R, int Rate>
task_of<R> serve_open_loop_at(R& runtime, trial& t) {
    return detail::serve_open_loop(runtime, t, {.per_second = Rate});
}

}  // namespace loopbench::bench::workloads
