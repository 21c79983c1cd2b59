// Debug mode, as asyncio's: who held the loop up, and which exception nobody has asked for.
//
// A loop that is not in debug mode keeps nothing for it: a task's name is the place in the source that started it, and
// the places are noted only from the moment on when somebody wants to be warned.
#pragma once

#include <exception>
#include <functional>
#include <source_location>
#include <string>
#include <unordered_map>

#include "loop/clock.hpp"
#include "loop/identity.hpp"
#include "loop/operation.hpp"

namespace loopbench::loop {

/// Somebody who may turn out to be slow.
struct culprit {
    identity known;
    const void* code = nullptr;  // that resumes the coroutine

    /// One line for people. It takes a while.
    std::string who() const;
};

class debug_mode {
public:
    /// `who` is one line for people: the task or function, and where in the program it is.
    using slow_warning = std::function<void(nanoseconds took, const std::string& who)>;
    using unretrieved_warning = std::function<void(const std::exception_ptr&, const std::string& who)>;

    nanoseconds slow_limit{};
    slow_warning on_slow;  // empty: nobody is warned
    unretrieved_warning on_unretrieved;

    void started(const task_context& task, const std::source_location& where) { started_at_[&task] = where; }
    void ended(const task_context& task) noexcept { started_at_.erase(&task); }

    /// Who an operation is that is about to be run: all that has to be known before, since it may be gone after that.
    culprit identify(operation& op) const;

private:
    std::unordered_map<const task_context*, std::source_location> started_at_;
};

/// "file:line in function".
std::string to_text(const std::source_location& where);

}  // namespace loopbench::loop
