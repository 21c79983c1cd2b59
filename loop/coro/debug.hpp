// Debug mode, as asyncio's: who held the loop up, and which exception nobody has asked for.
//
// A task's name is the place in the source that started it. The places of tasks are noted only from the
// moment on when somebody wants to be warned. What an operation is can be seen from the function that
// completes it; a posted function, which has one of its own, is wrapped while debug mode is on.
#pragma once

#include <exception>
#include <functional>
#include <source_location>
#include <string>
#include <typeinfo>
#include <unordered_map>

#include "loop/operation.hpp"
#include "loop/timers/clock.hpp"

namespace loopbench::loop {

class debug_mode {
public:
    /// `who` is one line for people: the task or function, and where in the program it was started.
    using slow_warning = std::function<void(nanoseconds took, const std::string& who)>;
    using unretrieved_warning = std::function<void(const std::exception_ptr&, const std::string& who)>;

    nanoseconds slow_limit{};
    slow_warning on_slow;  // empty: nobody is warned
    unretrieved_warning on_unretrieved;

    void task_started(const task_context& task, const std::source_location& where) {
        started_at_[&task] = where;
    }
    void task_ended(const task_context& task) noexcept { started_at_.erase(&task); }

    /// A posted function with its type, which the operation alone does not tell. Any thread.
    static operation& named(operation& posted, const std::type_info& function);

    /// What is known of an operation before it is run, when it may be gone after that. What is not known is
    /// null, or line 0.
    struct identity {
        const task_context* task = nullptr;        // that goes on
        const void* frame = nullptr;               // of its innermost coroutine
        const std::type_info* function = nullptr;  // that is called
        std::source_location where = {};           // who started the task or scheduled the function

        std::string to_text() const;
    };
    identity identify(const operation& op) const;

private:
    std::unordered_map<const task_context*, std::source_location> started_at_;
};

/// "file:line in function".
std::string to_text(const std::source_location& where);

}  // namespace loopbench::loop
