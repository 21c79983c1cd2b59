#include "loop/debug_mode.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace loopbench::loop {

namespace {

std::string demangled(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                      &std::free);
    return status == 0 ? text.get() : symbol;
}

std::string hexadecimal(std::uintptr_t number) {
    char text[2 * sizeof number + 3];
    std::snprintf(text, sizeof text, "0x%" PRIxPTR, number);
    return text;
}

// `program+0x1234` is what addr2line(1) takes to name the coroutine; a program that exports its symbols (-rdynamic) is
// told the name at once.
std::string name_of(const void* code) {
    Dl_info found{};
    if (code == nullptr || ::dladdr(code, &found) == 0) return "?";
    if (found.dli_sname != nullptr) return demangled(found.dli_sname);
    return std::string(found.dli_fname) + "+" +
           hexadecimal(reinterpret_cast<std::uintptr_t>(code) -
                       reinterpret_cast<std::uintptr_t>(found.dli_fbase));
}

}  // namespace

std::string to_text(const std::source_location& where) {
    return std::string(where.file_name()) + ":" + std::to_string(where.line()) + " in " +
           where.function_name();
}

std::string culprit::who() const {
    if (known.task == nullptr && known.function == nullptr) return "an operation of unknown kind";
    std::string text = known.task != nullptr ? "task" : "function " + demangled(known.function->name());
    // A child of a gather, or one that was started before debug mode, has no place. Every task has its coroutine.
    if (known.where.line() != 0)
        text += (known.task != nullptr ? " started at " : " scheduled at ") + to_text(known.where);
    if (const void* const frame = known.coroutine.address(); frame != nullptr)
        text +=
            ", coroutine " + hexadecimal(reinterpret_cast<std::uintptr_t>(frame)) + " of " + name_of(code);
    return text;
}

culprit debug_mode::identify(operation& op) const {
    told = {};
    op.complete(&op, completion::tell);
    culprit found{.known = told};
    if (const auto started = started_at_.find(told.task); started != started_at_.end())
        found.known.where = started->second;
    // A suspended frame begins with the address of the code that resumes it: g++ and clang++ share that layout.
    if (const void* const frame = told.coroutine.address(); frame != nullptr)
        std::memcpy(&found.code, frame, sizeof found.code);
    return found;
}

}  // namespace loopbench::loop
