// Debug mode, which reports callbacks that took too long and exceptions that were never retrieved, like
// asyncio's debug mode.
//
// A task's name is the source location that started the task; the name is stored in the task's frame. Debug
// mode recognises the kind of an operation by its member `complete`. While debug mode is on, each posted
// function is wrapped in an operation that stores the function's type.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <typeinfo>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

struct debug_mode {
    /// A function that is called after a slow callback. `took` is the callback's duration. `who` is one line
    /// of readable text: the task or function, and the source location that started it.
    using slow_warning = std::function<void(nanoseconds took, const std::string& who)>;
    using unretrieved_warning = std::function<void(const std::exception_ptr&, const std::string& who)>;

    nanoseconds slow_limit{};
    slow_warning on_slow;  // if empty, slow callbacks cause no warning
    unretrieved_warning on_unretrieved;

    /// Wraps a posted function together with its type, because the operation itself does not store the type.
    /// If there is not enough memory, returns the operation unwrapped. Any thread may call this function.
    static operation& named(operation& posted, const std::type_info& function) noexcept;

    /// The identity of an operation. The identity is recorded before the operation runs, because the
    /// operation might not exist afterwards. A pointer that is unknown is null; a location that is unknown
    /// has line 0.
    struct identity {
        const void* frame = nullptr;               // the task's innermost coroutine, which will resume
        const std::type_info* function = nullptr;  // the function that is called
        std::source_location where = {};           // where the task was started or the function was scheduled

        std::string to_text() const;
    };
    static identity identify(const operation& op);
};

/// Returns "file:line in function".
std::string to_text(const std::source_location& where);

}  // namespace loopbench::loop
