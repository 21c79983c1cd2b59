// Finds the contenders and workloads that the user named; after a typing error it suggests the nearest names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Returns true if the full name, or a beginning of it that ends before a '/', matches the shell pattern; '*'
/// also matches '/'. A name always matches itself, even with special characters.
bool matches(std::string_view pattern, std::string_view name);

/// Returns true if the name matches any of the patterns, or if there are no patterns.
bool matches_any(std::span<const std::string> patterns, std::string_view name);

/// Returns the names that match any of the patterns, in their order; all of them if there are no patterns.
/// Throws usage_error for a pattern that matches nothing; `kind` describes the names ("contender").
std::vector<std::string> select(std::span<const std::string> names, std::span<const std::string> patterns,
                                std::string_view kind);

/// Returns at most `count` candidates that are similar to `word`, the one with the smallest edit distance
/// first.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates,
                                 std::size_t count = 3);

/// Throws the usage_error for a word that matches none of the `known` names, with the nearest of them.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view word,
                                std::span<const std::string> known);

}  // namespace loopbench::bench
