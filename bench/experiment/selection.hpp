// From what the user typed to contenders and workloads; whoever mistypes is told the nearest names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Whether the full name, or a front of it that ends before a '/', matches the shell pattern; '*' crosses
/// '/'. A name matches itself, whatever a shell makes of its characters.
bool matches(std::string_view pattern, std::string_view name);

/// Whether the name matches any of the patterns; without patterns every name does.
bool matches_any(std::span<const std::string> patterns, std::string_view name);

/// The names that match any of the patterns, in their order; all of them without patterns. Throws usage_error
/// for a pattern that matches nothing; `kind` is what the names are ("contender").
std::vector<std::string> select(std::span<const std::string> names, std::span<const std::string> patterns,
                                std::string_view kind);

/// At most `count` of the candidates that are near to `word`, the one with the smallest edit distance first.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates,
                                 std::size_t count = 3);

/// Throws the usage_error for a word that matches none of the `known`, with the nearest of those.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view word,
                                std::span<const std::string> known);

}  // namespace loopbench::bench
