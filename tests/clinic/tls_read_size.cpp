// How many bytes does a TLS read return at most, if its buffer has room for 256 KiB?
// https://github.com/boostorg/beast/issues/3062
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <vector>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

constexpr std::size_t total = 8 << 20;

/// Returns a context for connections without certificates.
ssl::context anonymous() {
    ssl::context context(ssl::context::tlsv12);
    ::SSL_CTX_set_cipher_list(context.native_handle(), "ADH-AES128-GCM-SHA256:@SECLEVEL=0");
    ::SSL_CTX_set_dh_auto(context.native_handle(), 1);
    return context;
}

clinic::verdict check() {
    boost::asio::io_context context(1);
    auto [one, other] = clinic::connection(context);
    ssl::context tls = anonymous();
    ssl::stream<boost::asio::ip::tcp::socket> client(std::move(one), tls), server(std::move(other), tls);
    const std::vector<char> sent(total);
    std::vector<char> buffer(256 << 10);
    std::size_t received = 0, largest = 0;
    std::function<void()> read = [&] {
        client.async_read_some(boost::asio::buffer(buffer), [&](error_code error, std::size_t bytes) {
            received += bytes;
            largest = std::max(largest, bytes);
            clinic::passed();
            if (!error && received < total) read();
        });
    };
    client.async_handshake(ssl::stream_base::client, [&](error_code error) {
        if (error) throw boost::system::system_error(error);
        read();
    });
    server.async_handshake(ssl::stream_base::server, [&](error_code error) {
        if (error) throw boost::system::system_error(error);
        boost::asio::async_write(server, boost::asio::buffer(sent), [](error_code, std::size_t) {});
    });
    context.run();
    if (received != total) return clinic::wrong("%zu of %zu bytes arrived", received, total);
    return clinic::measured(static_cast<double>(largest) / 1024, "KiB");
}

}  // namespace

int main() {
    return clinic::judge(check);
}
