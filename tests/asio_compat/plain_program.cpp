// The Boost.Asio program is built twice: unchanged, and with <loopbench/asio/dropin.hpp>. It prints whether
// Asio's own scheduler was created.
#if defined(ECHO)
#error "dropin.hpp includes <termios.h>; the macros of this header change programs that do not include it"
#endif
#include <array>
#include <boost/asio.hpp>
#include <cstdio>
#include <exception>
#include <string>

namespace {

using boost::asio::ip::tcp;

boost::asio::awaitable<void> echo(tcp::socket client) {
    std::array<char, 1024> data{};
    try {
        for (;;) {
            const auto bytes =
                co_await client.async_read_some(boost::asio::buffer(data), boost::asio::use_awaitable);
            co_await boost::asio::async_write(client, boost::asio::buffer(data, bytes),
                                              boost::asio::use_awaitable);
        }
    } catch (const boost::system::system_error& ended) {
        if (ended.code() != boost::asio::error::eof) throw;
    }
}

boost::asio::awaitable<void> serve(tcp::acceptor& acceptor) {
    auto client = co_await acceptor.async_accept(boost::asio::use_awaitable);
    boost::asio::co_spawn(acceptor.get_executor(), echo(std::move(client)), boost::asio::detached);
}

boost::asio::awaitable<std::string> ask(tcp::endpoint server) {
    auto socket =
        boost::asio::use_awaitable.as_default_on(tcp::socket(co_await boost::asio::this_coro::executor));
    co_await socket.async_connect(server);
    co_await boost::asio::async_write(socket, boost::asio::buffer("over the loop", 13));
    std::string answer(13, ' ');
    co_await boost::asio::async_read(socket, boost::asio::buffer(answer));
    co_return answer;
}

}  // namespace

int main() {
    boost::asio::io_context context;
    tcp::acceptor acceptor(context, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    using stranded = boost::asio::strand<boost::asio::any_io_executor>;
    boost::asio::steady_timer::rebind_executor<stranded>::other limit(
        boost::asio::make_strand(boost::asio::any_io_executor(context.get_executor())),
        std::chrono::minutes(1));
    std::string answer;
    limit.async_wait([&](boost::system::error_code error) {
        if (!error) context.stop();
    });
    boost::asio::co_spawn(context, serve(acceptor), boost::asio::detached);
    boost::asio::co_spawn(context, ask(acceptor.local_endpoint()),
                          [&](const std::exception_ptr& failure, const std::string& said) {
                              if (!failure) answer = said;
                              limit.cancel();
                          });
    context.run();
    const bool is_stock = boost::asio::has_service<boost::asio::detail::scheduler>(context);
    std::printf("%s, in %s\n", answer.c_str(), is_stock ? "Asio's scheduler" : "another loop");
    return answer == "over the loop" ? 0 : 1;
}
