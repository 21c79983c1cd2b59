// Several contexts, thread pools, the system executor, nested runs, fork(2), and contexts with one thread.
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <deque>
#include <functional>
#include <optional>

#include "tests/clinic/sockets.hpp"
#include "tests/contract/contract.hpp"

namespace contract {

namespace {

using net::ip::tcp;

// Handlers of two contexts hand work to each other, and wait for it: N are blocked in each context.
CONTRACT_PROGRAM(two_contexts_wait_for_each_other, 2, 4, 16) {
    std::array<net::io_context, 2> contexts;
    std::array guards{net::make_work_guard(contexts[0]), net::make_work_guard(contexts[1])};
    std::function<void(int)> nest = [&](int more) {
        if (more == 0) return;
        latch ended(1, "a handler of the other context");
        net::post(contexts[static_cast<std::size_t>(more % 2)], [&] {
            nest(more - 1);
            ended.count_down();
        });
        ended.wait();
    };
    latch ended(1, "a chain of handlers of two contexts");
    net::post(contexts[0], [&] {
        nest(2 * threads - 1);
        for (auto& guard : guards) guard.reset();
        ended.count_down();
    });
    runners one(contexts[0], threads), other(contexts[1], threads);
    ended.wait();
    check_count(one.join(), threads, "handlers of the first context");
    check_count(other.join(), threads, "handlers of the second context");
}

// Functions that post themselves to the other one of two contexts get there each time.
CONTRACT_PROGRAM(chains_of_posts_alternate_between_two_contexts, 1, 2, 4, 16) {
    constexpr int chains = 8, posts = 300;
    std::array<net::io_context, 2> contexts;
    std::array guards{net::make_work_guard(contexts[0]), net::make_work_guard(contexts[1])};
    latch ended(chains, "chains of posts between two contexts");
    std::function<void(std::size_t)> step = [&](std::size_t left) {
        if (left == 0) return ended.count_down();
        net::post(contexts[left % 2], [&, left] { step(left - 1); });
    };
    runners one(contexts[0], threads), other(contexts[1], threads);
    for (int i = 0; i < chains; ++i) step(posts);
    ended.wait();
    for (auto& guard : guards) guard.reset();
    check_count(one.join(), chains * posts / 2, "handlers of the first context");
    check_count(other.join(), chains * posts / 2, "handlers of the second context");
}

// A handler can run other handlers until its own operation has ended, while N-1 handlers are blocked.
CONTRACT_PROGRAM(a_handler_runs_other_handlers, 1, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    {
        const blockers blocked(context, threads - 1);
        latch ended(1, "a handler that runs other handlers");
        net::post(context, [&] {
            bool has_run = false;
            net::post(context, [&] { has_run = true; });
            check_count(context.poll(), 1, "handlers run by poll() in a handler");
            check(has_run, "poll() in a handler did not run the posted function");
            net::steady_timer timer(context, 1ms);
            bool has_expired = false;
            timer.async_wait([&](error_code error) { has_expired = !error; });
            while (!has_expired) check_count(context.run_one(), 1, "handlers run by run_one() in a handler");
            ended.count_down();
        });
        ended.wait();
    }
    guard.reset();
    running.join();
}

// While handlers block all N threads, another thread can use and destroy objects of the context. No call
// waits for a handler.
CONTRACT_PROGRAM(no_call_waits_for_a_blocked_handler, 1, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    latch aborted(5, "aborted operations");
    const auto expect_abort = [&](error_code error, auto&&...) {
        check(error == net::error::operation_aborted, "an operation was not aborted");
        aborted.count_down();
    };
    auto [closed, peer_of_closed] = clinic::connection(context);
    auto [moved, peer_of_destroyed] = clinic::connection(context);
    std::optional<tcp::socket> destroyed(std::move(moved));
    net::steady_timer waiting(context, 1h);
    std::array<char, 2> bytes{};
    closed.async_read_some(net::buffer(&bytes[0], 1), expect_abort);
    destroyed->async_read_some(net::buffer(&bytes[1], 1), expect_abort);
    waiting.async_wait(expect_abort);
    latch has_run(1, "a posted function");
    {
        const blockers blocked(context, threads);
        net::post(context, [&] { has_run.count_down(); });
        net::dispatch(context, [] {});
        closed.close();
        destroyed.reset();
        check_count(waiting.cancel(), 1, "waits cancelled");
        tcp::acceptor acceptor(context, clinic::any_port);
        acceptor.async_accept(expect_abort);
        net::steady_timer timer(context, 1h);
        timer.async_wait(expect_abort);
        timer.cancel();
        acceptor.close();
        const net::signal_set signals(context, SIGUSR1);
        tcp::resolver(context).cancel();
        check(!context.stopped(), "the context is stopped although handlers block");
    }
    aborted.wait();
    has_run.wait();
    guard.reset();
    running.join();
}

/// Checks that a timer on a thread_pool expires in a thread of the pool, while other functions block all
/// other threads of the pool.
template <class Timer>
void expire_on_a_pool(int threads) {
    net::thread_pool pool(static_cast<std::size_t>(threads));
    Timer timer(pool, 1ms);
    latch expired(1, "a timer on a thread_pool");
    for (int i = 1; i < threads; ++i) net::post(pool, [&] { expired.wait(); });
    timer.async_wait([&](error_code error) {
        check(!error && pool.get_executor().running_in_this_thread(), "the handler did not run in the pool");
        expired.count_down();
    });
    pool.join();
}

CONTRACT_PROGRAM(a_thread_pool_serves_a_timer, 2, 4, 16) {
    expire_on_a_pool<net::steady_timer>(threads);
}

// The type of this timer names the executor of the pool.
CONTRACT_PROGRAM(a_thread_pool_serves_a_timer_of_its_own_type, 2, 4, 16) {
    using clock = std::chrono::steady_clock;
    expire_on_a_pool<
        net::basic_waitable_timer<clock, net::wait_traits<clock>, net::thread_pool::executor_type>>(threads);
}

net::awaitable<int> wait_and_return(int value) {
    net::steady_timer timer(co_await net::this_coro::executor, 1ms);
    co_await timer.async_wait(net::use_awaitable);
    co_return value;
}

// Coroutines on a thread_pool can wait for timers.
CONTRACT_PROGRAM(coroutines_on_a_thread_pool_wait_for_timers, 1, 2, 4, 16) {
    net::thread_pool pool(static_cast<std::size_t>(threads));
    std::vector<std::future<int>> results;
    for (int i = 0; i < 2 * threads; ++i)
        results.push_back(net::co_spawn(pool, wait_and_return(i), net::use_future));
    for (int i = 0; auto& each : results)
        check(value_of(std::move(each), "a coroutine on a thread_pool") == i++,
              "a coroutine has the wrong result");
    pool.join();
}

// A timer on the system_executor expires.
CONTRACT_PROGRAM(the_system_executor_serves_a_timer, 1) {
    latch expired(1, "a timer on the system_executor");
    net::steady_timer timer(net::system_executor(), 1ms);
    timer.async_wait([&](error_code error) {
        check(!error, "the wait failed");
        expired.count_down();
    });
    expired.wait();
}

// A function on the system_executor waits for handlers of a context, N-1 of which wait for each other.
CONTRACT_PROGRAM(a_function_on_the_system_executor_waits_for_handlers, 2, 4, 16) {
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    latch ended(1, "a function on the system_executor");
    net::post(net::system_executor(), [&] {
        latch met(threads, "the other handlers of its barrier");
        latch left(threads, "the handlers of a barrier");
        for (int i = 0; i < threads; ++i)
            net::post(context, [&] {
                met.arrive_and_wait();
                left.count_down();
            });
        left.wait();
        ended.count_down();
    });
    ended.wait();
    guard.reset();
    running.join();
}

// After fork(2), while no thread is in run(), parent and child both run their pending operations.
CONTRACT_PROGRAM(parent_and_child_run_the_context_after_fork, 1, 2, 4, 16) {
    net::io_context context;
    net::steady_timer timer(context);
    auto ends = clinic::connection(context);
    std::array<char, 1> got{};
    const auto run_some = [&](bool is_child) {
        std::atomic<int> expired = 0, ran = 0;
        timer.expires_after(1ms);
        timer.async_wait([&](error_code error) { expired += error ? 0 : 1; });
        for (int i = 0; i < 10; ++i) net::post(context, [&] { ++ran; });
        context.restart();
        // The child runs the context in its only thread, because ThreadSanitizer permits no new threads
        // there.
        is_child ? context.run() : runners(context, threads).join();
        return expired == 1 && ran == 10;
    };
    check(run_some(false), "the context did not run before fork()");
    for (int i = 0; i < 3; ++i) {
        bool was_read = false;
        ends.first.async_read_some(net::buffer(got),
                                   [&](error_code error, std::size_t) { was_read = !error; });
        context.notify_fork(net::io_context::fork_prepare);
        const pid_t child = ::fork();
        check(child >= 0, "fork() failed");
        if (child == 0) {
            context.notify_fork(net::io_context::fork_child);
            ends.first.cancel();  // the parent reads the byte
            ::_exit(run_some(true) && !was_read ? 0 : 1);
        }
        context.notify_fork(net::io_context::fork_parent);
        int status = 0;
        ::waitpid(child, &status, 0);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the context did not run in the child");
        net::write(ends.second, net::buffer("a", 1));
        check(run_some(false), "the context did not run in the parent");
        check(was_read, "the parent did not read the byte");
    }
}

/// Checks that one thread runs posts, timers and reads.
void check_in_one_thread(net::io_context& context) {
    int ran = 0;
    std::function<void(int)> chain = [&](int left) {
        ++ran;
        if (left > 1) net::post(context, [&, left] { chain(left - 1); });
    };
    net::post(context, [&] { chain(1000); });
    net::steady_timer timer(context, 1ms);
    timer.async_wait([&](error_code error) { ran += error ? 0 : 1; });
    auto ends = clinic::connection(context);
    char byte = 0;
    ends.first.async_read_some(net::buffer(&byte, 1),
                               [&](error_code error, std::size_t) { ran += error ? 0 : 1; });
    net::write(ends.second, net::buffer("a", 1));
    check_count(context.run(), 1002, "handlers counted by run()");
    check_count(ran, 1002, "handlers run");
}

// A context with the concurrency hint 1 runs in one thread, and other threads can post to it.
CONTRACT_PROGRAM(a_context_with_the_hint_1_receives_posts, 1) {
    net::io_context context(1);
    check_in_one_thread(context);
    context.restart();
    auto guard = net::make_work_guard(context);
    runners running(context, 1);
    for (int i = 0; i < 500; ++i) {
        latch ran(1, "a function posted to a context with the hint 1");
        net::post(context, [&] { net::post(context, [&] { ran.count_down(); }); });
        ran.wait();
    }
    guard.reset();
    check_count(running.join(), 1000, "handlers run");
}

// A context with the hint UNSAFE, which needs no locks, runs in one thread. It can move to another thread.
CONTRACT_PROGRAM(a_context_with_the_hint_unsafe_runs_in_one_thread, 1) {
    net::io_context context(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE);
    check_in_one_thread(context);
    context.restart();
    std::jthread([&] { check_in_one_thread(context); }).join();
}

}  // namespace

}  // namespace contract
