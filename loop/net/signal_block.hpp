// Blocking signals in a thread for as long as anybody in it receives them as data.
#pragma once

#include <csignal>
#include <initializer_list>

namespace loopbench::loop {

/// While it lives, the signals are blocked in the thread that made it, which must be the one that destroys it. Several
/// blocks may name one signal: it is unblocked with the last of them, in whatever order they go, unless it was blocked
/// before the first.
class signal_block {
public:
    /// Throws std::system_error.
    explicit signal_block(const sigset_t& signals);
    signal_block(const signal_block&) = delete;
    signal_block& operator=(const signal_block&) = delete;
    ~signal_block();

private:
    sigset_t signals_;
};

/// Throws std::system_error when there is no such signal.
sigset_t signal_set(std::initializer_list<int> signals);

}  // namespace loopbench::loop
