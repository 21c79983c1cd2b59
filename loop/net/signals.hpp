#pragma once

#include <csignal>
#include <initializer_list>

#include "loop/net/stream.hpp"

namespace loopbench::loop {

/// An object that blocks signals in the thread that creates it; the same thread must destroy the object.
/// Several objects may block the same signal. When the last of these objects is destroyed, the signal is
/// unblocked, unless it was blocked before the first object was created.
class signal_block {
public:
    /// Blocks the signals. Throws std::system_error, for example if a signal does not exist.
    explicit signal_block(std::initializer_list<int> signals);
    signal_block& operator=(signal_block&&) = delete;
    ~signal_block();

    const sigset_t& signals() const noexcept { return signals_; }

private:
    sigset_t signals_;
};

/// A receiver that blocks the given signals in the calling thread, and receives them as data (signalfd(2)).
/// Create a receiver before you start other threads; otherwise, a signal to the process might take its
/// default action in a thread that does not block the signal. Create and destroy a receiver in the same
/// thread.
///
/// If several receivers wait for the same signal, even in different loops, only one receiver gets each
/// signal.
class signal_receiver {
public:
    /// Blocks the signals. Throws std::system_error if a signal does not exist or no descriptor is free.
    signal_receiver(event_loop& loop, std::initializer_list<int> signals);

    /// Waits for the next signal and returns its number. Throws std::system_error if the signal cannot be
    /// read.
    task<int> next();

private:
    // source_ is destroyed before block_; otherwise, a signal could be unblocked, and take its default
    // action, while an operation still waits for the signal.
    signal_block block_;
    descriptor source_;
};

}  // namespace loopbench::loop
