// Tests Asio's serial ports on pseudo terminals.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <boost/asio/basic_serial_port.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <concepts>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "loop/io/fd.hpp"
#include "tests/asio_compat/kits.hpp"

namespace loopbench::tests {

namespace {

using namespace std::string_literals;
using boost::system::error_code;
using serial = net::serial_port_base;

/// The controlling end of a pseudo terminal. Its device can be opened as a serial port.
class pseudo_terminal {
public:
    pseudo_terminal() : end_(loop::checked(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt")) {
        loop::checked(::grantpt(end_.get()), "grantpt");
        loop::checked(::unlockpt(end_.get()), "unlockpt");
        loop::checked(::ptsname_r(end_.get(), device_.data(), device_.size()), "ptsname_r");
    }

    std::string device() const { return device_.data(); }
    void write(const std::string& text) const {
        EXPECT_EQ(::write(end_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    std::string read(std::size_t bytes) const {
        std::string text(bytes, ' ');
        for (std::size_t got = 0; got < bytes;)
            got += static_cast<std::size_t>(
                loop::checked(static_cast<int>(::read(end_.get(), &text[got], bytes - got)), "read"));
        return text;
    }
    void close() { end_.reset(); }

private:
    loop::unique_fd end_;
    std::array<char, 64> device_{};
};

template <class kit>
class asio_serial : public with_context<kit> {
protected:
    using serial_port = net::basic_serial_port<typename with_context<kit>::executor>;

    pseudo_terminal terminal;
};
TYPED_TEST_SUITE(asio_serial, kits, kit_names);

// Characters that a terminal changes or acts on, unless its settings are those of a serial line.
const std::string special_bytes = "\r\n\x03\x04\x11\x13\x1a\x7f\xff\0end"s;

TYPED_TEST(asio_serial, bytes_pass_unchanged_in_both_directions) {
    typename TestFixture::serial_port port(this->context(), this->terminal.device());
    std::string got(special_bytes.size(), ' ');
    int done = 0;
    const auto count = [&](error_code error, std::size_t bytes) {
        EXPECT_FALSE(error) << error.message();
        done += bytes == special_bytes.size() ? 1 : 0;
    };
    net::async_read(port, net::buffer(got), count);
    this->context().poll();
    this->terminal.write(special_bytes);
    net::async_write(port, net::buffer(special_bytes), count);
    this->context().restart();
    this->context().run();
    EXPECT_EQ(done, 2);
    EXPECT_EQ(got, special_bytes);
    EXPECT_EQ(this->terminal.read(special_bytes.size()), special_bytes);
}

TYPED_TEST(asio_serial, a_synchronous_read_after_an_asynchronous_one_waits_for_data) {
    typename TestFixture::serial_port port(this->context(), this->terminal.device());
    this->terminal.write("ab");
    std::array<char, 2> got{};
    port.async_read_some(net::buffer(got, 1), [](error_code error, std::size_t) { EXPECT_FALSE(error); });
    this->context().run();
    EXPECT_EQ(net::read(port, net::buffer(&got[1], 1)), 1U);
    EXPECT_EQ(std::string(got.data(), 2), "ab");
    const std::jthread writer([&] { this->terminal.write("cd"); });
    EXPECT_EQ(net::read(port, net::buffer(got)), 2U);
    EXPECT_EQ(std::string(got.data(), 2), "cd");
    EXPECT_EQ(net::write(port, net::buffer("ef", 2)), 2U);
    EXPECT_EQ(this->terminal.read(2), "ef");
}

/// Sets an option, and returns the value that the port then has.
template <class Port, class Option>
auto set_and_get(Port& port, const Option& option) {
    port.set_option(option);
    Option found;
    port.get_option(found);
    return found.value();
}

TYPED_TEST(asio_serial, every_option_can_be_set_and_read) {
    typename TestFixture::serial_port port(this->context(), this->terminal.device());
    for (const unsigned rate : {9600U, 115200U}) EXPECT_EQ(set_and_get(port, serial::baud_rate(rate)), rate);
    for (const auto control :
         {serial::flow_control::software, serial::flow_control::hardware, serial::flow_control::none})
        EXPECT_EQ(set_and_get(port, serial::flow_control(control)), control);
    for (const auto stop : {serial::stop_bits::two, serial::stop_bits::one})
        EXPECT_EQ(set_and_get(port, serial::stop_bits(stop)), stop);
    // A pseudo terminal of Linux has always 8 bits without parity (pty_set_termios() in drivers/tty/pty.c).
    EXPECT_EQ(set_and_get(port, serial::parity(serial::parity::none)), serial::parity::none);
    EXPECT_EQ(set_and_get(port, serial::character_size(8)), 8U);
}

TYPED_TEST(asio_serial, an_impossible_option_reports_an_error_and_changes_nothing) {
    typename TestFixture::serial_port port(this->context(), this->terminal.device());
    port.set_option(serial::baud_rate(19200));
    error_code error;
    port.set_option(serial::baud_rate(12345), error);
    EXPECT_EQ(error, net::error::invalid_argument);
    serial::baud_rate rate;
    port.get_option(rate, error);
    EXPECT_FALSE(error) << error.message();
    EXPECT_EQ(rate.value(), 19200U);
}

TYPED_TEST(asio_serial, a_pending_read_ends_when_it_is_cancelled_and_when_the_port_is_closed) {
    typename TestFixture::serial_port port(this->context(), this->terminal.device());
    std::array<char, 4> got{};
    net::cancellation_signal signal;
    for (const auto& end : std::vector<std::function<void()>>{
             [&] { port.cancel(); }, [&] { signal.emit(net::cancellation_type::total); },
             [&] { port.close(); }}) {
        error_code ended;
        port.async_read_some(net::buffer(got),
                             net::bind_cancellation_slot(
                                 signal.slot(), [&](error_code error, std::size_t) { ended = error; }));
        this->context().restart();
        this->context().poll();
        EXPECT_FALSE(ended);
        end();
        this->context().run();
        EXPECT_EQ(ended, net::error::operation_aborted);
    }
    EXPECT_FALSE(port.is_open());
}

TYPED_TEST(asio_serial, a_read_after_a_cancellation_gets_the_bytes_that_arrive) {
    typename TestFixture::serial_port port(this->context(), this->terminal.device());
    std::array<char, 4> got{};
    port.async_read_some(net::buffer(got), [](error_code, std::size_t) {});
    this->context().poll();
    port.cancel();
    this->terminal.write("next");
    std::size_t bytes = 0;
    net::async_read(port, net::buffer(got), [&](error_code, std::size_t count) { bytes = count; });
    this->context().restart();
    this->context().run();
    EXPECT_EQ(std::string(got.data(), bytes), "next");
}

TYPED_TEST(asio_serial, the_end_of_the_line_ends_a_pending_read) {
    typename TestFixture::serial_port port(this->context(), this->terminal.device());
    std::array<char, 4> got{};
    error_code ended;
    port.async_read_some(net::buffer(got), [&](error_code error, std::size_t) { ended = error; });
    this->context().poll();
    this->terminal.close();
    this->context().restart();
    this->context().run();
    EXPECT_EQ(ended, net::error::eof);
}

TYPED_TEST(asio_serial, opening_a_file_that_is_no_terminal_reports_an_error_and_closes_the_file) {
    typename TestFixture::serial_port port(this->context());
    const auto lowest_free = [] { return loop::unique_fd(::dup(STDERR_FILENO)).get(); };
    const int free_before = lowest_free();
    error_code error;
    port.open("/dev/null", error);
    EXPECT_EQ(error, error_code(ENOTTY, boost::system::system_category()));
    EXPECT_FALSE(port.is_open());
    EXPECT_EQ(lowest_free(), free_before);
    port.open("/nothing/here", error);
    EXPECT_EQ(error, error_code(ENOENT, boost::system::system_category()));
    port.open(this->terminal.device(), error);
    EXPECT_FALSE(error) << error.message();
    port.open(this->terminal.device(), error);
    EXPECT_EQ(error, net::error::already_open);
}

TYPED_TEST(asio_serial, a_break_can_be_sent_only_on_an_open_port) {
    typename TestFixture::serial_port port(this->context());
    error_code error;
    port.send_break(error);
    EXPECT_EQ(error, net::error::bad_descriptor);
    port.open(this->terminal.device());
    port.send_break(error);
    EXPECT_FALSE(error) << error.message();
}

TYPED_TEST(asio_serial, a_port_takes_over_a_descriptor_and_can_be_moved) {
    using port_type = typename TestFixture::serial_port;
    port_type first(this->context(),
                    loop::checked(::open(this->terminal.device().c_str(), O_RDWR | O_NOCTTY), "open"));
    port_type second(std::move(first));
    EXPECT_FALSE(first.is_open());
    first = std::move(second);
    EXPECT_FALSE(second.is_open());
    net::write(first, net::buffer("x", 1));
    EXPECT_EQ(this->terminal.read(1), "x");
    if constexpr (requires { first.release(); }) {  // not all versions of Boost have it
        const loop::unique_fd released(first.release());
        EXPECT_FALSE(first.is_open());
        EXPECT_EQ(::write(released.get(), "y", 1), 1);
        EXPECT_EQ(this->terminal.read(1), "y");
    }
}

static_assert(std::same_as<asio::serial_port, net::basic_serial_port<asio::io_context::executor_type>>);

}  // namespace

}  // namespace loopbench::tests
