// Signals that coroutines can await.
#pragma once

#include <csignal>
#include <initializer_list>

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// A block on signals, in the thread that creates it; the same thread must destroy it. Several blocks may
/// name the same signal. The last of them to be destroyed, in any order, unblocks the signal, unless it was
/// blocked before the first.
class signal_block {
public:
    /// Throws std::system_error, also if a signal does not exist.
    explicit signal_block(std::initializer_list<int> signals);
    signal_block& operator=(signal_block&&) = delete;
    ~signal_block();

    const sigset_t& signals() const noexcept { return signals_; }

private:
    sigset_t signals_;
};

/// A receiver that blocks the given signals in the calling thread and receives them as data (signalfd(2)).
/// Create it before you start other threads, so that they inherit the block; otherwise a signal to the
/// process might take its default action in one of them. When the last receiver of a signal in the thread is
/// destroyed, the signal is unblocked, unless it was blocked before. Create and destroy a receiver in the
/// same thread.
///
/// If several receivers wait for the same signal, in any loops, one of them gets it and may inform the
/// others.
class signal_receiver {
public:
    /// Throws std::system_error.
    signal_receiver(event_loop& loop, std::initializer_list<int> signals);

    /// Returns the number of the next signal. Throws std::system_error.
    task<int> next();

private:
    // The descriptor is destroyed first: no operation then waits for a signal that takes its default action.
    signal_block block_;
    descriptor source_;
};

}  // namespace loopbench::loop
