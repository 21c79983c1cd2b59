// Serial ports. A serial port is a descriptor whose settings can be read and changed.
#pragma once

#include <fcntl.h>
#include <sys/ioctl.h>

#include <string>

#include "loop/io/fd.hpp"
#include "loop/net/terminal.hpp"
#include "loopbench/asio/detail/descriptors.hpp"

namespace boost::asio::detail {
class posix_serial_port_service;
}

namespace loopbench::asio::detail {

/// The service of Asio's serial ports. It replaces Asio's posix_serial_port_service.
///
/// <termios.h> is not included here (loop/net/terminal.hpp). Therefore the functions that need the type
/// termios are templates over it: the type is complete in a program that includes Asio's serial ports, and
/// the names of the functions in <termios.h> are found in the namespace of their argument.
class serial_port_service : public descriptor_service {
public:
    using descriptor_service::descriptor_service;

    template <class Settings = ::termios>
    error_code open(implementation_type& impl, const std::string& device, error_code& ec) {
        if (is_open(impl)) return ec = boost::asio::error::already_open;
        loop::unique_fd fresh(descriptor_ops::open(device.c_str(), O_RDWR | O_NONBLOCK | O_NOCTTY, ec));
        if (ec) return ec;
        change<Settings>(fresh.get(), ec, [](Settings& settings) { loop::make_serial(settings); });
        if (ec || assign(impl, fresh.get(), ec)) return ec;
        fresh.release();
        return ec;
    }

    template <class Option, class Settings = ::termios>
    error_code set_option(implementation_type& impl, const Option& option, error_code& ec) {
        change<Settings>(impl.descriptor, ec, [&](Settings& settings) { option.store(settings, ec); });
        return ec;
    }
    template <class Option, class Settings = ::termios>
    error_code get_option(const implementation_type& impl, Option& option, error_code& ec) const {
        Settings settings{};
        if (!failed(tcgetattr(impl.descriptor, &settings), ec)) option.load(settings, ec);
        return ec;
    }

    error_code send_break(implementation_type& impl, error_code& ec) {
        descriptor_ops::ioctl(impl.descriptor, impl.state, TCSBRK, nullptr, ec);  // as tcsendbreak(3) does
        return ec;
    }

private:
    /// Changes the settings with edit(settings). Changes nothing if edit() sets `ec`.
    template <class Settings, class Edit>
    static void change(int fd, error_code& ec, Edit edit) {
        Settings settings{};
        if (failed(tcgetattr(fd, &settings), ec)) return;
        edit(settings);
        if (!ec) failed(tcsetattr(fd, loop::change_immediately, &settings), ec);
    }
};

}  // namespace loopbench::asio::detail
