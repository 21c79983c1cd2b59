// Strands, and the order of functions.
#include <array>
#include <atomic>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <functional>

#include "tests/clinic/sockets.hpp"
#include "tests/contract/contract.hpp"

namespace contract {

namespace {

// Functions of a strand never overlap, and those that one thread has posted run in order.
CONTRACT_PROGRAM(a_strand_runs_one_function_at_a_time_in_order, 2, 4, 16) {
    constexpr std::size_t posters = 3;
    constexpr int posts = 200;
    struct tested_strand {
        explicit tested_strand(net::io_context& context) : strand(net::make_strand(context)) {}
        net::strand<net::io_context::executor_type> strand;
        exclusive_place place;
        std::array<int, posters> next{};
    };
    net::io_context context;
    std::deque<tested_strand> all;
    for (int i = 0; i < 8; ++i) all.emplace_back(context);
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    {
        std::vector<std::jthread> posting;
        for (std::size_t poster = 0; poster < posters; ++poster)
            posting.emplace_back([&, poster] {
                for (int i = 0; i < posts; ++i)
                    for (auto& each : all)
                        net::post(each.strand, [&each, poster, i] {
                            each.place.visit([&] {
                                check(each.next[poster]++ == i, "a strand changed the order of posts");
                            });
                        });
            });
    }
    guard.reset();
    running.join();
    for (auto& each : all) check_count(each.place.visits(), posters * posts, "functions of a strand");
}

// N-1 blocked strands block no other of 1000 strands, which are more than Asio's strands have mutexes.
CONTRACT_PROGRAM(a_blocked_strand_blocks_no_other, 2, 4, 16) {
    constexpr int strands = 1000;
    net::io_context context;
    std::deque<net::strand<net::io_context::executor_type>> all;
    for (int i = 0; i < strands; ++i) all.push_back(net::make_strand(context));
    latch others(strands - (threads - 1), "the functions of other strands");
    for (int i = 0; i < strands; ++i)
        net::post(all[static_cast<std::size_t>(i)],
                  [&, blocks = i < threads - 1] { blocks ? others.wait() : others.count_down(); });
    runners(context, threads).join();
}

// In a function of a strand, dispatch() to the strand runs at once; dispatch() to a blocked strand does not
// run before the strand is free.
CONTRACT_PROGRAM(dispatch_runs_at_once_only_inside_the_strand, 2, 4, 16) {
    net::io_context context;
    auto blocked = net::make_strand(context), free = net::make_strand(context);
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    latch begun(1, "the first function of a strand"), dispatched(1, "the function of another strand");
    latch ended(1, "a dispatched function");
    bool has_run = false;  // only the functions of `blocked` use it, before `dispatched` is zero
    net::post(blocked, [&] {
        begun.count_down();
        check(blocked.running_in_this_thread(), "a strand does not know that its function runs");
        check(!free.running_in_this_thread(), "a strand claims to run the function of another strand");
        int depth = 0;
        net::dispatch(blocked, [&] {
            net::dispatch(blocked, [&] { depth = 2; });
            check(depth == 2, "a nested dispatch() inside the strand did not run at once");
            depth = 1;
        });
        check(depth == 1, "dispatch() inside the strand did not run at once");
        dispatched.wait();
        check(!has_run, "dispatch() to a blocked strand ran its function");
    });
    begun.wait();
    net::post(free, [&] {
        net::dispatch(blocked, [&] {
            has_run = true;
            ended.count_down();
        });
        dispatched.count_down();
    });
    ended.wait();
    check(!blocked.running_in_this_thread(), "a strand claims to run in a thread outside run()");
    guard.reset();
    running.join();
}

// A strand continues in another thread if the thread that ran its last function is blocked outside the
// strand.
CONTRACT_PROGRAM(a_strand_moves_to_another_thread, 2, 4, 16) {
    net::io_context context;
    auto strand = net::make_strand(context);
    exclusive_place place;
    latch end(1, "a strand to continue in another thread");
    std::function<void(int)> block = [&](int more) {
        net::dispatch(strand, [&] { place.visit(); });
        if (more == 0) return end.count_down();
        net::post(strand, [&, more] {
            place.visit();
            net::post(context, [&, more] { block(more - 1); });
        });
        end.wait();
    };
    net::post(context, [&] { block(threads - 1); });
    runners(context, threads).join();
    check_count(place.visits(), 2 * threads - 1, "functions of the strand");
}

// Strands that always post to themselves starve neither other functions of these strands, nor other strands,
// posts, timers and streams.
CONTRACT_PROGRAM(strands_that_post_to_themselves_starve_nothing, 1, 2, 4, 16) {
    net::io_context context;
    std::atomic<bool> is_over = false;
    struct busy_strand {
        explicit busy_strand(net::io_context& of, const std::atomic<bool>& over)
            : strand(net::make_strand(of)), is_over(over) {}
        net::strand<net::io_context::executor_type> strand;
        const std::atomic<bool>& is_over;
        void again() {
            if (!is_over) net::post(strand, [this] { again(); });
        }
    };
    std::deque<busy_strand> busy;
    for (int i = 0; i < 2 * threads; ++i) {
        auto& made = busy.emplace_back(context, is_over);
        net::post(made.strand, [&made] { made.again(); });
    }
    auto ends = clinic::connection(context);
    char byte = 0;
    net::steady_timer timer(context, 1ms);
    latch others(2 * threads + 4, "functions beside strands that post to themselves");
    runners running(context, threads);
    for (auto& each : busy) net::post(each.strand, [&] { others.count_down(); });
    net::post(net::make_strand(context), [&] { others.count_down(); });
    net::post(context, [&] { others.count_down(); });
    timer.async_wait([&](error_code) { others.count_down(); });
    ends.first.async_read_some(net::buffer(&byte, 1), [&](error_code, std::size_t) { others.count_down(); });
    net::write(ends.second, net::buffer("a", 1));
    others.wait();
    is_over = true;
    running.join();
}

// Strands over the same strand exclude each other, and two strands can dispatch to each other.
CONTRACT_PROGRAM(nested_strands_exclude_each_other, 2, 4, 16) {
    constexpr std::size_t posts = 300;
    net::io_context context;
    auto inner = net::make_strand(context);
    auto outer_one = net::make_strand(inner), outer_two = net::make_strand(inner);
    auto one = net::make_strand(context), other = net::make_strand(context);
    exclusive_place of_inner, of_one, of_other;
    for (std::size_t i = 0; i < posts; ++i) {
        for (auto* outer : {&outer_one, &outer_two})
            net::post(*outer, [&, outer] {
                check(outer->running_in_this_thread() && inner.running_in_this_thread(),
                      "a nested strand ran outside one of its strands");
                of_inner.visit();
            });
        net::post(inner, [&] { of_inner.visit(); });
        net::post(one, [&] { net::dispatch(other, [&] { of_other.visit(); }); });
        net::post(other, [&] { net::dispatch(one, [&] { of_one.visit(); }); });
    }
    runners(context, threads).join();
    check_count(of_inner.visits(), 3 * posts, "functions of nested strands");
    check_count(of_one.visits(), posts, "functions dispatched to a strand");
    check_count(of_other.visits(), posts, "functions dispatched to the other strand");
}

// A strand over a thread_pool excludes posted functions and the handlers of the context's timers, which run
// in threads of the pool.
CONTRACT_PROGRAM(a_strand_over_a_thread_pool_runs_handlers_of_the_context, 2, 4, 16) {
    constexpr int posts = 200, timers = 50;
    net::io_context context;
    net::thread_pool pool(static_cast<std::size_t>(threads));
    auto strand = net::make_strand(pool.get_executor());
    exclusive_place place;
    std::deque<net::steady_timer> all;
    for (int i = 0; i < timers; ++i)
        all.emplace_back(context, std::chrono::microseconds(10 * i))
            .async_wait(net::bind_executor(strand, [&](error_code error) {
                check(!error && strand.running_in_this_thread(), "the handler did not run in its strand");
                place.visit();
            }));
    runners running(context, threads);
    for (int i = 0; i < posts; ++i) net::post(strand, [&] { place.visit(); });
    running.join();
    pool.join();
    check_count(place.visits(), posts + timers, "functions of the strand");
}

// If one thread is not blocked, functions that one thread outside has posted run in order.
CONTRACT_PROGRAM(posts_of_one_thread_start_in_order, 1, 2, 4, 16) {
    constexpr int posts = 1000;
    net::io_context context;
    auto guard = net::make_work_guard(context);
    runners running(context, threads);
    {
        const blockers blocked(context, threads - 1);
        int next = 0;
        latch last(1, "the last of 1000 posts");
        for (int i = 0; i < posts; ++i)
            net::post(context, [&, i] {
                check(next++ == i, "two posts of one thread started in the wrong order");
                if (i == posts - 1) last.count_down();
            });
        last.wait();
    }
    guard.reset();
    running.join();
}

// With one thread, dispatch() in a handler runs at once, posted and deferred functions run later, each kind
// in order, and dispatch() outside run() runs nothing.
CONTRACT_PROGRAM(one_thread_keeps_the_order_of_posts_and_defers, 1) {
    net::io_context context;
    bool is_outside = true;
    std::vector<int> posted, deferred;
    net::dispatch(context, [&] {
        check(!is_outside, "dispatch() outside run() ran its function");
        bool is_inside = true;
        for (int i = 0; i < 100; ++i) {
            net::post(context, [&, i] {
                check(!is_inside, "a function ran inside the handler that has posted it");
                posted.push_back(i);
            });
            net::defer(context, [&, i] {
                check(!is_inside, "a function ran inside the handler that has deferred it");
                deferred.push_back(i);
            });
            bool has_run = false;
            net::dispatch(context, [&] { has_run = true; });
            check(has_run, "dispatch() in a handler did not run at once");
        }
        is_inside = false;
    });
    is_outside = false;
    check_count(context.run(), 201, "handlers run");
    std::vector<int> in_order;
    for (int i = 0; i < 100; ++i) in_order.push_back(i);
    check(posted == in_order, "posted functions ran in the wrong order");
    check(deferred == in_order, "deferred functions ran in the wrong order");
}

}  // namespace

}  // namespace contract
