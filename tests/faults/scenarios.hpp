// The loop's usual work, in small scenarios that can be repeated for every call that the loop makes. Each
// operation completes or ends with an error, whatever fails meanwhile.
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

/// The outcome of a scenario's operations. It allocates nothing, and outlives the loop.
class ledger {
public:
    /// Wraps `work` as an operation that has to end exactly once, if only because its frame is destroyed.
    task<void> operation(task<void> work);

    /// Records an error that was reported; cancellations do not count.
    void note(const std::exception_ptr& error) noexcept;
    /// Expects something that must hold whatever fails.
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
    bool leaves_operations = false;                  // they end with the loop
    bool ends_with_run = false;                      // an error that leaves run() ends the work
    int has_error = 0;                               // a normal part of the scenario, so it proves no fault
    std::optional<site_id> only_for = std::nullopt;  // made for one site; proves nothing for others
};
std::span<const scenario> scenarios() noexcept;

/// Does one round trip over TCP. Throws if it does not come back.
task<void> echo_once(event_loop& loop);

}  // namespace loopbench::loop::faults
