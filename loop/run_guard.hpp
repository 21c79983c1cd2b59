// run() inside of run(): what the inner one would run is what the outer one is busy with.
#pragma once

#include <stdexcept>
#include <utility>

namespace loopbench::loop {

/// For as long as a loop runs. `refusal` says what was called and what to do instead.
class run_guard {
public:
    /// Throws std::logic_error when it runs already.
    run_guard(bool& running, const char* refusal) : running_(running) {
        if (std::exchange(running, true)) throw std::logic_error(refusal);
    }
    run_guard(const run_guard&) = delete;
    run_guard& operator=(const run_guard&) = delete;
    ~run_guard() { running_ = false; }

private:
    bool& running_;
};

}  // namespace loopbench::loop
