#pragma once

#include <array>
#include <coroutine>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "bench/suite/contenders/lacking.hpp"
#include "bench/suite/contenders/process/socket_options.hpp"
#include "bench/suite/runtime.hpp"

namespace loopbench::bench {

namespace detail {

template <Runtime R>
struct own_connection {
    explicit own_connection(R& loop) : runtime(loop), listener(loop.listen()) {}

    R& runtime;
    typename R::listener listener;
    std::optional<typename R::stream> client;
    std::optional<typename R::stream> server;
};

template <Runtime R>
task_of<R> connect_client(own_connection<R>& connection) {
    connection.client.emplace(co_await connection.runtime.connect(connection.listener.port()));
}

template <Runtime R>
task_of<R> accept_server(own_connection<R>& connection) {
    connection.server.emplace(co_await connection.listener.accept());
}

template <Runtime R>
task_of<R> read_options(R& runtime, std::string& options) {
    own_connection<R> connection(runtime);
    std::array<task_of<R>, 2> both{accept_server(connection), connect_client(connection)};
    co_await runtime.gather(std::span<task_of<R>>(both));
    options = options_of_connection(connection.client->native_handle(), connection.server->native_handle());
}

}  // namespace detail

/// Returns the options of a loopback connection. A new runtime opens the connection only for this purpose.
/// The text begins with "none" if the runtime cannot open connections on this machine, and with "not stated"
/// after any other error.
template <Runtime R, class MakeRuntime>
std::string own_socket_options(const MakeRuntime& make) {
    try {
        const std::unique_ptr<R> runtime = make();
        std::string options;
        runtime->run(bench::detail::read_options(*runtime, options));
        return options;
    } catch (const lacking& error) {
        return std::string("none: ") + error.what();
    } catch (const std::system_error& error) {
        return std::string(kernel_refuses(error.code()) ? "none: " : "not stated: ") + error.what();
    }
}

}  // namespace loopbench::bench
