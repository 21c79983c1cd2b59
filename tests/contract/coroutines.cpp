// Coroutines, futures and channels that several threads serve.
#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <exception>
#include <functional>

#include "tests/clinic/sockets.hpp"
#include "tests/contract/contract.hpp"

namespace contract {

namespace {

using net::ip::tcp;

/// Reports the exception that ends a coroutine.
const auto no_exception = [](std::exception_ptr thrown) {
    check(!thrown, "a coroutine ended with an exception");
};

net::awaitable<void> visit(exclusive_place& place, int times) {
    net::steady_timer timer(co_await net::this_coro::executor);
    for (int i = 0; i < times; ++i) {
        place.visit();
        if (i % 8 == 0) {
            timer.expires_after(std::chrono::microseconds(i));
            co_await timer.async_wait(net::use_awaitable);
        } else {
            co_await net::post(net::use_awaitable);
        }
    }
}

// Coroutines of one strand never overlap, although posts and timers suspend them.
CONTRACT_PROGRAM(coroutines_of_a_strand_never_overlap, 2, 4, 16) {
    constexpr int strands = 4, coroutines = 8, visits = 30;
    net::io_context context;
    std::deque<exclusive_place> places(strands);
    for (auto& place : places) {
        const auto strand = net::make_strand(context);
        for (int i = 0; i < coroutines; ++i) net::co_spawn(strand, visit(place, visits), no_exception);
    }
    runners(context, threads).join();
    for (const auto& place : places) check_count(place.visits(), coroutines * visits, "steps of coroutines");
}

constexpr int round_trips = 20;

net::awaitable<void> echo(tcp::socket socket) {
    std::array<char, 64> bytes{};
    for (int i = 0; i < round_trips; ++i) {
        co_await net::async_read(socket, net::buffer(bytes), net::use_awaitable);
        co_await net::async_write(socket, net::buffer(bytes), net::use_awaitable);
    }
}

net::awaitable<void> accept_clients(net::io_context& context, tcp::acceptor& acceptor, int count) {
    for (int i = 0; i < count; ++i) {
        tcp::socket socket = co_await acceptor.async_accept(net::make_strand(context), net::use_awaitable);
        const auto executor = socket.get_executor();
        net::co_spawn(executor, echo(std::move(socket)), no_exception);
    }
}

net::awaitable<void> ask(tcp::endpoint address, char letter) {
    tcp::socket socket(co_await net::this_coro::executor);
    net::steady_timer timeout(socket.get_executor(), 1h);
    timeout.async_wait([&](error_code error) {
        if (!error) socket.close();
    });
    co_await socket.async_connect(address, net::use_awaitable);
    std::array<char, 64> bytes{};
    for (int i = 0; i < round_trips; ++i) {
        bytes.fill(static_cast<char>(letter + i));
        co_await net::async_write(socket, net::buffer(bytes), net::use_awaitable);
        bytes.fill(0);
        co_await net::async_read(socket, net::buffer(bytes), net::use_awaitable);
        for (const char each : bytes) check(each == static_cast<char>(letter + i), "an echo has wrong bytes");
    }
}

// A server and its clients are coroutines, with a strand for each connection. All clients receive their
// echoes.
CONTRACT_PROGRAM(coroutines_with_a_strand_each_echo, 2, 4, 16) {
    constexpr int clients = 32;
    net::io_context context;
    tcp::acceptor acceptor(context, clinic::any_port);
    net::co_spawn(context, accept_clients(context, acceptor, clients), no_exception);
    for (int i = 0; i < clients; ++i)
        net::co_spawn(net::make_strand(context), ask(acceptor.local_endpoint(), static_cast<char>(i)),
                      no_exception);
    runners(context, threads).join();
}

net::awaitable<int> product_of(int one, int other) {
    co_await net::post(net::use_awaitable);
    co_return one* other;
}

// Threads outside run() wait for posted functions, coroutines and timers with `use_future`. Each receives its
// own result.
CONTRACT_PROGRAM(futures_return_results_to_many_threads, 1, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    std::vector<std::jthread> waiting;
    for (int i = 0; i < threads; ++i)
        waiting.emplace_back([&, i] {
            for (int k = 0; k < 50; ++k) {
                auto sum = net::post(context, net::use_future([i, k] { return 100 * i + k; }));
                auto product = net::co_spawn(context, product_of(i, k), net::use_future);
                net::steady_timer timer(context, std::chrono::microseconds(k));
                auto expired = timer.async_wait(net::use_future);
                check(value_of(std::move(sum), "a posted function") == 100 * i + k,
                      "a future has the wrong value");
                check(value_of(std::move(product), "a coroutine") == i * k, "a future has the wrong value");
                value_of(std::move(expired), "a timer");
            }
        });
    waiting.clear();
    guard.reset();
    running.join();
}

using shared_channel = net::experimental::concurrent_channel<void(error_code, int)>;

net::awaitable<void> send_all(shared_channel& channel, int first, int count) {
    for (int i = 0; i < count; ++i) co_await channel.async_send(error_code(), first + i, net::use_awaitable);
}

net::awaitable<void> receive_some(shared_channel& channel, std::deque<std::atomic<int>>& received,
                                  int count) {
    for (int i = 0; i < count; ++i)
        ++received[static_cast<std::size_t>(co_await channel.async_receive(net::use_awaitable))];
}

// N coroutines send numbers through a concurrent_channel to N others. Each number is received once.
CONTRACT_PROGRAM(a_concurrent_channel_passes_each_number_once, 2, 4, 16) {
    constexpr int each = 100;
    for (const std::size_t capacity : {0U, 8U}) {
        net::io_context context;
        shared_channel channel(context, capacity);
        std::deque<std::atomic<int>> received(static_cast<std::size_t>(each * threads));
        for (int i = 0; i < threads; ++i) {
            net::co_spawn(context, send_all(channel, i * each, each), no_exception);
            net::co_spawn(context, receive_some(channel, received, each), no_exception);
        }
        runners(context, threads).join();
        for (const auto& times : received) check_count(times.load(), 1, "receptions of a number");
    }
}

// Numbers pass in order through a channel whose users share a strand.
CONTRACT_PROGRAM(a_channel_in_a_strand_keeps_the_order, 2, 4, 16) {
    constexpr int numbers = 200;
    using channel = net::experimental::channel<void(error_code, int)>;
    net::io_context context;
    std::deque<channel> channels;
    std::deque<int> next(8);
    for (auto& expected : next) {
        auto& used = channels.emplace_back(net::make_strand(context), std::size_t{2});
        net::co_spawn(
            used.get_executor(),
            [](channel& to) -> net::awaitable<void> {
                for (int i = 0; i < numbers; ++i) co_await to.async_send(error_code(), i, net::use_awaitable);
            }(used),
            no_exception);
        net::co_spawn(
            used.get_executor(),
            [](channel& from, int& number) -> net::awaitable<void> {
                while (number < numbers) {
                    const int got = co_await from.async_receive(net::use_awaitable);
                    check(got == number, "a channel changed the order");
                    ++number;
                }
            }(used, expected),
            no_exception);
    }
    runners(context, threads).join();
    for (const int each : next) check(each == numbers, "a channel lost numbers");
}

}  // namespace

}  // namespace contract
