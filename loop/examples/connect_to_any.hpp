#pragma once

#include <exception>
#include <span>
#include <stdexcept>

#include "loop/coro/task.hpp"
#include "loop/loop.hpp"
#include "loop/net/sockets.hpp"
#include "loop/net/stream.hpp"

namespace loopbench::examples {

/// Connects to the endpoints, one after the other, until a connection succeeds, and returns this connection.
/// (The server might listen only on 127.0.0.1, although the first address of "localhost" is ::1.) Throws the
/// error of the last endpoint, or std::invalid_argument if `endpoints` is empty. The endpoints must outlive
/// the await.
inline loop::task<loop::stream> connect_to_any(loop::event_loop& loop,
                                               std::span<const loop::endpoint> endpoints) {
    std::exception_ptr refusal =
        std::make_exception_ptr(std::invalid_argument("there is no address to connect to"));
    for (const loop::endpoint& each : endpoints) {
        try {
            co_return co_await loop.connect(each);
        } catch (const loop::task_cancelled&) {
            throw;
        } catch (...) {
            refusal = std::current_exception();
        }
    }
    std::rethrow_exception(refusal);
}

}  // namespace loopbench::examples
