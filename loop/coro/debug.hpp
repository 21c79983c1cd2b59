// Debug mode, as asyncio's: who held the loop up, and which exception nobody has asked for.
//
// A task's name is the place in the source that started it, which is kept in its frame. What an operation is
// can be seen from the function that completes it; a posted function is wrapped while debug mode is on.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <typeinfo>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

struct debug_mode {
    /// `who` is one line for people: the task or function, and where in the program it was started.
    using slow_warning = std::function<void(nanoseconds took, const std::string& who)>;
    using unretrieved_warning = std::function<void(const std::exception_ptr&, const std::string& who)>;

    nanoseconds slow_limit{};
    slow_warning on_slow;  // empty: nobody is warned
    unretrieved_warning on_unretrieved;

    /// A posted function with its type, which it does not tell itself; without memory, as it is. Any thread.
    static operation& named(operation& posted, const std::type_info& function) noexcept;

    /// What is known of an operation before it is run; then it may be gone. The unknown is null, or line 0.
    struct identity {
        const void* frame = nullptr;               // of a task: its innermost coroutine, that goes on
        const std::type_info* function = nullptr;  // that is called
        std::source_location where = {};           // who started the task or scheduled the function

        std::string to_text() const;
    };
    static identity identify(const operation& op);
};

/// "file:line in function".
std::string to_text(const std::source_location& where);

}  // namespace loopbench::loop
