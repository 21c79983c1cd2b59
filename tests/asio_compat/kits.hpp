// The contexts under test are Boost.Asio's own context, and this project's context on each of its two loops.
// Boost.Asio is the reference: a test that fails on it is wrong.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <loopbench/asio.hpp>
#include <memory>
#include <string>

#include "loop/io/drivers.hpp"

namespace loopbench::tests {

namespace net = boost::asio;

struct stock {
    using context = net::io_context;
    static std::unique_ptr<context> make() { return std::make_unique<context>(); }
    static std::string why_not() {
#if defined(BOOST_ASIO_HAS_FILE)
        return loop::io_uring_refusal();  // Asio's own files need io_uring
#else
        return {};
#endif
    }
};

template <asio::design chosen>
struct on_our_loop {
    using context = asio::io_context;
    static std::unique_ptr<context> make() {
        // Some tests call cancel(). The others must test the reads of programs that do not.
        asio::detail::program_cancels = false;
        return std::make_unique<context>(chosen);
    }
    static std::string why_not() {
        return chosen == asio::design::io_uring ? loop::io_uring_refusal() : std::string{};
    }
};
using on_epoll = on_our_loop<asio::design::epoll>;
using on_uring = on_our_loop<asio::design::io_uring>;

using kits = ::testing::Types<stock, on_epoll, on_uring>;
using our_kits = ::testing::Types<on_epoll, on_uring>;

struct kit_names {
    template <class kit>
    static std::string GetName(int) {
        if (std::same_as<kit, stock>) return "stock";
        return std::same_as<kit, on_epoll> ? "epoll" : "io_uring";
    }
};

template <class kit>
class with_context : public ::testing::Test {
protected:
    using context_type = typename kit::context;
    using executor = typename context_type::executor_type;
    using timer_type = net::basic_waitable_timer<std::chrono::steady_clock,
                                                 net::wait_traits<std::chrono::steady_clock>, executor>;
    using tcp_socket = net::basic_stream_socket<net::ip::tcp, executor>;
    using tcp_acceptor = net::basic_socket_acceptor<net::ip::tcp, executor>;
    using udp_socket = net::basic_datagram_socket<net::ip::udp, executor>;
    using unix_stream = net::basic_stream_socket<net::local::stream_protocol, executor>;
    using unix_datagram = net::basic_datagram_socket<net::local::datagram_protocol, executor>;

    void SetUp() override {
        if (const auto why = kit::why_not(); !why.empty()) GTEST_SKIP() << why;
        make_context();
    }

    context_type& context() { return *made_; }
    void make_context() { made_ = kit::make(); }
    void destroy_context() { made_.reset(); }

    std::pair<tcp_socket, tcp_socket> connection() {
        tcp_acceptor acceptor(context(), {net::ip::address_v4::loopback(), 0});
        std::pair<tcp_socket, tcp_socket> ends{tcp_socket(context()), tcp_socket(context())};
        ends.first.connect(acceptor.local_endpoint());
        acceptor.accept(ends.second);
        return ends;
    }

private:
    std::unique_ptr<context_type> made_;
};

}  // namespace loopbench::tests
