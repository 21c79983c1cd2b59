// The signal handler writes to an eventfd instead of setting a flag, so that a signal also ends a wait for a
// contender.
#include "bench/harness/trial/process/interrupt.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace loopbench::bench {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

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
    if (!event_)
        throw std::system_error{errno, std::generic_category(), "cannot create an eventfd for interrupts"};
    was_requested = 0;
    event_fd = event_.get();
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &old_[i]);
    // Ignored signals stay ignored, because a run under nohup must outlive its terminal, and a script's
    // `loopbench run &` must outlive a Ctrl-C in the foreground.
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (old_[i].sa_handler == SIG_IGN) ::sigaction(signals[i], &old_[i], nullptr);
}

interrupt::~interrupt() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &old_[i], nullptr);
}

bool interrupt::requested() const {
    return was_requested != 0;
}

}  // namespace loopbench::bench
