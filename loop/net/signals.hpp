// Signals as something to await.
#pragma once

#include <csignal>
#include <initializer_list>

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// While it lives, the signals are blocked in the thread that made it, which must be the one that destroys
/// it. Several blocks may name one signal: it is unblocked with the last of them, in whatever order they go,
/// unless it was blocked before the first.
class signal_block {
public:
    /// Throws std::system_error, when there is no such signal, too.
    explicit signal_block(std::initializer_list<int> signals);
    signal_block& operator=(signal_block&&) = delete;
    ~signal_block();

    const sigset_t& signals() const noexcept { return signals_; }

private:
    sigset_t signals_;
};

/// Blocks the given signals in the calling thread and receives them as data (signalfd(2)). Make it before
/// other threads are started, so that they inherit the block; otherwise a signal to the process may take its
/// default action in one of them. What was not blocked before is unblocked with the last receiver of the
/// thread that wants it; make and destroy it in one thread.
///
/// Of several receivers of one signal, in whatever loops, one gets it, and may tell the others.
class signal_receiver {
public:
    /// Throws std::system_error.
    signal_receiver(event_loop& loop, std::initializer_list<int> signals);

    /// The number of the next signal. Throws std::system_error.
    task<int> next();

private:
    // The descriptor goes first: no operation waits for a signal that takes its default action.
    signal_block block_;
    descriptor source_;
};

}  // namespace loopbench::loop
