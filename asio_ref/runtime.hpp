// The runtime over Boost.Asio is the reference for all other loops. The code is written as an Asio expert
// would write it for one thread, and uses only techniques that Asio's documentation shows.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "asio_ref/call_timer.hpp"
#include "asio_ref/event.hpp"
#include "asio_ref/gather.hpp"
#include "asio_ref/pipe.hpp"
#include "asio_ref/stream.hpp"
#include "asio_ref/types.hpp"

namespace loopbench::asio_ref {

/// A model of the concept loopbench::bench::Runtime. The documentation of the concept describes each
/// function, its errors and its thread rules.
class runtime {
public:
    static constexpr std::string_view name = "asio-epoll";

    runtime() = default;

    template <class T>
    using task = asio_ref::task<T>;
    using stream = asio_ref::stream;
    using listener = asio_ref::listener;
    using unix_stream = asio_ref::unix_stream;
    using unix_listener = asio_ref::unix_listener;
    using event = asio_ref::event;
    using clock = std::chrono::steady_clock;

    template <class T>
    T run(task<T> main);

    clock::time_point now() const { return clock::now(); }

    task<void> sleep_until(clock::time_point when) {
        timer sleep(get_executor(), when);
        co_await sleep.async_wait(boost::asio::deferred);
    }

    auto yield() { return boost::asio::post(get_executor(), boost::asio::deferred); }

    void spawn(task<void> detached) {
        const bool would_start_inline = get_executor().running_in_this_thread();
        boost::asio::co_spawn(
            context_, would_start_inline ? start_later(std::move(detached)) : std::move(detached), rethrow);
    }

    task<void> gather(std::span<task<void>> tasks) { return asio_ref::gather(get_executor(), tasks); }

    template <class Function>
    void post(Function&& function) {
        boost::asio::post(context_, std::forward<Function>(function));
    }

    template <class Function>
    void post_from_any_thread(Function&& function) {
        boost::asio::post(context_, std::forward<Function>(function));
    }

    listener listen() { return listener(get_executor(), {boost::asio::ip::address_v4::loopback(), 0}); }
    listener listen_on(const std::string& address) {
        return listener(get_executor(), {boost::asio::ip::make_address(address), 0});
    }

    task<stream> connect(std::uint16_t port) {
        stream::socket socket(get_executor());
        const boost::asio::ip::tcp::endpoint peer(boost::asio::ip::address_v4::loopback(), port);
        const auto [error] = co_await socket.async_connect(peer, error_as_value);
        throw_if_failed(error, "connect");
        co_return stream(std::move(socket));
    }

    unix_listener listen_unix(std::string_view path) { return unix_listener(get_executor(), {path}); }

    task<unix_stream> connect_unix(std::string path) {
        unix_stream::socket socket(get_executor());
        const boost::asio::local::stream_protocol::endpoint peer(path);
        const auto [error] = co_await socket.async_connect(peer, error_as_value);
        throw_if_failed(error, "cannot connect to a Unix socket");
        co_return unix_stream(std::move(socket));
    }

    template <class Function>
    call_handle call_at(clock::time_point when, Function&& function) {
        return asio_ref::call_at(get_executor(), when, std::forward<Function>(function));
    }

    pipe_ends open_pipe() { return asio_ref::open_pipe(get_executor()); }

    executor get_executor() noexcept { return context_.get_executor(); }

protected:
    /// Passes `argument` to the constructor of the io_context.
    template <class Argument>
    explicit runtime(const Argument& argument) : context_(argument) {}

private:
    // The outcome of run()'s task. run() shares it with the task's completion handler, because an exception
    // of another task can end run() before the task ends; the task then continues in a later run().
    struct outcome_base {
        bool done = false;
        std::exception_ptr error;
    };
    template <class T>
    struct outcome : outcome_base {
        std::optional<T> value;
    };

    // Starts a task through the queue. Inside the loop, co_spawn would start the coroutine inline. (A posted
    // function that calls co_spawn would pass the coroutine through the queue twice.)
    static task<void> start_later(task<void> detached) {
        co_await boost::asio::post(boost::asio::deferred);
        co_await std::move(detached);
    }

    static void rethrow(std::exception_ptr error) {
        if (error) std::rethrow_exception(std::move(error));
    }

    void ended(outcome_base& ended, std::exception_ptr error) {
        ended.done = true;
        ended.error = std::move(error);
        if (awaited_ == &ended) context_.stop();
    }

    void refuse_nested_run() const {
        if (awaited_ != nullptr)
            throw std::logic_error("run() was called inside run(); await the task instead");
    }

    void run_until_done(outcome_base& awaited);

    boost::asio::io_context context_{1};
    const outcome_base* awaited_ = nullptr;
};

template <class T>
T runtime::run(task<T> main) {
    refuse_nested_run();
    if constexpr (std::is_void_v<T>) {
        auto main_outcome = std::make_shared<outcome_base>();
        boost::asio::co_spawn(context_, std::move(main), [this, main_outcome](std::exception_ptr error) {
            ended(*main_outcome, error);
        });
        run_until_done(*main_outcome);
    } else {
        auto main_outcome = std::make_shared<outcome<T>>();
        boost::asio::co_spawn(context_, std::move(main),
                              [this, main_outcome](std::exception_ptr error, T value) {
                                  if (!error) main_outcome->value.emplace(std::move(value));
                                  ended(*main_outcome, error);
                              });
        run_until_done(*main_outcome);
        return std::move(*main_outcome->value);
    }
}

inline void runtime::run_until_done(outcome_base& awaited) {
    awaited_ = &awaited;
    const auto reset = [](runtime* self) { self->awaited_ = nullptr; };
    const std::unique_ptr<runtime, decltype(reset)> when_left(this, reset);

    context_.restart();
    context_.run();
    rethrow(awaited.error);
    if (!awaited.done) throw std::logic_error("the loop has no work left, but the task is not done");
}

}  // namespace loopbench::asio_ref
