// Tests the destruction of a context with pending operations: no handler runs, and all handlers are
// destroyed, even if their destructors post, start or close operations.
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect_pipe.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <memory>
#include <utility>
#include <vector>

#include "tests/asio_compat/kits.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

template <class kit>
using asio_end = with_context<kit>;
TYPED_TEST_SUITE(asio_end, kits, kit_names);

using counter = std::shared_ptr<int>;

struct counts {
    counter ran;
    template <class... Results>
    void operator()(const Results&...) const {
        ++*ran;
    }
};

template <class Last>
struct when_it_dies {
    counter ran;
    Last last;
    bool is_moved_from = false;
    when_it_dies(counter what, Last at_last) : ran(std::move(what)), last(std::move(at_last)) {}
    when_it_dies(when_it_dies&& other) noexcept
        : ran(other.ran), last(other.last), is_moved_from(std::exchange(other.is_moved_from, true)) {}
    when_it_dies& operator=(when_it_dies&&) = delete;
    ~when_it_dies() {
        if (!std::exchange(is_moved_from, true)) last();
    }
    template <class... Results>
    void operator()(const Results&...) const {
        ++*ran;
    }
};

TYPED_TEST(asio_end, destroying_the_context_releases_pending_operations_of_every_kind) {
    using executor_type = typename TestFixture::executor;
    const counter ran = std::make_shared<int>(0);
    const counts handler{ran};
    {
        auto& context = this->context();
        std::array<char, 1> byte{};
        net::ip::udp::endpoint from;
        const net::ip::udp::endpoint any(net::ip::address_v4::loopback(), 0);
        typename TestFixture::timer_type timer(context, 1h);
        timer.async_wait(handler);
        timer.async_wait(handler);
        auto [one, other] = this->connection();
        one.async_read_some(net::buffer(byte), handler);
        one.async_wait(TestFixture::tcp_socket::wait_error, handler);
        const std::vector<char> much(8 << 20);
        net::async_write(other, net::buffer(much), handler);
        typename TestFixture::tcp_acceptor acceptor(context, {net::ip::address_v4::loopback(), 0});
        acceptor.async_accept(handler);
        typename TestFixture::udp_socket datagrams(context, any);
        datagrams.async_receive_from(net::buffer(byte), from, handler);
        net::basic_signal_set<executor_type> signals(context, SIGUSR2);
        signals.async_wait(handler);
        net::ip::basic_resolver<net::ip::tcp, executor_type> resolver(context);
        resolver.async_resolve("127.0.0.1", "80", handler);
        net::basic_readable_pipe<executor_type> pipe(context);
        net::basic_writable_pipe<executor_type> full(context);
        net::connect_pipe(pipe, full);
        pipe.async_read_some(net::buffer(byte), handler);
        net::posix::basic_stream_descriptor<executor_type> copy(context, ::dup(pipe.native_handle()));
        copy.async_wait(net::posix::descriptor_base::wait_read, handler);
        net::experimental::channel<executor_type, void(error_code, int)> channel(context, 0);
        channel.async_send(error_code(), 1, handler);
        channel.async_receive(handler);
        const auto strand = net::make_strand(context.get_executor());
        net::post(strand, handler);
        net::post(context, handler);
        const auto waits = [](auto& object, counts kept) -> net::awaitable<void, executor_type> {
            co_await object.async_wait(net::use_awaitable_t<executor_type>());
            kept();
        };
        net::co_spawn(context, waits(timer, handler), net::detached);
        EXPECT_GE(ran.use_count(), 18);
    }
    this->destroy_context();
    EXPECT_EQ(*ran, 0) << "no handler must run";
    EXPECT_EQ(ran.use_count(), 2) << "all handlers must be destroyed";
}

TYPED_TEST(asio_end, destructors_of_handlers_can_post_handlers_start_operations_and_close_sockets) {
    const counter ran = std::make_shared<int>(0);
    {
        auto& context = this->context();
        std::array<char, 1> byte{};
        auto [one, other] = this->connection();
        // After this block, only the handlers own these objects, so destroying the handlers destroys them.
        const auto timer = std::make_shared<typename TestFixture::timer_type>(context, 1h);
        const auto here = std::make_shared<typename TestFixture::tcp_socket>(std::move(one));
        const auto there = std::make_shared<typename TestFixture::tcp_socket>(std::move(other));
        const auto posts = [&context, ran] { net::post(context, counts{ran}); };
        const auto starts = [timer, ran] { timer->async_wait(counts{ran}); };
        const auto reads = [here, ran, data = std::make_shared<char>()] {
            here->async_read_some(net::buffer(data.get(), 1), counts{ran});
        };
        const auto closes = [there] { there->close(); };
        const auto cancels = [timer, here] {
            timer->cancel();
            here->cancel();
        };
        timer->async_wait(when_it_dies(ran, posts));
        timer->async_wait(when_it_dies(ran, starts));
        there->async_read_some(net::buffer(byte), when_it_dies(ran, reads));
        here->async_read_some(net::buffer(byte), when_it_dies(ran, closes));
        net::post(context, when_it_dies(ran, posts));
        net::post(context, when_it_dies(ran, starts));
        net::post(context, when_it_dies(ran, closes));
        net::post(context, when_it_dies(ran, cancels));
        net::post(context, when_it_dies(ran, reads));
        context.get_executor().on_work_started();
    }
    this->destroy_context();
    EXPECT_EQ(*ran, 0) << "no handler must run";
    EXPECT_EQ(ran.use_count(), 1) << "all handlers must be destroyed";
}

TYPED_TEST(asio_end, destroying_the_context_destroys_suspended_coroutines_and_their_variables) {
    using executor_type = typename TestFixture::executor;
    const counter ran = std::make_shared<int>(0);
    auto [one, other] = this->connection();
    std::array<char, 1> byte{};
    const auto owner = [](typename TestFixture::tcp_socket mine,
                          counts kept) -> net::awaitable<void, executor_type> {
        std::array<char, 1> here{};
        co_await mine.async_read_some(net::buffer(here), net::use_awaitable_t<executor_type>());
        kept();
    };
    net::co_spawn(this->context(), owner(std::move(one), counts{ran}), net::detached);
    this->context().poll();
    EXPECT_EQ(ran.use_count(), 2);
    const int descriptor = other.release();
    this->destroy_context();
    EXPECT_EQ(ran.use_count(), 1);
    EXPECT_EQ(::read(descriptor, byte.data(), 1), 0) << "the socket in the coroutine must be closed";
    ::close(descriptor);
}

}  // namespace

}  // namespace loopbench::tests
