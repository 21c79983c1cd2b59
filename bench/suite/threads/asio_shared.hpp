// Boost.Asio with one io_context that several threads run, as in Asio's own examples.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "asio_ref/stream.hpp"
#include "asio_ref/types.hpp"
#include "bench/suite/threads/crew.hpp"
#include "bench/suite/threads_runtime.hpp"

namespace loopbench::bench {

using asio_strand = boost::asio::strand<asio_ref::executor>;

/// The function of Boost.Asio that queues the functions of a workload. With defer(), the caller says that it
/// returns soon, and a thread of the context keeps the function until then, which saves a lock.
enum class submission { post, defer };

/// A model of ThreadedRuntime. `Executor` is the executor of coroutines and of their sockets. If it is the
/// executor of the io_context, homes promise nothing, and a coroutine is serial because each of its steps
/// starts the next one. If it is a strand, each home, each coroutine and each connection has its own strand.
template <class Executor, submission How = submission::post>
class asio_shared_runtime {
    static constexpr bool has_strands = std::same_as<Executor, asio_strand>;

public:
    static constexpr home_kind homes_are = has_strands ? home_kind::serial : home_kind::any_thread;

    template <class T>
    using task = asio_ref::task<T, Executor>;
    using stream = asio_ref::basic_stream<boost::asio::ip::tcp, Executor>;

    struct place {
        Executor executor;

        task<stream> connect(std::uint16_t port) const { return connect_from(executor, port); }
    };
    using session_function = std::function<task<void>(place, stream)>;

    explicit asio_shared_runtime(const thread_plan& plan)
        : asio_shared_runtime(plan, static_cast<int>(plan.threads)) {}
    /// Passes `argument` to the constructor of the io_context.
    template <class Argument>
    asio_shared_runtime(const thread_plan& plan, const Argument& argument)
        : context_(argument),
          working_(context_.get_executor()),
          crew_(plan, {.work = [this](std::size_t) { context_.run(); }, .end_work = [this] { finish(); }}) {
        for (std::size_t i = 0; i < plan.threads; ++i) serial_.push_back(boost::asio::make_strand(context_));
    }

    std::size_t threads() const noexcept { return crew_.size(); }
    std::size_t homes() const noexcept { return crew_.size(); }

    template <class F>
    void post(std::size_t home, F&& function) {
        if constexpr (has_strands) {
            submit(serial_[home], std::forward<F>(function));
        } else {
            post_to_any(std::forward<F>(function));
        }
    }
    template <class F>
    void post_to_any(F&& function) {
        submit(context_, std::forward<F>(function));
    }

    struct strand {
        asio_strand executor;

        template <class F>
        void post(F&& function) {
            submit(executor, std::forward<F>(function));
        }
    };
    strand make_strand(std::size_t) { return {boost::asio::make_strand(context_)}; }

private:
    using clock = std::chrono::steady_clock;
    using serial_timer =
        boost::asio::basic_waitable_timer<clock, boost::asio::wait_traits<clock>, asio_strand>;

    // A timer, which is used only in its strand, because Asio's timers are not thread-safe.
    struct armed_timer {
        armed_timer(const asio_strand& serial, time_point when) : waiting(serial, when) {}

        serial_timer waiting;
        bool is_cancelled = false;  // see asio_ref/call_timer.hpp
    };

public:
    using timer = std::shared_ptr<armed_timer>;

    template <class F>
    timer arm(std::size_t home, time_point when, F&& function) {
        auto armed = std::make_shared<armed_timer>(serial_[home], when);
        armed->waiting.async_wait(
            [armed, function = std::forward<F>(function)](const boost::system::error_code& error) mutable {
                if (!error && !armed->is_cancelled) function();
            });
        return armed;
    }
    template <class F>
    void cancel(timer armed, F&& done) {
        const asio_strand serial = armed->waiting.get_executor();
        boost::asio::post(serial, [armed = std::move(armed), done = std::forward<F>(done)]() mutable {
            armed->is_cancelled = true;
            armed->waiting.cancel();
            done();
        });
    }

    template <class Make>
    void spawn(std::size_t, Make&& make) {
        const Executor executor = new_executor();
        boost::asio::post(executor, [executor, make = std::forward<Make>(make)]() mutable {
            boost::asio::co_spawn(executor, make(place{executor}), rethrow);
        });
    }

    std::uint16_t serve(session_function session) {
        session_ = std::move(session);
        asio_ref::listener from(context_.get_executor(), {boost::asio::ip::address_v4::loopback(), 0});
        const std::uint16_t port = from.port();
        boost::asio::post(context_, [this, from = std::move(from)]() mutable {
            boost::asio::co_spawn(context_, accept(std::move(from)), rethrow);
        });
        return port;
    }

    class event {
        using channel =
            boost::asio::experimental::concurrent_channel<Executor, void(boost::system::error_code)>;

    public:
        explicit event(const place& here) : channel_(std::make_shared<channel>(here.executor, 1)) {}
        event& operator=(event&&) = delete;

        void set() {
            const auto kept = channel_;  // the coroutine can free the event before try_send() returns
            kept->try_send(boost::system::error_code());
        }
        task<void> wait() { co_await channel_->async_receive(boost::asio::deferred); }

    private:
        std::shared_ptr<channel> channel_;
    };

    void run() { crew_.run(); }

    void finish() { context_.stop(); }

private:
    template <class To, class F>
    static void submit(To& to, F&& function) {
        if constexpr (How == submission::defer) {
            boost::asio::defer(to, std::forward<F>(function));
        } else {
            boost::asio::post(to, std::forward<F>(function));
        }
    }

    static void rethrow(std::exception_ptr error) {
        if (error) std::rethrow_exception(std::move(error));
    }

    static task<stream> connect_from(Executor executor, std::uint16_t port) {
        typename stream::socket socket(executor);
        const boost::asio::ip::tcp::endpoint peer(boost::asio::ip::address_v4::loopback(), port);
        const auto [error] = co_await socket.async_connect(peer, asio_ref::error_as_value);
        asio_ref::throw_if_failed(error, "connect");
        co_return stream(std::move(socket));
    }

    Executor new_executor() {
        if constexpr (has_strands) {
            return boost::asio::make_strand(context_);
        } else {
            return context_.get_executor();
        }
    }

    asio_ref::task<void> accept(asio_ref::listener from) {
        for (;;) {
            const Executor executor = new_executor();
            stream connection = co_await from.accept_for(executor);
            // Through the queue, because co_spawn would run the first step of the session here.
            boost::asio::post(executor, [this, executor, connection = std::move(connection)]() mutable {
                boost::asio::co_spawn(executor, session_(place{executor}, std::move(connection)), rethrow);
            });
        }
    }

    session_function session_;
    boost::asio::io_context context_;
    boost::asio::executor_work_guard<asio_ref::executor> working_;
    std::vector<asio_strand> serial_;  // one for each home
    thread_crew crew_;                 // declared last, because its threads use all members above
};

}  // namespace loopbench::bench
