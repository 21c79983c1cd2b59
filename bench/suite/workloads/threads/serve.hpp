// An echo server in several threads, whose client is another process (bench/suite/generator).
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/sockets/generator_process.hpp"
#include "bench/suite/workloads/threads/records.hpp"
#include "bench/suite/workloads/trial/cores.hpp"

namespace loopbench::bench::workloads::detail {

/// Serves the generator, which opens its connections twice: first to choose and check the rate, and then for
/// the timed schedule. The second connections begin and end the timed section.
template <ThreadedSockets R>
class threads_serve {
public:
    threads_serve(R& loops, trial& t) : runtime_(loops), records_(t, loops.threads(), 1) {}

    void run(offered_load offered) {
        trial& t = records_.t;
        const std::vector<int> cores = usable_cores();
        if (cores.size() <= runtime_.threads())
            return t.unsupported(
                "the client of this workload needs a core that the contender does not use, but this process "
                "has only as many cores as the contender has threads");
        const std::uint16_t port = runtime_.serve([this](typename R::place, typename R::stream connection) {
            return serve(std::move(connection));
        });
        generator_process generator;
        const bool started = generator.start({.port = port,
                                              .connections = connections,
                                              .requests = t.operations(),
                                              .offered = offered,
                                              .capacity_s = t.small() ? 0.05 : 0.3,
                                              .core = cores[runtime_.threads()]},
                                             t, [this] {
                                                 has_generator_ended_.store(true);
                                                 finish_at_end();
                                             });
        if (!started) return;
        runtime_.run();
        generator.prove(t, t.operations());
        t.prove("number of connections that were served", 2 * connections, ended_);
        records_.report();
    }

private:
    static constexpr std::size_t connections = 16;

    typename R::template task<void> serve(typename R::stream connection) {
        // The generator opens its connections before it sends the first request.
        if (opened_.fetch_add(1) == connections) records_.begin();
        std::vector<std::byte> buffer(echo_buffer_bytes_min);
        for (;;) {
            const auto received = co_await connection.read_some(buffer);
            if (received.error != 0 || received.bytes == 0) break;
            records_.operations[this_thread_index()].add();
            const auto sent =
                co_await connection.write_all(std::span<const std::byte>(buffer).first(received.bytes));
            if (sent.error != 0) break;
        }
        connection.close();
        if (ended_.fetch_add(1) + 1 == 2 * connections) {
            records_.end();
            records_.keep_shares();
        }
        finish_at_end();
    }

    /// Ends the trial if the generator and all sessions have ended. The sessions learn of the end of the
    /// generator later.
    void finish_at_end() {
        if (has_generator_ended_.load() && ended_.load() == opened_.load()) runtime_.finish();
    }

    R& runtime_;
    thread_records records_;
    std::atomic<std::size_t> opened_{0}, ended_{0};
    std::atomic<bool> has_generator_ended_{false};
};

}  // namespace loopbench::bench::workloads::detail
