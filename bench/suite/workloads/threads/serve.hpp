// An echo server in several threads, whose client is another process (bench/suite/generator).
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/sockets/echo_session.hpp"
#include "bench/suite/workloads/threads/records.hpp"
#include "bench/suite/workloads/threads/scheduled_client.hpp"

namespace loopbench::bench::workloads::detail {

template <ThreadedSockets R>
class threads_serve {
public:
    threads_serve(R& loops, trial& t)
        : runtime_(loops), records_(t, loops.threads(), 1), client_(records_, loops.threads()) {}

    void run(offered_load offered) {
        const std::uint16_t port = runtime_.serve([this](typename R::place, typename R::stream connection) {
            return serve(std::move(connection));
        });
        if (!client_.start(port, offered, [this] { runtime_.finish(); })) return;
        runtime_.run();
        client_.prove();
    }

private:
    typename R::template task<void> serve(typename R::stream connection) {
        client_.connection_opened();
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
        client_.connection_ended();
    }

    R& runtime_;
    thread_records records_;
    scheduled_client client_;
};

}  // namespace loopbench::bench::workloads::detail
