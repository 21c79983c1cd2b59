#include "loop/coro/debug.hpp"

#include <cxxabi.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "loop/calls.hpp"
#include "loop/coro/event.hpp"
#include "loop/coro/task.hpp"
#include "loop/io/io.hpp"
#include "loop/timers/timer.hpp"

namespace loopbench::loop {

namespace {

struct named_operation : operation {
    named_operation(operation& posted, const std::type_info& function) noexcept
        : operation{nullptr, &run_or_discard}, inner(posted), type(function) {}

    static void run_or_discard(operation* op, completion how) {
        const std::unique_ptr<named_operation> self(static_cast<named_operation*>(op));
        self->inner.complete(&self->inner, how);
    }

    operation& inner;
    const std::type_info& type;
};

// Every kind of awaiter that there is.
const suspension* suspension_of(const operation& op) noexcept {
    if (const auto* found = polled_awaiter<>::suspension_of(op)) return found;
    if (const auto* found = polled_awaiter<timer>::suspension_of(op)) return found;
    if (const auto* found = polled_awaiter<waiter_node>::suspension_of(op)) return found;
    return awaiter<io_operation>::suspension_of(op);
}

std::string demangled(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                      &std::free);
    return status == 0 ? text.get() : symbol;
}

}  // namespace

std::string to_text(const std::source_location& where) {
    return std::string(where.file_name()) + ":" + std::to_string(where.line()) + " in " +
           where.function_name();
}

operation& debug_mode::named(operation& posted, const std::type_info& function) {
    return *new named_operation(posted, function);
}

debug_mode::identity debug_mode::identify(const operation& op) const {
    identity found;
    if (const suspension* const place = suspension_of(op)) {
        found.task = place->context();
        found.frame = place->coroutine().address();
    } else if (op.complete == &detail::root_state::start) {
        const auto& root = static_cast<const detail::root_state&>(op);
        found.task = &root;
        found.frame = root.frame.address();
    } else if (op.complete == &named_operation::run_or_discard) {
        found.function = &static_cast<const named_operation&>(op).type;
    } else if (op.complete == &scheduled_call::run_or_discard) {
        const auto& call = static_cast<const scheduled_call&>(op);
        found.function = &call.function.target_type();
        found.where = call.where;
    } else {
        found.function = fd_callbacks::function_of(op);
    }
    if (const auto started = started_at_.find(found.task); started != started_at_.end())
        found.where = started->second;
    return found;
}

std::string debug_mode::identity::to_text() const {
    if (task == nullptr && function == nullptr) return "an operation of unknown kind";
    std::string text = task != nullptr ? "task" : "function " + demangled(function->name());
    // A child of a gather, or a task that was started before debug mode, has no place.
    if (where.line() != 0)
        text += (task != nullptr ? " started at " : " scheduled at ") + loop::to_text(where);
    if (frame == nullptr) return text;
    char address[2 * sizeof(std::uintptr_t) + 3];
    std::snprintf(address, sizeof address, "0x%" PRIxPTR, reinterpret_cast<std::uintptr_t>(frame));
    return text + ", coroutine " + address;
}

}  // namespace loopbench::loop
