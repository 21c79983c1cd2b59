#include "loop/net/signals.hpp"

#include <sys/signalfd.h>

#include <array>

namespace loopbench::loop {

namespace {

struct blocked_signal {
    unsigned blocks = 0;
    bool was_blocked = false;
};

constinit thread_local std::array<blocked_signal, NSIG> blocked{};

template <class Use>
void for_each_signal(const sigset_t& signals, Use use) {
    for (int signal = 1; signal < NSIG; ++signal) {
        if (::sigismember(&signals, signal) == 1) use(signal, blocked[static_cast<std::size_t>(signal)]);
    }
}

}  // namespace

signal_block::signal_block(std::initializer_list<int> signals) {
    ::sigemptyset(&signals_);
    for (const int signal : signals) checked(::sigaddset(&signals_, signal), "sigaddset");
    sigset_t before;
    const int refused = ::pthread_sigmask(SIG_BLOCK, &signals_, &before);
    if (refused != 0) throw_failed("pthread_sigmask", refused);
    for_each_signal(signals_, [&](int signal, blocked_signal& state) {
        if (state.blocks++ == 0) state.was_blocked = ::sigismember(&before, signal) == 1;
    });
}

signal_block::~signal_block() {
    sigset_t unblocked;
    ::sigemptyset(&unblocked);
    for_each_signal(signals_, [&](int signal, blocked_signal& state) {
        if (--state.blocks == 0 && !state.was_blocked) ::sigaddset(&unblocked, signal);
    });
    ::pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr);
}

signal_receiver::signal_receiver(event_loop& loop, std::initializer_list<int> signals)
    : block_(signals),
      source_(loop,
              unique_fd(checked(::signalfd(-1, &block_.signals(), SFD_NONBLOCK | SFD_CLOEXEC), "signalfd"))) {
}

task<int> signal_receiver::next() {
    signalfd_siginfo info{};
    const std::int64_t result = co_await io_awaiter(source_.io(), io_kind::read, source_.native_handle(),
                                                    std::as_writable_bytes(std::span(&info, 1)));
    if (result < 0) throw_failed("cannot read from a signalfd", static_cast<int>(-result));
    co_return static_cast<int>(info.ssi_signo);
}

}  // namespace loopbench::loop
