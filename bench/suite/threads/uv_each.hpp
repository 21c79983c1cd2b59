#pragma once

#include <memory>
#include <utility>

#include "bench/suite/peers/uv_runtime.hpp"
#include "bench/suite/threads/each_runtime.hpp"

namespace loopbench::bench {

/// The SharedPort functions of libuv. A loop of libuv cannot give up a connection, and therefore cannot hand
/// it over to another loop.
struct uv_sockets {
    static peers::uv_listener listen_at(peers::uv_runtime& here, loop::unique_fd listening) {
        return here.listen_at(std::move(listening));
    }
};

/// A loop of libuv in each thread; each loop accepts its own connections.
class uv_each_runtime : public each_runtime<peers::uv_runtime, uv_sockets> {
public:
    explicit uv_each_runtime(const thread_plan& plan)
        : each_runtime(plan, dealing::reuse_port, [] { return std::make_unique<peers::uv_runtime>(); }) {}
};

}  // namespace loopbench::bench
