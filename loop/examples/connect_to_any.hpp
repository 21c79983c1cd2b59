// A host has more than one address: "localhost" may be ::1 first, and the server on 127.0.0.1 alone.
#pragma once

#include <exception>
#include <span>
#include <stdexcept>

#include "loop/net/endpoint.hpp"
#include "loop/suspension.hpp"
#include "loop/task.hpp"

namespace loopbench::examples {

/// The first of `endpoints` that takes the connection, in their order; when none does, throws why the last
/// did not. The endpoints must outlive the await.
template <class Loop>
loop::task<typename Loop::stream> connect_to_any(Loop& loop, std::span<const loop::endpoint> endpoints) {
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
