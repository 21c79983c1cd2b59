#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/workloads/sockets/generator_process.hpp"
#include "bench/suite/workloads/trial/trial.hpp"
#include "bench/suite/workloads/workload.hpp"

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

template <Runtime R>
task_of<R> serve_connections(R& runtime, typename R::listener& listener, std::size_t count) {
    std::vector<typename R::stream> accepted;
    std::vector<task_of<R>> handlers;
    accepted.reserve(count);  // a stream must not move after its handler has started
    for (std::size_t i = 0; i < count; ++i) {
        accepted.push_back(co_await listener.accept());
        handlers.push_back(echo_until_closed<R>(accepted.back()));
    }
    co_await runtime.gather(std::span<task_of<R>>(handlers));
}

/// Serves the generator, which opens its connections twice: first to choose and check the rate, and then for
/// the timed schedule. If the generator ends before the schedule, `ended_early` receives the error.
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
typename R::listener listen_for(R& runtime, const std::optional<remote_client>& client) {
    if constexpr (can_listen_on<R>) {
        if (client) return runtime.listen_on(client->address);
    }
    return runtime.listen();
}

template <Runtime R>
task_of<R> serve_open_loop(R& runtime, trial& t, offered_load offered) {
    constexpr std::size_t connections = 16;
    const auto remote = configured_remote_client();
    if (remote && !can_listen_on<R>) {
        t.unsupported("the client is on another machine, but the contender's adapter has no listen_on()");
        co_return;
    }
    auto listener = listen_for(runtime, remote);
    typename R::event generator_ended(runtime);
    generator_process generator;
    const auto when_ended = [&runtime, &listener, &generator_ended] {
        runtime.post_from_any_thread([&listener, &generator_ended] {
            listener.close();  // otherwise, the server could wait for connections forever
            generator_ended.set();
        });
    };
    const bool started = generator.start({.remote = remote,
                                          .port = listener.port(),
                                          .connections = connections,
                                          .requests = t.operations(),
                                          .offered = offered,
                                          .capacity_s = t.small() ? 0.05 : 0.3},
                                         t, when_ended);
    if (!started) co_return;
    std::string ended_early;
    co_await serve_generator(runtime, t, listener, connections, ended_early);
    co_await generator_ended.wait();
    generator.prove(t, t.operations());  // before t.fail(): the first reason is kept
    if (!ended_early.empty()) t.fail("the server stopped serving too early: " + ended_early);
}

constexpr workload_shape on_schedule(std::string_view name, pace paced) {
    workload_shape shape{name, 5000,         40'000, no_rate, 100, many_turns, on_demand, pairing::sequential,
                         2,    not_countable};
    shape.paced = paced;
    return shape;
}

}  // namespace detail

/// Measures a load of `Load` per cent of the contender's capacity. A latency starts at the time for which the
/// request was scheduled.
template <Runtime R, int Load>
task_of<R> serve_open_loop(R& runtime, trial& t) {
    return detail::serve_open_loop(runtime, t, {.percent_of_capacity = Load});
}

template <Runtime R, int Rate>
task_of<R> serve_open_loop_at(R& runtime, trial& t) {
    return detail::serve_open_loop(runtime, t, {.per_second = Rate});
}

struct serve_family {
    static constexpr std::array about{
        workload_info{
            "serve/open_loop", about_load,
            "one operation is one request of a client in another process; the client does not wait for "
            "replies",
            "All requests on 16 connections are timed; the client sends them at a fixed rate. In the "
            "workloads with `load`, the rate is a percentage of the contender's capacity, which is measured "
            "just before. In the workloads with `rate`, it is the same number of requests per second for "
            "every contender. Latency starts at the time for which a request was scheduled. Every byte of "
            "every reply is compared. Before the timed section, a few probes of 30 ms check whether the "
            "client can send at this rate while it shares the machine with this server, and whether the "
            "server sustains the rate; if no probe succeeds, nothing is measured. If the client was too "
            "late for a request, the request has no latency (left_out), unless it took at least ten times "
            "as long as the client was late. If many requests are left out, percentiles are somewhat too "
            "high, especially for a fast server. A percentile is left out if the client's lateness could "
            "make it more than 10 % larger. If this affects the median or the 90th percentile, or if the "
            "client was too late for more than 20 % of the requests, all requests are sent again; the "
            "client makes at most three attempts. The result is invalid if the last attempt is also "
            "affected, or if the server's queue only grew.",
            "Queueing dominates, so latency grows with the load, and a pause of the server delays every "
            "request that is due during the pause. The schedule determines the metric `time`, so compare "
            "latencies and capacity instead. With `load`, a faster contender gets more work, so contenders "
            "are compared only in their capacity. With `rate`, all contenders get the same work and are "
            "compared in their latencies and CPU time."},
    };
    static constexpr std::array shapes{
        detail::on_schedule("serve/open_loop/load:25", pace::own_load),
        detail::on_schedule("serve/open_loop/load:50", pace::own_load),
        detail::on_schedule("serve/open_loop/load:75", pace::own_load),
        detail::on_schedule("serve/open_loop/load:90", pace::own_load),
        detail::on_schedule("serve/open_loop/rate:20000", pace::same_for_all),
    };
    template <Runtime R>
    static std::vector<workload<R>> functions() {
        return {
            {"serve/open_loop/load:25", serve_open_loop<R, 25>},
            {"serve/open_loop/load:50", serve_open_loop<R, 50>},
            {"serve/open_loop/load:75", serve_open_loop<R, 75>},
            {"serve/open_loop/load:90", serve_open_loop<R, 90>},
            {"serve/open_loop/rate:20000", serve_open_loop_at<R, 20'000>},
        };
    }
};

}  // namespace loopbench::bench::workloads
