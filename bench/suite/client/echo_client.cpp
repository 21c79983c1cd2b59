#include "bench/suite/client/echo_client.hpp"

#include "bench/suite/workloads/echo.hpp"
#include "loop/coro/event.hpp"
#include "loop/designs.hpp"
#include "loop/loop.hpp"
#include "loop/net/pipe.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::bench {

namespace {

using runtime_type = loop::event_loop;

/// A transport for a server in another process. The transport's listener does nothing, because the server has
/// its own listener.
struct to_another_process {
    using runtime = runtime_type;
    using stream = runtime::stream;
    struct no_listener {
        void close() noexcept {}
    };

    explicit to_another_process(runtime&) noexcept {}
    auto connect(runtime& loop) const { return loop.connect(port); }

    std::uint16_t port = 0;
    [[no_unique_address]] no_listener listener;
};

task_of<runtime_type> make_round_trips(runtime_type& loop, trial& t, std::size_t connections,
                                       std::uint16_t port) {
    using namespace workloads;
    detail::echo_session<to_another_process> session(loop, t, connections, echo_bytes);
    session.transport.port = port;
    co_await detail::with_echo_clients(session, [&session] { return detail::time_round_trips(session); });
    detail::prove_echo(t, session.counts, {}, session.rounds_before);
}

}  // namespace

void ask_echo_server(trial& t, std::size_t connections, std::uint16_t port) {
    const auto loop = loop::make_loop("loop-epoll");
    loop->run(make_round_trips(*loop, t, connections, port));
}

}  // namespace loopbench::bench
