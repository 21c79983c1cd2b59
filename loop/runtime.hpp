// A loop with everything that a program wants of it: what a user instantiates.
#pragma once

#include <cstdint>
#include <string_view>

#include "loop/event.hpp"
#include "loop/event_loop.hpp"
#include "loop/net/pipe.hpp"
#include "loop/net/stream.hpp"
#include "loop/task.hpp"

namespace loopbench::loop {

/// An event loop of the given design with the network on it. Models the suite's Runtime concept.
template <Design D>
class runtime : public event_loop<D> {
public:
    static constexpr auto name = D::name;
    template <class T>
    using task = loop::task<T>;
    using event = loop::event;
    using stream = basic_stream<event_loop<D>>;
    using listener = basic_listener<event_loop<D>>;
    using unix_stream = stream;
    using unix_listener = listener;

    /// Throws std::system_error naming the endpoint.
    listener listen(const endpoint& local = endpoint::loopback(0)) {
        return listener(*this, open_listener(local));
    }

    /// Awaitable, gives a stream; throws std::system_error naming the peer.
    task<stream> connect(const endpoint& peer) { return connect_stream<event_loop<D>>(*this, peer); }
    task<stream> connect(std::uint16_t port) { return connect(endpoint::loopback(port)); }

    /// The path must not exist, and stays when the listener is closed.
    unix_listener listen_unix(std::string_view path) { return listen(endpoint::unix_path(path)); }
    task<unix_stream> connect_unix(std::string_view path) { return connect(endpoint::unix_path(path)); }

    /// Both ends of a new pipe. SIGPIPE is ignored from here on in the whole process.
    pipe_ends<event_loop<D>> open_pipe() { return loop::open_pipe<event_loop<D>>(*this); }
};

}  // namespace loopbench::loop
