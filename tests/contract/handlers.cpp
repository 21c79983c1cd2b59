// Handlers that block: with N threads in `run()`, N handlers can be inside at once, so a blocked handler does
// not prevent others from running.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <deque>
#include <functional>
#include <set>

#include "tests/clinic/sockets.hpp"
#include "tests/contract/contract.hpp"

namespace contract {

namespace {

using net::ip::tcp;
using net::ip::udp;

// Each of N handlers, except the last one, blocks until the handler that it has posted has run.
CONTRACT_PROGRAM(a_handler_waits_for_the_handler_that_it_posts, 2, 4, 16) {
    net::io_context context;
    std::function<void(int)> nest = [&](int more) {
        if (more == 0) return;
        std::promise<void> ended;
        net::post(context, [&] {
            nest(more - 1);
            ended.set_value();
        });
        value_of(ended.get_future(), "the handler that it has posted");
    };
    net::post(context, [&] { nest(threads - 1); });
    check_count(runners(context, threads).join(), threads, "handlers");
}

// N handlers that wait for each other meet, ten times in a row.
CONTRACT_PROGRAM(n_handlers_meet_at_a_barrier, 2, 4, 16) {
    net::io_context context;
    std::function<void(int)> begin_round = [&](int rounds) {
        auto meeting = std::make_shared<latch>(threads, "the other handlers of its barrier");
        auto left = std::make_shared<std::atomic<int>>(threads);
        for (int i = 0; i < threads; ++i)
            net::post(context, [&begin_round, rounds, meeting, left] {
                meeting->arrive_and_wait();
                if (--*left == 0 && rounds > 1) begin_round(rounds - 1);
            });
    };
    begin_round(10);
    check_count(runners(context, threads).join(), 10 * threads, "handlers");
}

// At most N of 8 N handlers run at the same time, and N do at least once. Each of the N threads in run() runs
// some of them, and no other thread does.
CONTRACT_PROGRAM(as_many_handlers_overlap_as_threads_run, 1, 2, 4, 16) {
    net::io_context context;
    latch full(threads, "as many handlers inside as threads");
    std::atomic<int> inside = 0, most = 0;
    std::mutex mutex;
    std::set<std::thread::id> used;
    for (int i = 0; i < 8 * threads; ++i)
        net::post(context, [&] {
            const int now = ++inside;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
            full.arrive_and_wait();
            {
                const std::lock_guard lock(mutex);
                used.insert(std::this_thread::get_id());
            }
            --inside;
        });
    std::set<std::thread::id> running;
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i) running.insert(all.emplace_back([&] { context.run(); }).get_id());
    all.clear();
    check_count(most.load(), threads, "handlers inside at once");
    check(used == running, "a handler ran in a thread outside run(), or a thread in run() ran none");
}

/// Checks that the context serves what start(context, served) begins, while all threads except one are
/// blocked: first in other handlers, and then in the handlers that have begun it. The result of start() is
/// kept until the handler has called served.count_down().
template <class Start>
void check_served(int threads, const char* what, Start start) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    {
        const blockers blocked(context, threads - 1);
        latch served(1, what);
        [[maybe_unused]] const auto kept = start(context, served);
        served.wait();
    }
    latch ended(threads - 1, "handlers that wait for an operation");
    for (int i = 1; i < threads; ++i)
        net::post(context, [&] {
            latch served(1, what);
            {
                [[maybe_unused]] const auto kept = start(context, served);
                served.wait();
            }
            ended.count_down();
        });
    ended.wait();
    guard.reset();
    running.join();
}

// A function runs while all other threads are blocked, also if the blocked handler has posted it.
CONTRACT_PROGRAM(a_post_is_served_beside_blocked_handlers, 2, 4, 16) {
    check_served(threads, "a posted function", [](net::io_context& context, latch& served) {
        net::post(context, [&] { served.count_down(); });
        return 0;
    });
}

// A timer expires while all other threads are blocked, also if the blocked handler has set it.
CONTRACT_PROGRAM(a_timer_is_served_beside_blocked_handlers, 2, 4, 16) {
    check_served(threads, "a timer of 1 ms", [](net::io_context& context, latch& served) {
        auto timer = std::make_unique<net::steady_timer>(context, 1ms);
        timer->async_wait([&](error_code error) {
            check(!error, "the timer was cancelled");
            served.count_down();
        });
        return timer;
    });
}

// Bytes arrive while all other threads are blocked, also if the blocked handler has begun to read.
CONTRACT_PROGRAM(a_stream_is_served_beside_blocked_handlers, 2, 4, 16) {
    check_served(threads, "bytes of a stream", [](net::io_context& context, latch& served) {
        auto ends = std::make_unique<std::pair<tcp::socket, tcp::socket>>(clinic::connection(context));
        auto got = std::make_unique<std::array<char, 4>>();
        net::async_read(ends->first, net::buffer(*got), [&](error_code error, std::size_t count) {
            check(!error && count == 4, "the read failed");
            served.count_down();
        });
        for (const char* half : {"ab", "cd"}) net::write(ends->second, net::buffer(half, 2));
        return std::pair(std::move(ends), std::move(got));
    });
}

// A datagram arrives while all other threads are blocked, also if the blocked handler has begun to receive.
CONTRACT_PROGRAM(a_datagram_is_served_beside_blocked_handlers, 2, 4, 16) {
    check_served(threads, "a datagram", [](net::io_context& context, latch& served) {
        struct receiver {
            explicit receiver(net::io_context& of) : socket(of, {net::ip::address_v4::loopback(), 0}) {}
            udp::socket socket;
            udp::endpoint sender;
            std::array<char, 4> got{};
        };
        auto made = std::make_unique<receiver>(context);
        made->socket.async_receive_from(net::buffer(made->got), made->sender,
                                        [&](error_code error, std::size_t count) {
                                            check(!error && count == 3, "the datagram is not complete");
                                            served.count_down();
                                        });
        made->socket.send_to(net::buffer("abc", 3), made->socket.local_endpoint());
        return made;
    });
}

// A signal is handled while all other threads are blocked, also if the blocked handler waits for it.
CONTRACT_PROGRAM(a_signal_is_served_beside_blocked_handlers, 2, 4, 16) {
    check_served(threads, "SIGTERM", [](net::io_context& context, latch& served) {
        auto signals = std::make_unique<net::signal_set>(context, SIGTERM);
        signals->async_wait([&](error_code error, int number) {
            check(!error && number == SIGTERM, "the wait for SIGTERM failed");
            served.count_down();
        });
        // Unlike kill(2), raise(3) returns after the signal has been delivered. So no signal is pending when
        // the last signal_set has restored the default action.
        std::raise(SIGTERM);
        return signals;
    });
}

// A name is resolved while all other threads are blocked, also if the blocked handler waits for it.
CONTRACT_PROGRAM(a_resolver_is_served_beside_blocked_handlers, 2, 4, 16) {
    check_served(threads, "an address", [](net::io_context& context, latch& served) {
        auto resolver = std::make_unique<tcp::resolver>(context);
        const auto flags = tcp::resolver::numeric_host | tcp::resolver::numeric_service;
        resolver->async_resolve("127.0.0.1", "80", flags, [&](error_code error, const auto& found) {
            check(!error && found.size() == 1, "127.0.0.1 has no address");
            served.count_down();
        });
        return resolver;
    });
}

// A client is accepted while all other threads are blocked, also if the blocked handler is the client.
CONTRACT_PROGRAM(an_acceptor_is_served_beside_blocked_handlers, 2, 4, 16) {
    check_served(threads, "a client of an acceptor", [](net::io_context& context, latch& served) {
        auto acceptor = std::make_unique<tcp::acceptor>(context, clinic::any_port);
        acceptor->async_accept([&](error_code error, tcp::socket) {
            check(!error, "async_accept failed");
            served.count_down();
        });
        auto client = std::make_unique<tcp::socket>(context);
        client->connect(acceptor->local_endpoint());
        return std::pair(std::move(acceptor), std::move(client));
    });
}

// N-1 handlers wait for operations with `use_future` and get(), so that one thread serves them all.
CONTRACT_PROGRAM(a_handler_waits_for_an_operation_with_use_future, 2, 4, 16) {
    net::io_context context;
    for (int i = 1; i < threads; ++i)
        net::post(context, [&] {
            net::steady_timer timer(context, 1ms);
            value_of(timer.async_wait(net::use_future), "its timer of 1 ms");
            value_of(net::post(context, net::use_future), "its posted function");
        });
    runners(context, threads).join();
}

/// A server that accepts `count` clients, and returns four bytes to each.
class small_server {
public:
    explicit small_server(net::io_context& context, int count)
        : acceptor_(context, clinic::any_port), left_(count) {
        accept();
    }
    tcp::endpoint address() const { return acceptor_.local_endpoint(); }

private:
    void accept() {
        if (left_-- == 0) return;
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            check(!error, "async_accept failed");
            auto served = std::make_shared<std::pair<tcp::socket, std::array<char, 4>>>(
                std::move(socket), std::array<char, 4>());
            net::async_read(served->first, net::buffer(served->second), [served](error_code, std::size_t) {
                net::async_write(served->first, net::buffer(served->second),
                                 [served](error_code, std::size_t) {});
            });
            accept();
        });
    }

    tcp::acceptor acceptor_;
    int left_;
};

// N-1 handlers are blocking clients of a server on the same context, which one thread serves.
CONTRACT_PROGRAM(a_blocking_client_in_a_handler_reaches_its_server, 2, 4, 16) {
    net::io_context context;
    small_server server(context, threads - 1);
    latch answered(threads - 1, "the answers of a server on the same context");
    for (int i = 1; i < threads; ++i)
        net::post(context, [&] {
            net::io_context own;
            tcp::socket client(own);
            client.connect(server.address());
            net::write(client, net::buffer("ping", 4));
            std::array<char, 4> got{};
            net::read(client, net::buffer(got));
            check(std::string_view(got.data(), 4) == "ping", "the answer is wrong");
            answered.count_down();
        });
    runners running(context, threads);
    answered.wait();
    running.join();
}

// Each of N handlers, one after the other, is called for a timer or for bytes, starts the next such
// operation, and blocks. So the thread that waits for the kernel changes N times.
CONTRACT_PROGRAM(the_wait_for_the_kernel_moves_to_another_thread, 2, 4, 16) {
    net::io_context context;
    std::deque<net::steady_timer> timers;
    std::deque<std::pair<tcp::socket, tcp::socket>> streams;
    for (int i = 0; i < threads; ++i) {
        timers.emplace_back(context);
        streams.push_back(clinic::connection(context));
    }
    char byte = 0;
    latch end(1, "the last of a chain of blocked handlers");
    std::function<void(std::size_t)> begin = [&](std::size_t place) {
        if (place == timers.size()) return end.count_down();
        const auto next = [&, place](error_code error) {
            check(!error, "an operation failed");
            begin(place + 1);
            end.wait();
        };
        if (place % 2 == 0) {
            timers[place].expires_after(1ms);
            timers[place].async_wait(next);
        } else {
            streams[place].first.async_read_some(net::buffer(&byte, 1),
                                                 [next](error_code error, std::size_t) { next(error); });
            net::write(streams[place].second, net::buffer("a", 1));
        }
    };
    net::post(context, [&] { begin(0); });
    runners(context, threads).join();
}

// Many timers, reads and waits are ready at once. N-1 of their handlers block until all others have run, so a
// thread keeps no batch of them to itself.
CONTRACT_PROGRAM(a_batch_of_events_is_shared_by_all_threads, 2, 4, 16) {
    constexpr int count = 40;
    net::io_context context;
    std::deque<net::steady_timer> timers;
    std::deque<std::pair<tcp::socket, tcp::socket>> streams;
    std::deque<char> bytes;
    std::atomic<int> entered = 0;
    latch others(3 * count - (threads - 1), "the handlers of other events that were ready at the same time");
    const auto block_some = [&](error_code error, auto&&...) {
        check(!error, "an operation failed");
        entered++ < threads - 1 ? others.wait() : others.count_down();
    };
    for (int i = 0; i < count; ++i) {
        timers.emplace_back(context, -1s).async_wait(block_some);
        auto& ends = streams.emplace_back(clinic::connection(context));
        net::write(ends.second, net::buffer("a", 1));
        ends.first.async_wait(tcp::socket::wait_write, block_some);
        ends.first.async_read_some(net::buffer(&bytes.emplace_back(), 1), block_some);
    }
    runners(context, threads).join();
}

// poll(), poll_one(), run_one() and run_for() in another thread run handlers while N-1 handlers block, and
// count only their own handlers.
CONTRACT_PROGRAM(other_runs_are_served_beside_blocked_handlers, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads - 1);
    {
        const blockers blocked(context, threads - 1);
        std::size_t ran = 0;
        const auto post_ten = [&] {
            for (int i = 0; i < 10; ++i) net::post(context, [&] { ++ran; });
        };
        check_count(context.poll(), 0, "handlers, of none, run by poll()");
        post_ten();
        check_count(context.poll_one(), 1, "handlers run by poll_one()");
        check_count(context.run_one(), 1, "handlers run by run_one()");
        check_count(context.run_one_for(1h), 1, "handlers run by run_one_for()");
        check_count(context.poll(), 7, "handlers run by poll()");
        check_count(ran, 10, "handlers run");
        net::steady_timer timer(context, 1ms);
        timer.async_wait([&](error_code) { ++ran; });
        check_count(context.run_one(), 1, "timers served by run_one()");
        check_count(ran, 11, "handlers run");
        check(!context.stopped(), "the context stopped although handlers block");
    }
    latch ended(1, "run_for() to end when no work is left");
    std::jthread timed([&] {
        context.run_for(1h);
        ended.count_down();
    });
    guard.reset();
    ended.wait();
    running.join();
}

// The context serves posts, timers, streams, clients and signals only in threads that are in run().
CONTRACT_PROGRAM(handlers_run_only_in_threads_in_run, 2, 4, 16) {
    net::io_context context;
    std::mutex mutex;
    std::set<std::thread::id> used;
    const auto note = [&] {
        const std::lock_guard lock(mutex);
        used.insert(std::this_thread::get_id());
    };
    std::deque<net::steady_timer> timers;
    std::deque<std::pair<tcp::socket, tcp::socket>> streams;
    std::deque<char> bytes;
    net::signal_set signals(context, SIGUSR1);
    tcp::resolver resolver(context);
    latch all(10 * 4 + 2, "posts, timers, streams, a signal and an address");
    const auto noting = [&](auto&&...) {
        note();
        all.count_down();
    };
    auto guard = net::make_work_guard(context);
    std::set<std::thread::id> running;
    std::vector<std::jthread> threads_in_run;
    for (int i = 0; i < threads; ++i)
        running.insert(threads_in_run.emplace_back([&] { context.run(); }).get_id());
    signals.async_wait(noting);
    std::raise(SIGUSR1);
    resolver.async_resolve("127.0.0.1", "80", noting);
    for (int i = 0; i < 10; ++i) {
        net::post(context, noting);
        timers.emplace_back(context, std::chrono::microseconds(100 * i)).async_wait(noting);
        auto& ends = streams.emplace_back(clinic::connection(context));
        ends.first.async_read_some(net::buffer(&bytes.emplace_back(), 1), noting);
        ends.first.async_wait(tcp::socket::wait_write, noting);
    }
    for (auto& ends : streams) net::write(ends.second, net::buffer("a", 1));
    all.wait();
    guard.reset();
    threads_in_run.clear();
    check(std::ranges::includes(running, used), "a handler ran in a thread outside run()");
}

}  // namespace

}  // namespace contract
