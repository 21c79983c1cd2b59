// Debug mode, like asyncio's: which callback held up the loop, and which exception was never retrieved.
//
// A task's name is the place in the source that started it; it is stored in the task's frame. The kind of an
// operation is recognised by the function that completes it. While debug mode is on, posted functions are
// wrapped.
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
    slow_warning on_slow;  // empty: no warning
    unretrieved_warning on_unretrieved;

    /// Wraps a posted function together with its type, which the operation itself does not show. Without
    /// memory, returns it unwrapped. Any thread.
    static operation& named(operation& posted, const std::type_info& function) noexcept;

    /// The identity of an operation, recorded before it runs, because it might be destroyed afterwards.
    /// Unknown members are null, or line 0.
    struct identity {
        const void* frame = nullptr;               // of a task: the innermost coroutine, which resumes
        const std::type_info* function = nullptr;  // the function that is called
        std::source_location where = {};           // where the task was started or the function scheduled

        std::string to_text() const;
    };
    static identity identify(const operation& op);
};

/// "file:line in function".
std::string to_text(const std::source_location& where);

}  // namespace loopbench::loop
