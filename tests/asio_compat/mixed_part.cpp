// Compiled twice, with and without dropin.hpp, and linked into one program. LOOPBENCH_PART is the name of the
// function, which returns true if a context, a strand, a timer, a socket and a service of the program worked.
// The stream of TLS contains timers, in a class that is not a template.
#include <array>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <chrono>

bool LOOPBENCH_PART(bool uses_asios_scheduler);

namespace {

namespace asio = boost::asio;

class part_service : public asio::detail::service_base<part_service> {
public:
    explicit part_service(asio::io_context& context) : asio::detail::service_base<part_service>(context) {}
    bool belongs_to(const asio::io_context& context) { return &get_io_context() == &context; }

private:
    void shutdown() override {}
};

}  // namespace

bool LOOPBENCH_PART(bool uses_asios_scheduler) {
    asio::io_context context;
    int ended = 0;
    const asio::any_io_executor executor = asio::make_strand(context);
    asio::steady_timer timer(executor, std::chrono::milliseconds(1));
    timer.async_wait([&](boost::system::error_code error) { ended += error ? 0 : 1; });
    asio::local::stream_protocol::socket one(context), other(context);
    asio::local::connect_pair(one, other);
    std::array<char, 4> got{};
    asio::async_read(one, asio::buffer(got),
                     [&](boost::system::error_code error, std::size_t) { ended += error ? 0 : 1; });
    asio::write(other, asio::buffer("four", 4));
    context.run();
    asio::ssl::context keys(asio::ssl::context::tls_client);
    const asio::ssl::stream<asio::ip::tcp::socket> encrypted(context, keys);
    return ended == 2 && asio::use_service<part_service>(context).belongs_to(context) &&
           asio::has_service<asio::detail::scheduler>(context) == uses_asios_scheduler;
}
