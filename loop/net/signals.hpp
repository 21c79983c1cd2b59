// Signals as something to await.
#pragma once

#include <sys/signalfd.h>

#include <csignal>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>

#include "loop/net/io_awaiter.hpp"
#include "loop/net/stream.hpp"
#include "loop/system_error.hpp"

namespace loopbench::loop {

/// Blocks the given signals in the calling thread and receives them as data (signalfd(2)). Make it before
/// other threads are started, so that they inherit the block; otherwise a signal to the process may take its
/// default action in one of them. What it blocked, and was not blocked before, is unblocked on destruction.
template <class Loop>
class signal_receiver {
public:
    /// Throws std::system_error.
    signal_receiver(Loop& loop, std::initializer_list<int> signals) {
        sigset_t received;
        ::sigemptyset(&received);
        for (const int signal : signals) ::sigaddset(&received, signal);
        // First what may fail: nobody would take a block back.
        source_ = descriptor<Loop>(
            loop, unique_fd(checked(::signalfd(-1, &received, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd")));
        sigset_t before;
        const int refused = ::pthread_sigmask(SIG_BLOCK, &received, &before);
        if (refused != 0) throw_errno("pthread_sigmask", refused);
        ::sigemptyset(&blocked_);
        for (const int signal : signals) {
            if (::sigismember(&before, signal) == 0) ::sigaddset(&blocked_, signal);
        }
    }
    signal_receiver(const signal_receiver&) = delete;
    signal_receiver& operator=(const signal_receiver&) = delete;
    ~signal_receiver() {
        source_.close();
        ::pthread_sigmask(SIG_UNBLOCK, &blocked_, nullptr);
    }

    /// The number of the next signal. Throws std::system_error.
    task<int> next() {
        signalfd_siginfo info{};
        const std::int64_t result =
            co_await io_awaiter<Loop>(source_.loop(), io_kind::read, source_.native_handle(),
                                      reinterpret_cast<std::byte*>(&info), sizeof info);
        if (result < 0) throw_errno("read from a signalfd", static_cast<int>(-result));
        co_return static_cast<int>(info.ssi_signo);
    }

private:
    sigset_t blocked_;  // by this receiver
    descriptor<Loop> source_;
};

}  // namespace loopbench::loop
