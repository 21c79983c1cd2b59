// What Boost builds on Asio's streams: TLS, and Beast's HTTP and WebSocket with their time limits. Asio programs
// that know nothing of us, built as they are and with <loopbench/asio/dropin.hpp>.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopbench::tests {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using namespace std::chrono_literals;
using net::ip::tcp;
using tls_stream = net::ssl::stream<beast::tcp_stream>;
using boost::system::error_code;

/// A server's and a client's end of a connection, and what runs them.
class web : public testing::Test {
protected:
    web() {
        net::ip::tcp::acceptor acceptor(context_, {net::ip::address_v4::loopback(), 0});
        client.connect(acceptor.local_endpoint());
        acceptor.accept(server);
        limit_.async_wait([this](error_code error) {
            if (error) return;
            ADD_FAILURE() << "it does not end";
            context_.stop();
        });
    }

    /// Runs both to their ends.
    void run(net::awaitable<void> serve, net::awaitable<void> ask) {
        int running = 2;
        for (auto* each : {&serve, &ask})
            net::co_spawn(context_, std::move(*each), [&](std::exception_ptr failure) {
                if (--running == 0 || failure) limit_.cancel();
                if (failure) std::rethrow_exception(failure);
            });
        ASSERT_NO_THROW(context_.run());
        EXPECT_EQ(running, 0);
        EXPECT_EQ(net::has_service<net::detail::scheduler>(context_), LOOPBENCH_IS_STOCK != 0)
            << "who runs it";
    }

private:
    net::io_context context_{1};
    net::steady_timer limit_{context_, 1min};

protected:
    tcp::socket client{context_};
    tcp::socket server{context_};
};

/// A key, and a certificate of its own for "localhost" that a client can be told to trust.
class identity {
public:
    identity() : key_(::EVP_EC_gen("P-256"), ::EVP_PKEY_free), certificate_(::X509_new(), ::X509_free) {
        ::X509_set_version(certificate_.get(), 2);
        ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate_.get()), 1);
        ::X509_gmtime_adj(::X509_getm_notBefore(certificate_.get()), -3600);
        ::X509_gmtime_adj(::X509_getm_notAfter(certificate_.get()), 3600);
        ::X509_set_pubkey(certificate_.get(), key_.get());
        ::X509_NAME* const name = ::X509_get_subject_name(certificate_.get());
        ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                     reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
        ::X509_set_issuer_name(certificate_.get(), name);
        if (::X509_sign(certificate_.get(), key_.get(), ::EVP_sha256()) == 0)
            throw std::runtime_error("the certificate cannot be signed");
    }

    net::ssl::context of_server() const {
        net::ssl::context context(net::ssl::context::tls_server);
        ::SSL_CTX_use_certificate(context.native_handle(), certificate_.get());
        ::SSL_CTX_use_PrivateKey(context.native_handle(), key_.get());
        return context;
    }
    net::ssl::context of_client() const {
        net::ssl::context context(net::ssl::context::tls_client);
        context.set_verify_mode(net::ssl::verify_peer);
        ::X509_STORE_add_cert(::SSL_CTX_get_cert_store(context.native_handle()), certificate_.get());
        return context;
    }

private:
    std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key_;
    std::unique_ptr<X509, decltype(&::X509_free)> certificate_;
};

const std::string megabyte(1 << 20, 'm');

net::awaitable<void> send_back(net::ssl::stream<tcp::socket>& stream) {
    co_await stream.async_handshake(net::ssl::stream_base::server, net::use_awaitable);
    std::string got(megabyte.size(), ' ');
    co_await net::async_read(stream, net::buffer(got), net::use_awaitable);
    co_await net::async_write(stream, net::buffer(got), net::use_awaitable);
    error_code end;
    co_await net::async_read(stream, net::buffer(got, 1), net::redirect_error(net::use_awaitable, end));
    EXPECT_EQ(end, net::error::eof) << "the other side has said that it ends";
    co_await stream.async_shutdown(net::use_awaitable);
}

net::awaitable<void> send_and_compare(net::ssl::stream<tcp::socket>& stream) {
    co_await stream.async_handshake(net::ssl::stream_base::client, net::use_awaitable);
    std::string got(megabyte.size(), ' ');
    co_await net::async_write(stream, net::buffer(megabyte), net::use_awaitable);
    co_await net::async_read(stream, net::buffer(got), net::use_awaitable);
    EXPECT_TRUE(got == megabyte);
    co_await stream.async_shutdown(net::use_awaitable);
}

TEST_F(web, tls_carries_a_megabyte_both_ways_and_ends_in_order) {
    const identity known;
    auto of_server = known.of_server(), of_client = known.of_client();
    net::ssl::stream<tcp::socket> here(std::move(server), of_server), there(std::move(client), of_client);
    run(send_back(here), send_and_compare(there));
}

net::awaitable<void> answer_requests(beast::tcp_stream& stream) {
    beast::flat_buffer buffer;
    for (;;) {
        http::request<http::string_body> request;
        stream.expires_after(1min);
        error_code error;
        co_await http::async_read(stream, buffer, request, net::redirect_error(net::use_awaitable, error));
        if (error == http::error::end_of_stream) break;
        http::response<http::string_body> response(http::status::ok, request.version());
        response.body() = std::string(request.target()) + " " + request.body();
        response.chunked(true);  // several buffers
        co_await http::async_write(stream, response, net::use_awaitable);
    }
    stream.socket().shutdown(tcp::socket::shutdown_send);
}

net::awaitable<void> make_requests(beast::tcp_stream& stream) {
    beast::flat_buffer buffer;
    for (const std::string_view target : {"/first", "/second"}) {
        http::request<http::string_body> request(http::verb::post, target, 11);
        request.body() = megabyte;
        request.prepare_payload();
        stream.expires_after(1min);
        co_await http::async_write(stream, request, net::use_awaitable);
        http::response<http::string_body> response;
        co_await http::async_read(stream, buffer, response, net::use_awaitable);
        EXPECT_EQ(response.result(), http::status::ok);
        EXPECT_TRUE(response.body() == std::string(target) + " " + megabyte);
    }
    stream.socket().shutdown(tcp::socket::shutdown_send);
    error_code end;
    http::response<http::string_body> none;
    co_await http::async_read(stream, buffer, none, net::redirect_error(net::use_awaitable, end));
    EXPECT_EQ(end, http::error::end_of_stream);
}

TEST_F(web, http_answers_one_request_after_the_other) {
    beast::tcp_stream here(std::move(server)), there(std::move(client));
    run(answer_requests(here), make_requests(there));
}

net::awaitable<void> say_nothing(tcp::socket& socket) {
    std::string got(1, ' ');
    error_code end;
    co_await net::async_read(socket, net::buffer(got), net::redirect_error(net::use_awaitable, end));
    EXPECT_EQ(end, net::error::eof) << "the other side has given up";
}

net::awaitable<void> give_up(beast::tcp_stream& stream) {
    beast::flat_buffer buffer;
    http::response<http::string_body> none;
    stream.expires_after(10ms);
    error_code error;
    co_await http::async_read(stream, buffer, none, net::redirect_error(net::use_awaitable, error));
    EXPECT_EQ(error, beast::error::timeout);
    EXPECT_FALSE(stream.socket().is_open());
}

TEST_F(web, http_gives_up_on_who_says_nothing) {
    beast::tcp_stream there(std::move(client));
    run(say_nothing(server), give_up(there));
}

using secure_websocket = websocket::stream<tls_stream>;

net::awaitable<void> send_messages_back(secure_websocket& stream) {
    stream.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    co_await stream.next_layer().async_handshake(net::ssl::stream_base::server, net::use_awaitable);
    co_await stream.async_accept(net::use_awaitable);
    for (;;) {
        beast::flat_buffer buffer;
        error_code error;
        co_await stream.async_read(buffer, net::redirect_error(net::use_awaitable, error));
        if (error == websocket::error::closed) co_return;
        if (error) throw beast::system_error(error);
        stream.text(stream.got_text());
        co_await stream.async_write(buffer.data(), net::use_awaitable);
    }
}

net::awaitable<void> send_messages(secure_websocket& stream) {
    stream.set_option(websocket::stream_base::timeout::suggested(beast::role_type::client));
    co_await stream.next_layer().async_handshake(net::ssl::stream_base::client, net::use_awaitable);
    co_await stream.async_handshake("localhost", "/", net::use_awaitable);
    for (const std::string& message : {std::string("short"), std::string(), megabyte}) {
        co_await stream.async_ping("still there?", net::use_awaitable);
        co_await stream.async_write(net::buffer(message), net::use_awaitable);
        beast::flat_buffer buffer;
        co_await stream.async_read(buffer, net::use_awaitable);
        EXPECT_TRUE(beast::buffers_to_string(buffer.data()) == message);
    }
    co_await stream.async_close(websocket::close_code::normal, net::use_awaitable);
}

TEST_F(web, a_websocket_over_tls_sends_messages_back) {
    const identity known;
    auto of_server = known.of_server(), of_client = known.of_client();
    secure_websocket here(beast::tcp_stream(std::move(server)), of_server);
    secure_websocket there(beast::tcp_stream(std::move(client)), of_client);
    run(send_messages_back(here), send_messages(there));
}

net::awaitable<void> accept_and_say_nothing(websocket::stream<beast::tcp_stream>& stream) {
    co_await stream.async_accept(net::use_awaitable);
    std::string got(1, ' ');
    error_code end;
    co_await net::async_read(stream.next_layer(), net::buffer(got),
                             net::redirect_error(net::use_awaitable, end));
    EXPECT_EQ(end, net::error::eof) << "the other side has given up";
}

net::awaitable<void> listen_in_vain(websocket::stream<beast::tcp_stream>& stream) {
    co_await stream.async_handshake("localhost", "/", net::use_awaitable);
    stream.set_option(websocket::stream_base::timeout{1min, 10ms, /*keep_alive_pings=*/false});
    beast::flat_buffer buffer;
    error_code error;
    co_await stream.async_read(buffer, net::redirect_error(net::use_awaitable, error));
    EXPECT_EQ(error, beast::error::timeout);
    stream.next_layer().close();
}

TEST_F(web, a_websocket_gives_up_on_who_says_nothing) {
    websocket::stream<beast::tcp_stream> here(std::move(server)), there(std::move(client));
    run(accept_and_say_nothing(here), listen_in_vain(there));
}

}  // namespace

}  // namespace loopbench::tests
