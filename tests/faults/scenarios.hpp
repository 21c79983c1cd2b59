// What a loop does all day, small enough to be done again for every call that it makes: each is done, or ends
// with an error, whatever fails meanwhile.
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

/// What became of a scenario's operations. It allocates nothing, and outlives the loop.
class ledger {
public:
    /// `work` as an operation that has to end exactly once, be it with its frame.
    task<void> operation(task<void> work);

    /// An error that came out; a cancellation is none.
    void note(const std::exception_ptr& error) noexcept;
    /// What must hold whatever fails.
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
    std::string_view drivers;  // as site::callers
    task<void> (*run)(event_loop& loop, ledger& seen);
    bool leaves_operations = false;                  // which end with the loop
    bool ends_with_run = false;                      // an error that leaves run() is one of what it waits for
    int has_error = 0;                               // that is a part of it, and says nothing of a fault
    std::optional<site_id> only_for = std::nullopt;  // it is made for one site, and tells nothing of others
};
std::span<const scenario> scenarios() noexcept;

/// One round trip over TCP. Throws when it does not come back.
task<void> echo_once(event_loop& loop);

}  // namespace loopbench::loop::faults
