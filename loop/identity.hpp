// What an operation knows of itself: who is run by it. Asked for in debug mode only, so it is not kept anywhere.
#pragma once

#include <coroutine>
#include <source_location>
#include <typeinfo>

namespace loopbench::loop {

struct task_context;

/// What is not known is null, or line 0.
struct identity {
    const task_context* task = nullptr;        // the task that goes on, and where in it:
    std::coroutine_handle<> coroutine = {};    // the innermost one, which is suspended
    const std::type_info* function = nullptr;  // the function that is called
    std::source_location where = {};           // who started the task or scheduled the function
};

/// Where an operation puts its answer when it is asked with completion::tell.
inline constinit thread_local identity told{};

}  // namespace loopbench::loop
