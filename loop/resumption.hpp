// The awaiters' common base: a place where a coroutine is suspended that is, itself, the operation whose completion goes
// on with it.
#pragma once

#include <coroutine>

#include "loop/identity.hpp"
#include "loop/operation.hpp"
#include "loop/suspension.hpp"

namespace loopbench::loop {

/// `Operation` is what is waited for: a plain operation, a timer, an I/O operation.
template <class Operation = operation>
class resumption : protected Operation, protected suspension {
protected:
    resumption() noexcept { this->complete = &resume_when_run; }
    ~resumption() = default;

    /// To be named as `complete` again by who has named another function there, or called by that one.
    static void resume_when_run(operation* op, completion how) {
        auto& self = *static_cast<resumption*>(op);
        if (how == completion::run) {
            self.resume();
        } else if (how == completion::tell) {
            told = {.task = self.context(), .coroutine = self.waiter()};
        }
    }
};

}  // namespace loopbench::loop
