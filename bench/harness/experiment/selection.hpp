// Finds the contenders and workloads that the user named. For a mistyped name, suggests similar names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Returns true if the shell pattern matches the whole name, or a leading part of the name that ends before a
/// '/'. '*' also matches '/'. A pattern that equals the name matches, even if it contains special characters.
/// A slash at the end of a pattern is ignored: "echo/" matches the same names as "echo".
bool matches(std::string_view pattern, std::string_view name);

/// Returns true if the name matches any of the patterns, or if there are no patterns.
bool matches_any(std::span<const std::string> patterns, std::string_view name);

/// Returns the names that match any of the patterns, in the order of `names`. Returns all names if there are
/// no patterns. Throws usage_error if a pattern matches no name; `kind` describes the names in the message
/// ("contender").
std::vector<std::string> select(std::span<const std::string> names, std::span<const std::string> patterns,
                                std::string_view kind);

/// Returns at most `count` candidates that are similar to `word`, sorted by edit distance.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates,
                                 std::size_t count = 3);

/// Throws usage_error for a word that matches none of the `known` names. The message suggests the nearest
/// names.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view word,
                                std::span<const std::string> known);

}  // namespace loopbench::bench
