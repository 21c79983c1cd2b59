#pragma once

#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/suite/contenders/lacking.hpp"

namespace loopbench::bench {

/// A base class for a runtime without sockets. Its listen() and connect() throw `lacking`, so that workloads
/// with sockets are `unsupported`. Its types exist only because the Runtime concept requires them.
class no_network {
    template <class Result>
    struct nothing {
        bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<>) const noexcept {}
        Result await_resume() const noexcept { return {}; }
    };

public:
    struct result {
        std::size_t bytes = 0;
        int error = EOPNOTSUPP;
    };
    struct stream {
        nothing<result> read_some(std::span<std::byte>) { return {}; }
        nothing<result> write_all(std::span<const std::byte>) { return {}; }
        void shutdown_write() {}
        void close() {}
        int native_handle() const { return -1; }
    };
    struct listener {
        nothing<stream> accept() { return {}; }
        std::uint16_t port() const { return 0; }
        void close() {}
    };

    [[noreturn]] listener listen() { throw lacking("this loop has no network"); }
    [[noreturn]] nothing<stream> connect(std::uint16_t) { throw lacking("this loop has no network"); }
};

}  // namespace loopbench::bench
