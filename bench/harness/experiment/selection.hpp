#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Returns true if the shell pattern matches the whole name, or a leading part that ends before a '/'. The
/// character '*' also matches '/'. A pattern that equals the name matches, even if it contains special
/// characters. A final slash of the pattern is ignored.
bool matches(std::string_view pattern, std::string_view name);

inline constexpr std::string_view in_the_list = "`loopbench list` shows all names";

bool matches_any(std::span<const std::string> patterns, std::string_view name);

/// Returns the names that match a pattern, or all names if there are no patterns. Throws usage_error if a
/// pattern matches no name; `kind` describes the names in the message ("contender"), and `all_names` says
/// which names there are.
std::vector<std::string> select(std::span<const std::string> names, std::span<const std::string> patterns,
                                std::string_view kind, std::string_view all_names = in_the_list);

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates,
                                 std::size_t count = 3);

/// Returns the names as text, for example "parse, sort, search and 5 more".
std::string first_names(std::span<const std::string> names);

[[noreturn]] void throw_unknown(std::string_view kind, std::string_view word,
                                std::span<const std::string> known, std::string_view all_names = in_the_list);

}  // namespace loopbench::bench
