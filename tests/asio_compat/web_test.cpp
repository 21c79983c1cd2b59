// Tests TLS, and Beast's HTTP and WebSocket with their time limits. The program is built twice: unchanged,
// and with <loopbench/asio/dropin.hpp>. All tests use one stream type, because each type lengthens the
// compilation.
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
using boost::system::error_code;
using net::ip::tcp;

/// A stream that writes only the first of several buffers, which a stream may do. If it wrote all buffers,
/// the compiler would compile the TLS stream for each of Beast's eight types of buffer sequences.
class tls_stream : public net::ssl::stream<beast::tcp_stream> {
public:
    using stream::stream;

    template <class buffers, class token>
    auto async_write_some(const buffers& several, token&& done) {
        net::const_buffer first;
        for (const net::const_buffer each : beast::buffers_range_ref(several)) {
            first = each;
            if (first.size() > 0) break;
        }
        return stream::async_write_some(first, std::forward<token>(done));
    }
};

template <class handler>
void async_teardown(beast::role_type role, tls_stream& ends, handler&& done) {
    net::ssl::stream<beast::tcp_stream>& tls = ends;
    beast::async_teardown(role, tls, std::forward<handler>(done));
}

using secure_websocket = websocket::stream<tls_stream, /*deflateSupported=*/false>;

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
            throw std::runtime_error("cannot sign the certificate");
    }

    net::ssl::context of_server() const {
        net::ssl::context context(net::ssl::context::tls_server);
        ::SSL_CTX_use_certificate(context.native_handle(), certificate_.get());
        ::SSL_CTX_use_PrivateKey(context.native_handle(), key_.get());
        // An unread session ticket would make the client's close() reset the connection.
        ::SSL_CTX_set_num_tickets(context.native_handle(), 0);
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

class web : public testing::Test {
protected:
    web() : web(identity()) {}
    explicit web(const identity& known) : of_server_(known.of_server()), of_client_(known.of_client()) {
        tcp::acceptor acceptor(context_, {net::ip::address_v4::loopback(), 0});
        client.next_layer().socket().connect(acceptor.local_endpoint());
        acceptor.accept(server.next_layer().socket());
        limit_.async_wait([this](error_code error) {
            if (error) return;
            ADD_FAILURE() << "the conversation did not end in time";
            context_.stop();
        });
    }

    void run(net::awaitable<void> serve, net::awaitable<void> ask) {
        int running = 2;
        for (auto* each : {&serve, &ask})
            net::co_spawn(context_, std::move(*each), [&](std::exception_ptr failure) {
                if (failure) std::rethrow_exception(failure);
                if (--running == 0) context_.stop();
            });
        ASSERT_NO_THROW(context_.run());
        EXPECT_EQ(running, 0);
        EXPECT_EQ(net::has_service<net::detail::scheduler>(context_), LOOPBENCH_IS_STOCK != 0)
            << "the program must run on the context for which it is built";
    }

private:
    net::io_context context_{1};
    net::steady_timer limit_{context_, 1min};

    net::ssl::context of_server_, of_client_;

protected:
    tls_stream server{net::make_strand(context_), of_server_};
    tls_stream client{net::make_strand(context_), of_client_};
};

const std::string megabyte(1 << 20, 'm');

/// Awaits the operation and returns its error. All operations use the same completion token, because the
/// compiler compiles an operation once for each token.
template <class result>
net::awaitable<error_code> error_of(net::awaitable<result> operation) {
    try {
        co_await std::move(operation);
    } catch (const boost::system::system_error& error) {
        co_return error.code();
    }
    co_return error_code{};
}

net::awaitable<void> shake_hands(tls_stream& stream, net::ssl::stream_base::handshake_type as) {
    stream.next_layer().expires_after(1min);
    co_await stream.async_handshake(as, net::use_awaitable);
}

net::awaitable<error_code> how_it_ends(tls_stream& stream) {
    char more = 0;
    co_return co_await error_of(net::async_read(stream, net::buffer(&more, 1), net::use_awaitable));
}

net::awaitable<void> wait_for_the_end(tls_stream& stream) {
    EXPECT_EQ(co_await how_it_ends(stream), net::error::eof);
    co_await stream.async_shutdown(net::use_awaitable);
}

net::awaitable<void> send_back(tls_stream& stream) {
    co_await shake_hands(stream, net::ssl::stream_base::server);
    std::string got(megabyte.size(), ' ');
    co_await net::async_read(stream, net::buffer(got), net::use_awaitable);
    co_await net::async_write(stream, net::buffer(std::as_const(got)), net::use_awaitable);
    co_await wait_for_the_end(stream);
}

net::awaitable<void> send_and_compare(tls_stream& stream) {
    co_await shake_hands(stream, net::ssl::stream_base::client);
    std::string got(megabyte.size(), ' ');
    co_await net::async_write(stream, net::buffer(megabyte), net::use_awaitable);
    co_await net::async_read(stream, net::buffer(got), net::use_awaitable);
    EXPECT_TRUE(got == megabyte);
    co_await stream.async_shutdown(net::use_awaitable);
}

TEST_F(web, tls_sends_a_megabyte_in_both_directions_and_shuts_down_cleanly) {
    run(send_back(server), send_and_compare(client));
}

using request_type = http::request<http::string_body>;
using response_type = http::response<http::string_body>;

net::awaitable<void> answer_requests(tls_stream& stream) {
    co_await shake_hands(stream, net::ssl::stream_base::server);
    beast::flat_buffer buffer;
    for (bool continues = true; continues;) {
        request_type request;
        stream.next_layer().expires_after(1min);
        co_await http::async_read(stream, buffer, request, net::use_awaitable);
        response_type response(http::status::ok, request.version());
        response.body() = std::string(request.target()) + " " + request.body();
        response.chunked(true);  // makes Beast write several buffers
        co_await http::async_write(stream, response, net::use_awaitable);
        continues = request.keep_alive();
    }
    co_await wait_for_the_end(stream);
}

net::awaitable<void> make_requests(tls_stream& stream) {
    co_await shake_hands(stream, net::ssl::stream_base::client);
    beast::flat_buffer buffer;
    for (const std::string_view target : {"/first", "/second"}) {
        request_type request(http::verb::post, target, 11);
        request.keep_alive(target == "/first");
        request.body() = megabyte;
        request.prepare_payload();
        stream.next_layer().expires_after(1min);
        co_await http::async_write(stream, request, net::use_awaitable);
        response_type response;
        co_await http::async_read(stream, buffer, response, net::use_awaitable);
        EXPECT_EQ(response.result(), http::status::ok);
        EXPECT_TRUE(response.body() == std::string(target) + " " + megabyte);
    }
    co_await stream.async_shutdown(net::use_awaitable);
}

TEST_F(web, an_https_server_answers_two_requests_on_one_connection) {
    run(answer_requests(server), make_requests(client));
}

net::awaitable<void> say_nothing(tls_stream& stream) {
    co_await shake_hands(stream, net::ssl::stream_base::server);
    EXPECT_EQ(co_await how_it_ends(stream), net::ssl::error::stream_truncated);
}

net::awaitable<void> give_up(tls_stream& stream) {
    co_await shake_hands(stream, net::ssl::stream_base::client);
    beast::flat_buffer buffer;
    response_type none;
    stream.next_layer().expires_after(10ms);
    EXPECT_EQ(co_await error_of(http::async_read(stream, buffer, none, net::use_awaitable)),
              beast::error::timeout);
    EXPECT_FALSE(stream.next_layer().socket().is_open());
}

TEST_F(web, an_http_read_from_a_silent_peer_ends_at_its_time_limit) {
    run(say_nothing(server), give_up(client));
}

net::awaitable<void> send_messages_back(secure_websocket& stream) {
    co_await shake_hands(stream.next_layer(), net::ssl::stream_base::server);
    stream.next_layer().next_layer().expires_never();
    stream.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    co_await stream.async_accept(net::use_awaitable);
    for (;;) {
        beast::flat_buffer buffer;
        const error_code error = co_await error_of(stream.async_read(buffer, net::use_awaitable));
        if (error == websocket::error::closed) co_return;
        if (error == net::ssl::error::stream_truncated) co_return;
        if (error) throw beast::system_error(error);
        stream.text(stream.got_text());
        co_await stream.async_write(buffer.data(), net::use_awaitable);
    }
}

net::awaitable<void> send_messages(secure_websocket& stream) {
    co_await shake_hands(stream.next_layer(), net::ssl::stream_base::client);
    stream.next_layer().next_layer().expires_never();
    stream.set_option(websocket::stream_base::timeout::suggested(beast::role_type::client));
    co_await stream.async_handshake("localhost", "/", net::use_awaitable);
    for (const std::string& message : {std::string("short"), std::string(), megabyte}) {
        co_await stream.async_ping("still there?", net::use_awaitable);
        co_await stream.async_write(net::const_buffer(net::buffer(message)), net::use_awaitable);
        beast::flat_buffer buffer;
        co_await stream.async_read(buffer, net::use_awaitable);
        EXPECT_TRUE(beast::buffers_to_string(buffer.data()) == message);
    }
    co_await stream.async_close(websocket::close_code::normal, net::use_awaitable);
}

TEST_F(web, a_websocket_server_over_tls_sends_each_message_back) {
    secure_websocket here(std::move(server)), there(std::move(client));
    run(send_messages_back(here), send_messages(there));
}

net::awaitable<void> listen_in_vain(secure_websocket& stream) {
    co_await shake_hands(stream.next_layer(), net::ssl::stream_base::client);
    stream.next_layer().next_layer().expires_never();
    co_await stream.async_handshake("localhost", "/", net::use_awaitable);
    stream.set_option(websocket::stream_base::timeout{1min, 10ms, /*keep_alive_pings=*/false});
    beast::flat_buffer buffer;
    EXPECT_EQ(co_await error_of(stream.async_read(buffer, net::use_awaitable)), beast::error::timeout);
    EXPECT_FALSE(stream.next_layer().next_layer().socket().is_open());
}

TEST_F(web, a_websocket_read_from_a_silent_peer_ends_at_its_time_limit) {
    secure_websocket here(std::move(server)), there(std::move(client));
    run(send_messages_back(here), listen_in_vain(there));
}

}  // namespace

}  // namespace loopbench::tests
