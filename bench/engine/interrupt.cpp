// An eventfd rather than a flag: the wait for a contender has to wake up, too.
#include "bench/engine/interrupt.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>

namespace loopbench::bench {

namespace {

volatile sig_atomic_t was_requested = 0;
volatile sig_atomic_t event_fd = -1;

void on_signal(int) {
    const int saved_errno = errno;
    was_requested = 1;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event_fd, &one, sizeof one);
    errno = saved_errno;
}

}  // namespace

interrupt::interrupt() : event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!event_) throw std::system_error{errno, std::generic_category(), "cannot prepare for interrupts"};
    was_requested = 0;
    event_fd = event_.get();
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, &old_int_);
    ::sigaction(SIGTERM, &action, &old_term_);
}

interrupt::~interrupt() {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
}

bool interrupt::requested() const {
    return was_requested != 0;
}

}  // namespace loopbench::bench
