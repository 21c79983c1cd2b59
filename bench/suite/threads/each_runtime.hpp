// A runtime with a loop for each thread. The loops share nothing; functions and connections move to another
// loop only as messages. This arrangement exists once, for every loop of the suite.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "bench/suite/runtime.hpp"
#include "bench/suite/threads/crew.hpp"
#include "bench/suite/threads_runtime.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench {

/// The way in which the connections of a listening port reach the loops.
enum class dealing {
    hand_over,   // the first loop accepts all connections, and deals them to the loops in turn
    reuse_port,  // each loop has a listening socket on the same port (SO_REUSEPORT)
};

/// The functions with which a library opens sockets of another thread.
/// - listen_at(loop, fd): returns a listener of `loop` on a socket that already listens.
/// - accept_for(here, listener, there): is awaitable, accepts a connection for the loop `there`, and returns
///   an object to pass to it. (Without it, a runtime supports only dealing::reuse_port.)
/// - receive(there, passed): returns the stream. Called in the thread of `there`.
template <class S, class R>
concept SharedPort = Runtime<R> && requires(R& loop, loop::unique_fd fd) {
    { S::listen_at(loop, std::move(fd)) } -> std::same_as<typename R::listener>;
};
template <class S, class R>
concept HandsOver = SharedPort<S, R> && requires(R& here, typename R::listener& from, R& there) {
    S::accept_for(here, from, there);
    { S::receive(there, std::declval<typename S::passed>()) } -> std::same_as<typename R::stream>;
};

/// A model of ThreadedRuntime, with one R in each thread. `Sockets` is a SharedPort.
template <CallTimers R, SharedPort<R> Sockets>
class each_runtime {
public:
    static constexpr home_kind homes_are = home_kind::thread;
    static constexpr std::chrono::nanoseconds early_limit = bench::early_limit<R>;

    template <class T>
    using task = task_of<R, T>;
    using stream = typename R::stream;
    using make_function = std::function<std::unique_ptr<R>()>;

    struct place {
        each_runtime* all;
        std::size_t home;

        R& loop() const noexcept { return all->loop(home); }
        auto connect(std::uint16_t port) const { return loop().connect(port); }
    };
    using session_function = std::function<task<void>(place, stream)>;

    /// Makes a loop in each thread with make(). Throws its first exception.
    each_runtime(const thread_plan& plan, dealing how, make_function make)
        : how_(how),
          make_(std::move(make)),
          members_(plan.threads),
          crew_(plan, {.prepare = [this](std::size_t i) { members_[i].loop = make_(); },
                       .work = [this](std::size_t i) { members_[i].loop->run(until_finished(members_[i])); },
                       .leave = [this](std::size_t i) { members_[i].loop.reset(); },
                       .end_work = [this] { finish(); }}) {}

    std::size_t threads() const noexcept { return members_.size(); }
    std::size_t homes() const noexcept { return members_.size(); }
    R& loop(std::size_t home) noexcept { return *members_[home].loop; }

    template <class F>
    void post(std::size_t home, F&& function) {
        if (this_thread_index() == home) {
            loop(home).post(std::forward<F>(function));
        } else {
            loop(home).post_from_any_thread(std::forward<F>(function));
        }
    }

    /// Posts to the loops in turn. Each thread has its own turns, because a shared counter would move between
    /// the caches of the cores.
    template <class F>
    void post_to_any(F&& function) {
        const std::size_t here = this_thread_index();
        const std::size_t turn = here == no_thread ? turns_outside_.fetch_add(1, std::memory_order_relaxed)
                                                   : ++members_[here].turns;
        post((turn + (here == no_thread ? 0 : here)) % homes(), std::forward<F>(function));
    }

    /// A strand is one of the homes.
    class strand {
    public:
        template <class F>
        void post(F&& function) {
            all_->post(home_, std::forward<F>(function));
        }

    private:
        friend each_runtime;
        strand(each_runtime& all, std::size_t home) noexcept : all_(&all), home_(home) {}
        each_runtime* all_;
        std::size_t home_;
    };
    strand make_strand(std::size_t number) noexcept { return {*this, number % homes()}; }

    struct timer {
        std::size_t home;
        decltype(std::declval<R&>().call_at(time_point(), std::declval<void (*)()>())) call;
    };
    template <class F>
    timer arm(std::size_t home, time_point when, F&& function) {
        return {home, loop(home).call_at(when, std::forward<F>(function))};
    }
    template <class F>
    void cancel(timer armed, F&& done) {
        const std::size_t home = armed.home;
        post(home, [armed = std::move(armed), done = std::forward<F>(done)]() mutable {
            armed.call.cancel();
            done();
        });
    }

    template <class Make>
    void spawn(std::size_t home, Make&& make) {
        post(home, [this, home, make = std::forward<Make>(make)]() mutable {
            loop(home).spawn(make(place{this, home}));
        });
    }

    std::uint16_t serve(session_function session) {
        session_ = std::move(session);
        const auto any_port = loop::endpoint::loopback(0);
        std::vector<loop::unique_fd> sockets;
        if (how_ == dealing::reuse_port) {
            sockets = loop::open_shared_listeners(any_port, homes());
        } else {
            sockets.push_back(loop::open_listener(any_port));
        }
        const std::uint16_t port = loop::local_endpoint(sockets.front().get()).port();
        for (std::size_t home = 0; home < sockets.size(); ++home)
            post(home, [this, home, socket = std::move(sockets[home])]() mutable {
                loop(home).spawn(accept({this, home}, Sockets::listen_at(loop(home), std::move(socket))));
            });
        return port;
    }

    class event {
    public:
        explicit event(const place& here) : here_(here), inner_(here.loop()) {}
        event& operator=(event&&) = delete;

        void set() {
            here_.all->post(here_.home, [this] { inner_.set(); });
        }
        auto wait() { return inner_.wait(); }

    private:
        place here_;
        typename R::event inner_;
    };

    void run() { crew_.run(); }

    void finish() {
        if (is_finishing_.exchange(true)) return;
        for (member& each : members_)
            each.loop->post_from_any_thread([&each] {
                each.is_finished = true;
                if (each.finished != nullptr) each.finished->set();
            });
    }

private:
    // A loop, which is used only in its thread, except by post_from_any_thread().
    struct alignas(bytes_apart) member {
        std::unique_ptr<R> loop;
        std::size_t turns = 0;
        bool is_finished = false;
        typename R::event* finished = nullptr;
    };

    task<void> until_finished(member& self) {
        typename R::event finished(*self.loop);
        self.finished = &finished;
        if (!self.is_finished) co_await finished.wait();
        self.finished = nullptr;
    }

    task<void> accept(place here, typename R::listener from) {
        if constexpr (HandsOver<Sockets, R>) {
            if (how_ == dealing::hand_over) {
                for (std::size_t to = 0;; to = (to + 1) % homes())
                    deal(to, co_await Sockets::accept_for(here.loop(), from, loop(to)));
            }
        }
        for (;;) start_session(here, co_await from.accept());
    }

    template <class Passed>
    void deal(std::size_t home, Passed passed) {
        post(home, [this, home, passed = std::move(passed)]() mutable {
            start_session({this, home}, Sockets::receive(loop(home), std::move(passed)));
        });
    }

    void start_session(place here, stream connection) {
        here.loop().spawn(session_(here, std::move(connection)));
    }

    const dealing how_;
    const make_function make_;
    session_function session_;
    std::atomic<bool> is_finishing_{false};
    std::atomic<std::size_t> turns_outside_{0};
    std::vector<member> members_;
    thread_crew crew_;  // declared last, because its threads use all members above
};

}  // namespace loopbench::bench
