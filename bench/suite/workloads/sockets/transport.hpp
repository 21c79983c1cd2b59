#pragma once

#include <string>

#include "bench/suite/runtime.hpp"

namespace loopbench::bench::workloads {

template <Runtime R>
struct tcp_transport {
    using runtime = R;
    using stream = typename R::stream;

    explicit tcp_transport(R& loop) : listener(loop.listen()) {}
    auto connect(R& loop) { return loop.connect(listener.port()); }

    typename R::listener listener;
};

class socket_path {
public:
    socket_path();
    ~socket_path();
    socket_path(const socket_path&) = delete;
    socket_path& operator=(const socket_path&) = delete;

    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

template <UnixSockets R>
struct unix_transport {
    using runtime = R;
    using stream = typename R::unix_stream;

    explicit unix_transport(R& loop) : listener(loop.listen_unix(path.text())) {}
    auto connect(R& loop) { return loop.connect_unix(path.text()); }

    socket_path path;
    typename R::unix_listener listener;
};

}  // namespace loopbench::bench::workloads
