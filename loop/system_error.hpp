// How a system call that must not fail is called, and how it fails.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace loopbench::loop {

/// `errno` as an exception; `what` names the call, and the likely cause and remedy where there is one.
[[noreturn]] inline void throw_errno(const std::string& what, int error = errno) {
    throw std::system_error(error, std::generic_category(), what);
}

/// Gives the result of a call, or throws what errno says.
inline int checked(int result, const char* what) {
    if (result < 0) throw_errno(what);
    return result;
}

}  // namespace loopbench::loop
