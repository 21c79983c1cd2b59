// The beginning and the end of runs: wake-ups, work, stop(), exceptions and destruction.
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <functional>
#include <optional>

#include "tests/clinic/sockets.hpp"
#include "tests/contract/contract.hpp"

namespace contract {

namespace {

using net::ip::tcp;

// Functions that two other threads post, one after the other, wake sleeping threads each time.
CONTRACT_PROGRAM(each_post_wakes_a_sleeping_thread, 1, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    {
        std::vector<std::jthread> posters;
        for (int i = 0; i < 2; ++i)
            posters.emplace_back([&] {
                for (int k = 0; k < 500; ++k) {
                    latch ran(1, "a posted function: its wake-up was lost");
                    net::post(context, [&] { ran.count_down(); });
                    ran.wait();
                }
            });
    }
    guard.reset();
    check_count(running.join(), 1000, "handlers run");
}

// A timer that another thread sets wakes the threads that sleep until a later timer.
CONTRACT_PROGRAM(an_earlier_timer_wakes_sleeping_threads, 1, 2, 4, 16) {
    net::io_context context;
    net::steady_timer late(context, 1h);
    late.async_wait([](error_code) {});
    runners running(context, threads);
    for (int i = 0; i < 100; ++i) {
        latch expired(1, "a timer that was set while all threads slept");
        net::steady_timer timer(context, std::chrono::microseconds(i));
        timer.async_wait([&](error_code) { expired.count_down(); });
        expired.wait();
    }
    late.cancel();
    running.join();
}

// When the last work ends, in a handler or in another thread, run() returns in all threads.
CONTRACT_PROGRAM(run_returns_in_all_threads_when_work_ends, 1, 2, 4, 16) {
    net::io_context context;
    for (int i = 0; i < 20; ++i) {
        auto guard = net::make_work_guard(context);
        runners running(context, threads);
        latch ran(1, "a posted function");
        net::post(context, [&, ends_here = i % 2 == 0] {
            if (ends_here) guard.reset();
            ran.count_down();
        });
        ran.wait();
        if (i % 2 != 0) guard.reset();
        check_count(running.join(), 1, "handlers run");
        check(context.stopped(), "all threads have left run(), but the context is not stopped");
        context.restart();
    }
}

// The counts of run(), run_one(), poll() and run_for() in several threads add up to the number of handlers.
CONTRACT_PROGRAM(the_counts_of_all_runs_add_up, 4, 16) {
    constexpr std::size_t posts = 1000, timers = 50;
    net::io_context context;
    std::atomic<std::size_t> ran = 0, counted = 0;
    for (std::size_t i = 0; i < posts; ++i)
        net::post(context, [&] {
            ++ran;
            net::post(context, [&] { ++ran; });
        });
    std::deque<net::steady_timer> all;
    for (std::size_t i = 0; i < timers; ++i)
        all.emplace_back(context, std::chrono::microseconds(10 * i)).async_wait([&](error_code) { ++ran; });
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i)
        running.emplace_back([&, i] {
            if (i % 4 == 0) counted += context.run();
            while (!context.stopped()) {
                counted += i % 4 == 1   ? context.run_one()
                           : i % 4 == 2 ? context.poll()
                                        : context.run_for(1ms);
                std::this_thread::yield();
            }
        });
    running.clear();
    check_count(ran.load(), 2 * posts + timers, "handlers run");
    check_count(counted.load(), ran.load(), "handlers counted");
}

// After stop() in a handler, no other handler begins, and run() returns in all threads, also in those whose
// handlers were blocked. Remaining functions run after restart().
CONTRACT_PROGRAM(stop_in_a_handler_ends_all_runs, 1, 2, 4, 16) {
    net::io_context context;
    const auto guard = net::make_work_guard(context);
    for (int i = 0; i < 10; ++i) {
        runners running(context, threads);
        auto blocked = std::make_unique<blockers>(context, threads - 1);
        latch stopped(1, "the handler that stops the context");
        bool has_run = false;
        net::post(context, [&] {
            context.stop();
            net::post(context, [&] { has_run = true; });
            stopped.count_down();
        });
        stopped.wait();
        blocked.reset();
        check_count(running.join(), threads, "handlers run");
        check(context.stopped() && !has_run, "a handler began after stop()");
        check_count(context.run(), 0, "handlers run before restart()");
        context.restart();
        check_count(context.poll(), 1, "handlers run after restart()");
        check(has_run, "the remaining function did not run after restart()");
    }
}

// stop() in another thread returns although all threads are blocked in handlers. They finish these handlers,
// and begin no other handler.
CONTRACT_PROGRAM(stop_by_another_thread_waits_for_no_handler, 1, 2, 4, 16) {
    auto context = std::make_unique<net::io_context>();
    auto guard = net::make_work_guard(*context);
    runners running(*context, threads);
    const auto token = std::make_shared<bool>(false);
    {
        const blockers blocked(*context, threads);
        for (int i = 0; i < 10; ++i) net::post(*context, [token] { *token = true; });
        context->stop();
        check(context->stopped(), "stop() returned, but the context is not stopped");
    }
    check_count(running.join(), threads, "handlers run");
    check(!*token, "a handler began after stop()");
    guard.reset();
    context.reset();
    check_count(token.use_count(), 1, "owners of a token after the context was destroyed");
}

// stop() in another thread ends runs that sleep or are about to sleep, and runs that begin at this moment.
CONTRACT_PROGRAM(stop_wakes_all_threads, 1, 2, 4, 16) {
    net::io_context context;
    const auto guard = net::make_work_guard(context);
    net::steady_timer timer(context, 1h);
    timer.async_wait([](error_code) {});
    for (int i = 0; i < 50; ++i) {
        runners running(context, threads);
        if (i % 2 == 0) {
            latch ran(1, "a posted function");
            net::post(context, [&] { ran.count_down(); });
            ran.wait();
        }
        context.stop();
        running.join();
        context.restart();
    }
}

// Copies of work guards and of executors that track work, made and destroyed in several threads, keep run()
// from returning until the last of them is destroyed.
CONTRACT_PROGRAM(the_last_of_many_copies_of_work_ends_the_runs, 1, 2, 4, 16) {
    constexpr int rounds = 200;
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    std::vector<std::jthread> owners;
    for (int i = 0; i < threads; ++i)
        owners.emplace_back([&context, own = std::optional(guard)]() mutable {
            for (int k = 0; k < rounds; ++k) {
                auto copy = *own;
                const auto tracked =
                    net::require(context.get_executor(), net::execution::outstanding_work.tracked);
                own.reset();
                const auto tracked_copy = tracked;
                copy.reset();
                net::post(tracked_copy, [tracked_copy] {});
                own.emplace(net::make_work_guard(context));
            }
        });
    guard.reset();
    check_count(running.join(), rounds * threads, "handlers run");
    check(context.stopped(), "run() has returned, but the context is not stopped");
}

// An exception of a handler leaves the run() of its own thread alone. The thread can call run() again.
CONTRACT_PROGRAM(an_exception_leaves_only_its_own_run, 1, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    std::deque<std::atomic<int>> caught(static_cast<std::size_t>(threads));
    latch all_caught(threads, "each thread to catch an exception"),
        one_caught(1, "one thread to catch an exception");
    std::vector<std::jthread> running;
    for (int i = 0; i < threads; ++i)
        running.emplace_back([&] {
            for (bool has_ended = false; !has_ended;) {
                try {
                    context.run();
                    has_ended = true;
                } catch (const std::size_t& thrown) {
                    if (++caught[thrown] == 1) all_caught.count_down();
                } catch (const char*) {
                    one_caught.count_down();
                }
            }
        });
    latch first(threads, "other handlers that throw"),
        second(threads, "other handlers beside one that throws");
    latch third(threads, "handlers of threads that have called run() again");
    for (std::size_t i = 0; i < caught.size(); ++i)
        net::post(context, [&, i] {
            first.arrive_and_wait();
            throw i;
        });
    all_caught.wait();
    for (const auto& each : caught) check_count(each.load(), 1, "times that an exception was caught");
    for (int i = 0; i < threads; ++i)
        net::post(context, [&, throws = i == 0] {
            second.arrive_and_wait();
            if (throws) throw "one";
        });
    one_caught.wait();
    for (int i = 0; i < threads; ++i) net::post(context, [&] { third.arrive_and_wait(); });
    third.wait();
    guard.reset();
}

// If a handler throws, the functions that it has posted and deferred are kept, although its thread never runs
// the context again.
CONTRACT_PROGRAM(an_exception_loses_no_functions, 1, 2, 4, 16) {
    net::io_context context;
    std::atomic<int> ran = 0;
    latch met(threads, "other handlers that throw"), met_again(threads, "other handlers that throw");
    for (int i = 0; i < threads; ++i)
        net::post(context, [&] {
            met.arrive_and_wait();
            for (int k = 0; k < 10; ++k) {
                net::post(context, [&] { ++ran; });
                net::defer(context, [&] { ++ran; });
            }
            met_again.arrive_and_wait();
            throw "an exception";
        });
    std::vector<std::jthread> running;
    std::atomic<int> caught = 0;
    for (int i = 0; i < threads; ++i)
        running.emplace_back([&] {
            try {
                context.run();
            } catch (const char*) {
                ++caught;
            }
        });
    running.clear();
    check_count(caught.load(), threads, "exceptions caught");
    context.run();
    check_count(ran.load(), 20 * threads, "functions of handlers that have thrown");
}

// A thread starts operations and posts functions in a handler, leaves run_one(), and ends. The other threads
// complete these operations.
CONTRACT_PROGRAM(work_outlives_the_thread_that_has_started_it, 1, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    for (int i = 0; i < 5; ++i) {
        net::steady_timer timer(context);
        tcp::acceptor acceptor(context, clinic::any_port);
        auto ends = clinic::connection(context);
        char byte = 0;
        latch completed(13, "operations of a thread that has ended");
        const auto complete = [&](error_code error, auto&&...) {
            check(!error, "an operation of a thread that has ended failed");
            completed.count_down();
        };
        {
            const blockers blocked(context, threads);
            net::post(context, [&] {
                timer.expires_after(1ms);
                timer.async_wait(complete);
                acceptor.async_accept(complete);
                ends.first.async_read_some(net::buffer(&byte, 1), complete);
                for (int k = 0; k < 5; ++k) {
                    net::post(context, [&] { completed.count_down(); });
                    net::defer(context, [&] { completed.count_down(); });
                }
            });
            std::size_t ran = 0;
            std::jthread([&] { ran = context.run_one(); }).join();
            check_count(ran, 1, "handlers run by run_one()");
        }
        tcp::socket client(context);
        client.connect(acceptor.local_endpoint());
        net::write(ends.second, net::buffer("a", 1));
        completed.wait();
    }
    guard.reset();
    running.join();
}

/// Keeps the token while it waits for an hour.
net::awaitable<void> keep(std::shared_ptr<int> token) {
    net::steady_timer timer(co_await net::this_coro::executor, 1h);
    co_await timer.async_wait(net::use_awaitable);
    ++*token;
}

// After all threads have left run(), another thread can destroy the context. This destroys all handlers that
// wait, and calls none.
CONTRACT_PROGRAM(another_thread_destroys_a_context_with_pending_work, 1, 2, 4, 16) {
    auto context = std::make_unique<net::io_context>();
    const auto token = std::make_shared<int>(0);
    auto guard = net::make_work_guard(*context);
    runners running(*context, threads);
    latch begun(10, "handlers that begin operations");
    for (int i = 0; i < 10; ++i)
        net::post(*context, [&, token] {
            auto timer = std::make_shared<net::steady_timer>(*context, 1h);
            timer->async_wait([timer, token](error_code) { ++*token; });
            auto acceptor = std::make_shared<tcp::acceptor>(*context, clinic::any_port);
            acceptor->async_accept([acceptor, token](error_code, tcp::socket) { ++*token; });
            auto ends = std::make_shared<std::pair<tcp::socket, tcp::socket>>(clinic::connection(*context));
            auto byte = std::make_shared<char>();
            ends->first.async_read_some(net::buffer(byte.get(), 1),
                                        [ends, byte, token](error_code, std::size_t) { ++*token; });
            net::co_spawn(*context, keep(token), net::detached);
            begun.count_down();
        });
    begun.wait();
    context->stop();
    running.join();
    for (int i = 0; i < 10; ++i) net::post(*context, [token] { ++*token; });
    guard.reset();
    std::jthread([&] { context.reset(); }).join();
    check(*token == 0, "the destruction of the context called a handler");
    check_count(token.use_count(), 1, "owners of a token after the context was destroyed");
}

}  // namespace

}  // namespace contract
