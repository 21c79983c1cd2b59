// From what the user typed to contenders and workloads; whoever mistypes is told the nearest names.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

/// Whether the full name, or a front of it that ends before a '/', matches the shell pattern; '*' crosses
/// '/'. A name matches itself, whatever a shell makes of its characters.
bool matches(std::string_view pattern, std::string_view name);

/// The names that match any of the patterns, in their order; all of them without patterns. Throws usage_error
/// for a pattern that matches nothing; `kind` is what the names are ("contender").
std::vector<std::string> select(std::span<const std::string> names, std::span<const std::string> patterns,
                                std::string_view kind);

/// At most `count` of the candidates, the one with the smallest edit distance to `word` first.
std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates,
                                 std::size_t count = 3);

/// Throws the usage_error for a word that matches none of the `known`, with the nearest of those.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view word,
                                std::span<const std::string> known);

/// Who is measured when no contender is named and no workload: `--quick` has a minute for the founding
/// designs, the flagships, Asio in its usual form and at its best, and the floors; without flags, all
/// contenders run the headline workloads (bench/catalog.hpp). What is not listed here is headline: a
/// stranger's contender is shown.
constexpr bool is_headline_contender(std::string_view name) {
    constexpr std::array<std::string_view, 8> left_out{"loop-poll",   "loop-precise",  "asio-uring",
                                                       "asio-select", "libuv",         "libevent",
                                                       "asyncio",     "asyncio-uvloop"};
    return std::ranges::find(left_out, name) == left_out.end();
}

}  // namespace loopbench::bench
