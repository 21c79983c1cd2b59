// A program of an Asio user without threads. Ends with 0 if async_resolve() throws because it would need a
// thread, as it does in Asio.
#include <boost/asio.hpp>

int main() {
    boost::asio::io_context context;
    boost::asio::ip::tcp::resolver resolver(context);
    try {
        resolver.async_resolve("127.0.0.1", "80", [](boost::system::error_code, const auto&) {});
    } catch (const boost::system::system_error& refused) {
        return refused.code() == boost::asio::error::operation_not_supported ? 0 : 2;
    }
    return 1;
}
