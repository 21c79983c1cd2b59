// The scenarios are small parts of the loop's usual work. Even when a call fails, each operation of a
// scenario completes or ends with an error.
#pragma once

#include <array>
#include <exception>
#include <optional>
#include <span>
#include <string_view>

#include "loop/coro/future.hpp"
#include "loop/designs.hpp"
#include "tests/faults/calls.hpp"

namespace loopbench::loop::faults {

/// A record of the outcomes of operations. It does not allocate memory, and outlives the loop.
class ledger {
public:
    /// Runs `work` as an operation, which must end exactly once. The destruction of the operation's frame
    /// counts as its end.
    task<void> operation(task<void> work);

    void note(const std::exception_ptr& error) noexcept;
    /// Records the problem `what` if `held` is false. `held` must be true after every possible failure.
    void expect(bool held, const char* what) noexcept {
        if (!held && wrong_ == nullptr) wrong_ = what;
    }

    int running() const noexcept { return started_ - ended_; }
    const char* wrong() const noexcept { return wrong_; }
    std::span<const std::exception_ptr> errors() const noexcept { return std::span(errors_).first(count_); }
    void forget_errors() noexcept;

private:
    int started_ = 0;
    int ended_ = 0;
    const char* wrong_ = nullptr;
    std::array<std::exception_ptr, 32> errors_;
    std::size_t count_ = 0;
};

struct scenario {
    std::string_view name;
    std::string_view drivers;  // like site::callers
    task<void> (*run)(event_loop& loop, ledger& seen);
    bool leaves_operations = false;
    bool ends_with_run = false;
    int has_error = 0;  // an error that occurs even without a planned failure
    std::optional<site_id> only_for = std::nullopt;
};
std::span<const scenario> scenarios() noexcept;

task<void> echo_once(event_loop& loop);

}  // namespace loopbench::loop::faults
