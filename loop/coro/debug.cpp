#include "loop/coro/debug.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include "loop/calls.hpp"
#include "loop/coro/event.hpp"
#include "loop/io/readiness.hpp"

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

const suspension* suspension_of(const operation& op) noexcept {
    if (const auto* found = woken_awaiter<>::suspension_of(op)) return found;
    if (const auto* found = woken_awaiter<timer>::suspension_of(op)) return found;
    if (const auto* found = woken_awaiter<waiter_node>::suspension_of(op)) return found;
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

operation& debug_mode::named(operation& posted, const std::type_info& function) noexcept {
    auto* const made = new (std::nothrow) named_operation(posted, function);
    return made != nullptr ? *made : posted;
}

debug_mode::identity debug_mode::identify(const operation& queued) {
    const operation& op = readiness_driver::going_on(queued);
    if (const suspension* const place = suspension_of(op)) {
        const auto& root = static_cast<const detail::root_state&>(*place->context());
        return {.frame = place->coroutine().address(), .where = root.where};
    }
    if (op.complete == &detail::root_state::start) {
        const auto& root = static_cast<const detail::root_state&>(op);
        return {.frame = root.frame.address(), .where = root.where};
    }
    if (op.complete == &scheduled_call::run_or_discard) {
        const auto& call = static_cast<const scheduled_call&>(op);
        return {.function = &call.function.target_type(), .where = call.where};
    }
    if (op.complete == &named_operation::run_or_discard)
        return {.function = &static_cast<const named_operation&>(op).type};
    return {.function = fd_callbacks::function_of(op)};
}

std::string debug_mode::identity::to_text() const {
    if (frame == nullptr && function == nullptr) return "an unknown operation";
    std::string text = frame != nullptr ? "task" : "function " + demangled(function->name());
    if (where.line() != 0)
        text += (frame != nullptr ? " started at " : " scheduled at ") + loop::to_text(where);
    if (frame == nullptr) return text;
    char address[32];
    std::snprintf(address, sizeof address, ", coroutine %p", frame);
    return text + address;
}

}  // namespace loopbench::loop
