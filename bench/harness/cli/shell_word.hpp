#pragma once

#include <string>

namespace loopbench::bench {

/// Returns the text as one word of a shell command, with quotes if necessary.
inline std::string shell_word(const std::string& text) {
    constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:,@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace loopbench::bench
