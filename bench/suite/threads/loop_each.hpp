#pragma once

#include <coroutine>
#include <string_view>
#include <utility>

#include "bench/suite/threads/each_runtime.hpp"
#include "loop/coro/event.hpp"
#include "loop/designs.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::bench {

struct loop_sockets {
    using passed = loop::unique_fd;

    static loop::listener listen_at(loop::event_loop& here, loop::unique_fd listening) {
        return {here, std::move(listening)};
    }
    static loop::task<passed> accept_for(loop::event_loop&, loop::listener& from, loop::event_loop&) {
        loop::stream accepted = co_await from.accept();
        co_return accepted.release();
    }
    static loop::stream receive(loop::event_loop& there, passed connection) {
        return {there, std::move(connection)};
    }
};

/// One of this project's loops in each thread. Sends functions to another loop with post_from_any_thread(),
/// not with an inbox or a batch (loop/group.hpp), because the workloads send functions one by one: then an
/// inbox executes more instructions and wakes the other loop just as often, and a batch also wakes it later.
class loop_each_runtime : public each_runtime<loop::event_loop, loop_sockets> {
public:
    loop_each_runtime(const thread_plan& plan, dealing how, std::string_view design)
        : each_runtime(plan, how, [design] { return loop::make_loop(design); }) {}
};

}  // namespace loopbench::bench
