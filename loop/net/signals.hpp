// Signals as something to await.
#pragma once

#include <sys/signalfd.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "loop/net/io_awaiter.hpp"
#include "loop/net/signal_block.hpp"
#include "loop/net/stream.hpp"
#include "loop/system_error.hpp"
#include "loop/task.hpp"

namespace loopbench::loop {

/// Blocks the given signals in the calling thread and receives them as data (signalfd(2)). Make it before
/// other threads are started, so that they inherit the block; otherwise a signal to the process may take its
/// default action in one of them. What was not blocked before is unblocked with the last receiver of the thread that
/// wants it; make and destroy it in one thread.
///
/// Of several receivers of one signal, in whatever loops, one gets it: the kernel hands each signal out once. Who wants
/// all of them to know tells them.
template <class Loop>
class signal_receiver {
public:
    /// Throws std::system_error.
    signal_receiver(Loop& loop, std::initializer_list<int> signals)
        : signal_receiver(loop, signal_set(signals)) {}

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
    // The descriptor goes first: no operation waits for a signal that takes its default action.
    signal_receiver(Loop& loop, const sigset_t& signals)
        : block_(signals),
          source_(loop,
                  unique_fd(checked(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd"))) {}

    signal_block block_;
    descriptor<Loop> source_;
};

}  // namespace loopbench::loop
