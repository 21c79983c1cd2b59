// A read from a serial port with a timeout ends at its timeout, also the second time.
// https://github.com/chriskohlhoff/asio/issues/1530
#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/serial_port.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>

#include "tests/clinic/clinic.hpp"

namespace {

namespace net = boost::asio;
using boost::system::error_code;

constexpr std::chrono::seconds timeout{1};

/// Reads from a silent port until the timeout cancels the read. Returns the result of the read, or none if it
/// has none when run_one() finds no more work.
std::optional<error_code> read_until_timeout(net::io_context& context, net::serial_port& port) {
    std::optional<error_code> expired, read;
    net::steady_timer timer(context, timeout);
    timer.async_wait([&](error_code error) { expired = error; });
    char byte = ' ';
    net::async_read(port, net::buffer(&byte, 1), [&](error_code error, std::size_t) { read = error; });
    context.restart();
    while (context.run_one() > 0) {
        if (read) {
            timer.cancel();
        } else if (expired) {
            port.cancel();
        }
    }
    return read;
}

clinic::verdict check() {
    const int end = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (end < 0 || ::grantpt(end) != 0 || ::unlockpt(end) != 0)
        return clinic::unavailable("this system has no pseudo terminal");
    net::io_context context;
    net::serial_port port(context, ::ptsname(end));
    for (int i = 1; i <= 3; ++i) {
        std::optional<error_code> result;
        const double seconds = clinic::seconds_of([&] { result = read_until_timeout(context, port); });
        if (result != net::error::operation_aborted)
            return clinic::wrong("read %d ended with: %s", i, result ? result->message().c_str() : "nothing");
        if (seconds > 10) return clinic::wrong("read %d ended %.0f s after its timeout", i, seconds - 1);
        clinic::passed();
    }
    return clinic::right();
}

}  // namespace

int main() {
    return clinic::judge(check);
}
