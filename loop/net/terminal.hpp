// The parts of <termios.h> that serial ports need. loopbench/asio/dropin.hpp, which the sources of a program
// include without knowing, cannot include <termios.h>, because it defines macros with common names, such as
// ECHO and B0.
#pragma once

struct termios;

namespace loopbench::loop {

/// Changes settings to those of a serial line: bytes pass unchanged in both directions, without an echo and
/// without lines; the modem's control lines are ignored. The line's speed stays the same.
void make_serial(::termios& settings) noexcept;

/// The argument of tcsetattr(3) with which a change takes effect immediately.
extern const int change_immediately;

}  // namespace loopbench::loop
