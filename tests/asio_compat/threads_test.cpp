// Tests a running context that other threads use, stop, or run themselves.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/asio_compat/kits.hpp"
#include "tests/loop/allocations.hpp"
#include "tests/loop/descriptor_limit.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

template <class kit>
using asio_threads = with_context<kit>;
TYPED_TEST_SUITE(asio_threads, kits, kit_names);

TYPED_TEST(asio_threads, a_context_keeps_running_while_a_work_guard_exists) {
    auto& context = this->context();
    auto guard = net::make_work_guard(context);
    std::atomic<bool> ran = false;
    std::thread other([&] {
        net::post(context, [&] {
            ran = true;
            guard.reset();
        });
    });
    context.run();
    EXPECT_TRUE(ran);
    other.join();
}

TYPED_TEST(asio_threads, another_thread_can_release_a_work_guard_that_the_running_handler_has_made) {
    auto& context = this->context();
    bool went_on = false;
    net::post(context, [&] {
        auto guard = net::make_work_guard(context);
        std::thread([given = std::move(guard)]() mutable { given.reset(); }).join();
        net::post(context, [&] { went_on = true; });
    });
    EXPECT_EQ(context.run(), 2u);
    EXPECT_TRUE(went_on);
}

TYPED_TEST(asio_threads, another_thread_can_stop_a_context_that_sleeps) {
    auto& context = this->context();
    const auto guard = net::make_work_guard(context);
    std::thread other([&] { context.stop(); });
    context.run();
    other.join();
    EXPECT_TRUE(context.stopped());
}

TYPED_TEST(asio_threads, each_of_a_million_handlers_that_four_threads_post_runs_exactly_once) {
    const std::size_t threads = 4;
    // In sanitizer builds, which do not count allocations, a million posts would take a minute.
    const std::size_t each = loop::test::allocations_are_counted ? 250'000 : 10'000;
    auto& context = this->context();
    auto guard = net::make_work_guard(context);
    std::vector<int> ran(each * threads);
    std::atomic<std::size_t> posting = threads;
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            for (std::size_t i = 0; i < each; ++i)
                net::post(context, [&ran, place = t * each + i] { ++ran[place]; });
            if (--posting == 0) net::post(context, [&] { guard.reset(); });
        });
    context.run();
    for (auto& thread : all) thread.join();
    EXPECT_EQ(std::ranges::count(ran, 1), static_cast<std::ptrdiff_t>(ran.size()));
}

TYPED_TEST(asio_threads, several_threads_can_run_a_context_one_after_another) {
    auto& context = this->context();
    typename TestFixture::timer_type timer(context);
    int fired = 0;
    const auto round = [&] {
        timer.expires_after(1ms);
        timer.async_wait([&](error_code error) { fired += error ? 0 : 1; });
        context.restart();
        context.run();
    };
    round();
    for (int i = 0; i < 2; ++i) std::thread(round).join();
    round();
    EXPECT_EQ(fired, 4);
}

TYPED_TEST(asio_threads, pending_operations_complete_although_the_thread_that_ran_the_context_has_ended) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    typename TestFixture::timer_type timer(context, 1h);
    std::array<char, 4> got{};
    std::size_t bytes = 0;
    int accepted = 0, cancelled = 0;
    one.async_read_some(net::buffer(got), [&](error_code, std::size_t count) { bytes = count; });
    acceptor.async_accept([&](error_code error, auto) { accepted += error ? 0 : 1; });
    timer.async_wait([&](error_code error) { cancelled += error ? 1 : 0; });
    for (int i = 0; i < 3; ++i) {
        net::post(context, [&] { context.stop(); });
        std::thread([&] { context.run(); }).join();
        context.restart();
    }
    EXPECT_EQ(bytes, 0U);
    net::write(other, net::buffer("abcd", 4));
    typename TestFixture::tcp_socket client(context);
    client.connect(acceptor.local_endpoint());
    timer.cancel();
    std::thread([&] { context.run(); }).join();
    EXPECT_EQ(std::string(got.data(), bytes), "abcd");
    EXPECT_EQ(accepted, 1);
    EXPECT_EQ(cancelled, 1);
}

/// Runs one handler. On io_uring, this run needs a descriptor, and must say so.
template <class context_type>
void run_one_although_no_descriptor_is_left(context_type& context) {
    net::post(context, [] {});
    try {
        EXPECT_EQ(context.run_one(), 1U);
    } catch (const std::system_error& refused) {
        EXPECT_EQ(refused.code().value(), EMFILE) << refused.what();
    }
}

TYPED_TEST(asio_threads, a_run_that_fails_for_lack_of_descriptors_can_be_repeated_later) {
    auto& context = this->context();
    typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    typename TestFixture::tcp_socket client(context, net::ip::tcp::v4());
    int accepted = 0;
    acceptor.async_accept([&](error_code error, auto) { accepted += error ? 0 : 1; });
    std::promise<void> has_run, over;
    std::thread first([&] {
        context.poll();
        has_run.set_value();
        over.get_future().wait();
    });
    has_run.get_future().wait();
    {
        const loop::test::descriptor_limit limit;
        limit.use_up();
        for (int i = 0; i < 2; ++i) run_one_although_no_descriptor_is_left(context);
    }
    client.connect(acceptor.local_endpoint());
    context.run();
    EXPECT_EQ(accepted, 1);
    over.set_value();
    first.join();
}

TYPED_TEST(asio_threads, a_context_can_be_destroyed_after_a_run_that_failed_for_lack_of_descriptors) {
    auto& context = this->context();
    const net::ip::tcp::endpoint any(net::ip::address_v4::loopback(), 0);
    auto acceptor = std::make_shared<typename TestFixture::tcp_acceptor>(context, any);
    const std::weak_ptr observed = acceptor;
    observed.lock()->async_accept([owned = std::move(acceptor)](error_code, auto) {});
    std::thread([&] { context.poll(); }).join();
    const loop::test::descriptor_limit limit;
    limit.use_up();
    for (int i = 0; i < 2; ++i) run_one_although_no_descriptor_is_left(context);
    this->destroy_context();
    EXPECT_TRUE(observed.expired()) << "the handler must be destroyed";
}

TYPED_TEST(asio_threads, every_handler_runs_exactly_once_although_several_threads_run_the_context) {
    auto& context = this->context();
    constexpr int handlers = 3000;
    std::vector<std::atomic<int>> ran(handlers);
    auto guard = net::make_work_guard(context);
    std::vector<std::thread> all;
    for (int i = 0; i < 3; ++i) all.emplace_back([&] { context.run(); });
    for (auto& each : ran) net::post(context, [&each] { ++each; });
    guard.reset();
    for (auto& thread : all) thread.join();
    EXPECT_TRUE(std::ranges::all_of(ran, [](const auto& times) { return times == 1; }));
    EXPECT_TRUE(context.stopped());
}

TYPED_TEST(asio_threads, handlers_of_a_strand_run_in_order_and_one_at_a_time) {
    auto& context = this->context();
    auto strand = net::make_strand(context.get_executor());
    std::vector<int> ran;  // needs no lock, because the strand protects it
    constexpr int handlers = 2000;
    for (int i = 0; i < handlers; ++i) net::post(strand, [&ran, i] { ran.push_back(i); });
    std::vector<std::thread> all;
    for (int i = 0; i < 2; ++i) all.emplace_back([&] { context.run(); });
    for (auto& thread : all) thread.join();
    ASSERT_EQ(ran.size(), static_cast<std::size_t>(handlers));
    EXPECT_TRUE(std::ranges::is_sorted(ran));
}

template <class context_type>
class running_elsewhere {
public:
    explicit running_elsewhere(context_type& context)
        : guard_(net::make_work_guard(context)), thread_([&context] { context.run(); }) {}
    running_elsewhere& operator=(running_elsewhere&&) = delete;
    ~running_elsewhere() {
        guard_.reset();
        thread_.join();
    }

private:
    net::executor_work_guard<typename context_type::executor_type> guard_;
    std::thread thread_;
};

TYPED_TEST(asio_threads, another_thread_can_start_operations_on_a_running_context) {
    auto& context = this->context();
    const running_elsewhere running(context);
    typename TestFixture::timer_type late(context, 1h);
    late.async_wait([](error_code) {});
    for (int i = 0; i < 100; ++i) {
        auto [one, other] = this->connection();
        std::array<char, 4> got{};
        std::promise<std::string> read;
        std::promise<error_code> fired;
        one.async_read_some(net::buffer(got), [&](error_code, std::size_t count) {
            read.set_value(std::string(got.data(), count));
        });
        typename TestFixture::timer_type timer(context, 0ms);
        timer.async_wait([&](error_code error) { fired.set_value(error); });
        net::async_write(other, net::buffer("abcd", 4),
                         [](error_code error, std::size_t) { EXPECT_FALSE(error) << error.message(); });
        EXPECT_EQ(read.get_future().get(), "abcd");
        EXPECT_FALSE(fired.get_future().get());
    }
    late.cancel();
}

TYPED_TEST(asio_threads, another_thread_can_emit_a_cancellation_signal_while_the_timer_expires) {
    auto& context = this->context();
    const running_elsewhere running(context);
    for (int i = 0; i < 2000; ++i) {
        net::cancellation_signal signal;
        std::atomic<int> ended = 0;
        typename TestFixture::timer_type timer(context, std::chrono::microseconds(i % 60));
        timer.async_wait(net::bind_cancellation_slot(signal.slot(), [&](error_code) { ++ended; }));
        for (int spent = 0; spent < i * 7 % 900; ++spent) static_cast<void>(ended.load());
        signal.emit(net::cancellation_type::total);
        while (ended == 0) std::this_thread::yield();
        ASSERT_EQ(ended, 1);
    }
}

TYPED_TEST(asio_threads, another_thread_can_end_pending_operations_by_cancelling_or_closing_their_socket) {
    auto& context = this->context();
    const running_elsewhere running(context);
    for (int i = 0; i < 100; ++i) {
        auto [one, other] = this->connection();
        typename TestFixture::timer_type timer(context, 1h);
        std::array<char, 4> got{};
        std::promise<error_code> read, waited;
        one.async_read_some(net::buffer(got), [&](error_code error, std::size_t) { read.set_value(error); });
        timer.async_wait([&](error_code error) { waited.set_value(error); });
        i % 2 == 0 ? one.cancel() : one.close();
        EXPECT_EQ(timer.cancel(), 1U);
        EXPECT_EQ(read.get_future().get(), net::error::operation_aborted);
        EXPECT_EQ(waited.get_future().get(), net::error::operation_aborted);
    }
}

TYPED_TEST(asio_threads, another_thread_can_close_a_descriptor_and_reuse_its_number) {
    auto& context = this->context();
    const running_elsewhere running(context);
    for (int i = 0; i < 100; ++i) {
        auto [one, other] = this->connection();
        std::array<char, 8> got{};
        std::promise<error_code> ended;
        one.async_read_some(net::buffer(got), [&](error_code error, std::size_t) { ended.set_value(error); });
        one.close();
        EXPECT_EQ(ended.get_future().get(), net::error::operation_aborted);
        auto [next, peer] = this->connection();  // `next` usually gets the descriptor number of `one`
        std::promise<std::string> read;
        next.async_read_some(net::buffer(got), [&](error_code, std::size_t count) {
            read.set_value(std::string(got.data(), count));
        });
        peer.send(net::buffer("next", 4));
        EXPECT_EQ(read.get_future().get(), "next");
    }
}

TYPED_TEST(asio_threads, a_socket_can_be_closed_after_its_context_has_stopped_running) {
    auto& context = this->context();
    typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
    auto [one, other] = this->connection();
    typename TestFixture::timer_type timer(context, 1ms);
    timer.async_wait([&](error_code) { context.stop(); });
    std::array<char, 4> got{};
    error_code aborted;
    one.async_read_some(net::buffer(got), [&](error_code error, std::size_t) { aborted = error; });
    std::thread([&] { context.run(); }).join();
    const auto address = acceptor.local_endpoint();
    acceptor.close();
    EXPECT_NO_THROW(typename TestFixture::tcp_acceptor(context, address))
        << "the port of the closed acceptor must be free";
    one.close();
    error_code end;
    other.read_some(net::buffer(got), end);
    EXPECT_EQ(end, net::error::eof) << "the peer of the closed socket must receive the end of the stream";
    context.restart();
    context.run();
    EXPECT_EQ(aborted, net::error::operation_aborted);
}

TYPED_TEST(asio_threads, a_port_is_free_after_the_thread_that_ran_its_acceptor_has_ended) {
    const auto run_until_stopped = [](auto& context, int how) {
        std::thread running([&] {
            if (how == 0) context.run();
            while (!context.stopped()) how == 1 ? context.poll() : context.run_one();
        });
        net::post(context, [&] { net::post(context, [&] { context.stop(); }); });
        running.join();
    };
    for (int i = 0; i < 30; ++i) {
        auto& context = this->context();
        context.restart();
        typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
        const auto address = acceptor.local_endpoint();
        acceptor.async_accept([](error_code, auto) {});
        run_until_stopped(context, i % 3);
        acceptor.close();
        error_code refused;
        typename TestFixture::tcp_acceptor again(context, address.protocol());
        again.set_option(net::socket_base::reuse_address(true));
        again.bind(address, refused);
        ASSERT_FALSE(refused) << "attempt " << i << ": " << refused.message();
    }
}

TYPED_TEST(asio_threads, a_port_is_free_when_another_thread_has_closed_its_acceptor) {
    auto& context = this->context();
    const running_elsewhere running(context);
    for (int i = 0; i < 50; ++i) {
        typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
        const auto address = acceptor.local_endpoint();
        typename TestFixture::timer_type timer(context);
        std::promise<void> waits;
        net::post(context, [&] {
            acceptor.async_accept([](error_code, auto) {});
            timer.expires_after(1ms);  // when it expires, the kernel has the accept
            timer.async_wait([&](error_code) { waits.set_value(); });
        });
        waits.get_future().wait();
        acceptor.close();
        error_code refused;
        typename TestFixture::tcp_acceptor again(context, address.protocol());
        again.set_option(net::socket_base::reuse_address(true));
        again.bind(address, refused);
        ASSERT_FALSE(refused) << "attempt " << i << ": " << refused.message();
    }
}

TYPED_TEST(asio_threads, a_read_of_a_released_socket_takes_no_bytes_of_the_next_file_with_its_number) {
    auto& context = this->context();
    const running_elsewhere running(context);
    typename TestFixture::unix_stream one(context), other(context);
    net::local::connect_pair(one, other);
    std::array<char, 8> got{};
    std::promise<void> has_waited, has_begun, is_released;
    typename TestFixture::timer_type timer(context, 1ms);
    timer.async_wait([&](error_code) { has_waited.set_value(); });
    has_waited.get_future().wait();  // from now on, the loop has a ring
    std::promise<error_code> ended;
    net::post(context, [&] {
        one.async_read_some(net::buffer(got), [&](error_code error, std::size_t) { ended.set_value(error); });
        has_begun.set_value();
        is_released.get_future().wait();
    });
    has_begun.get_future().wait();
    const int number = one.release();
    ::close(number);
    typename TestFixture::unix_stream next(context), peer(context);
    net::local::connect_pair(next, peer);
    EXPECT_EQ(next.native_handle(), number);
    peer.send(net::buffer("secret", 6));
    is_released.set_value();
    EXPECT_EQ(ended.get_future().get(), net::error::operation_aborted);
    EXPECT_EQ(next.available(), 6U);
}

TYPED_TEST(asio_threads, a_lingering_close_does_not_stop_the_context) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    one.non_blocking(true);
    const std::vector<char> much(1 << 20);
    for (error_code full; !full;) one.write_some(net::buffer(much), full);
    one.set_option(net::socket_base::linger(true, 1));
    typename TestFixture::timer_type timer(context);
    std::atomic<int> ticks = 0;
    std::function<void(error_code)> tick = [&](error_code) {
        ++ticks;
        timer.expires_after(1ms);
        timer.async_wait(tick);
    };
    net::post(context, [&] { tick({}); });
    std::thread running([&] { context.run(); });
    while (ticks == 0) std::this_thread::yield();
    const int before = ticks;
    // The call takes one second, because `other` receives nothing. It has its own thread, because the end of
    // an earlier ring interrupts system calls of the thread that has used it.
    std::thread([&] { one.close(); }).join();
    const int meanwhile = ticks - before;
    context.stop();
    running.join();
    EXPECT_GT(meanwhile, 5);
}

TYPED_TEST(asio_threads, a_socket_can_be_closed_just_before_its_context_stops_running) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    typename TestFixture::timer_type timer(context, 1ms);
    std::promise<void> begun, closed;
    timer.async_wait([&](error_code) {
        begun.set_value();
        closed.get_future().wait();
        context.stop();
    });
    std::thread running([&] { context.run(); });
    begun.get_future().wait();
    one.close();
    closed.set_value();
    running.join();
    std::array<char, 4> got{};
    error_code end;
    other.read_some(net::buffer(got), end);
    EXPECT_EQ(end, net::error::eof);
}

}  // namespace

}  // namespace loopbench::tests
