#include "loop/net/terminal.hpp"

#include <termios.h>

namespace loopbench::loop {

const int change_immediately = TCSANOW;

void make_serial(::termios& settings) noexcept {
    ::cfmakeraw(&settings);
    settings.c_iflag |= IGNPAR;
    settings.c_cflag |= CREAD | CLOCAL;
}

}  // namespace loopbench::loop
