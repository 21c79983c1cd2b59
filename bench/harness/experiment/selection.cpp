#include "bench/harness/experiment/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "bench/harness/trial/usage_error.hpp"

namespace loopbench::bench {

namespace {

std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        auto diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const auto replace = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

/// Returns the edit distance between the two names. If the distance to the beginning of `candidate` plus 1 is
/// smaller, returns this sum, because people shorten names.
std::size_t distance(std::string_view word, std::string_view candidate) {
    return std::min(edit_distance(word, candidate),
                    edit_distance(word, candidate.substr(0, word.size())) + 1);
}

std::vector<std::string> with_fronts(std::span<const std::string> names) {
    std::set<std::string> all(names.begin(), names.end());
    for (const auto& name : names)
        for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
            all.insert(name.substr(0, slash));
    return {all.begin(), all.end()};
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
    std::string exact{pattern};
    const std::string whole{name};
    if (exact == whole) return true;  // special characters, as in "sort<int[3]>", match themselves
    if (exact.size() > 1 && exact.ends_with('/')) exact.pop_back();
    if (whole.starts_with(exact) && whole[exact.size()] == '/') return true;
    return ::fnmatch(exact.c_str(), whole.c_str(), 0) == 0 ||
           ::fnmatch((exact + "/*").c_str(), whole.c_str(), 0) == 0;
}

bool matches_any(std::span<const std::string> patterns, std::string_view name) {
    return patterns.empty() ||
           std::ranges::any_of(patterns, [&](const auto& pattern) { return matches(pattern, name); });
}

std::vector<std::string> select(std::span<const std::string> names, std::span<const std::string> patterns,
                                std::string_view kind, std::string_view all_names) {
    for (const auto& pattern : patterns)
        if (std::ranges::none_of(names, [&](const auto& name) { return matches(pattern, name); }))
            throw_unknown(kind, pattern, with_fronts(names), all_names);
    std::vector<std::string> chosen;
    std::ranges::copy_if(names, std::back_inserter(chosen),
                         [&](const auto& name) { return matches_any(patterns, name); });
    return chosen;
}

std::vector<std::string> nearest(std::string_view word, std::span<const std::string> candidates,
                                 std::size_t count) {
    const auto farthest = std::min((word.size() + 2) / 2, std::max(word.size(), std::size_t{1}) - 1);
    std::vector<std::string> sorted;
    std::ranges::copy_if(candidates, std::back_inserter(sorted),
                         [&](const std::string& candidate) { return distance(word, candidate) <= farthest; });
    std::ranges::sort(sorted, {}, [&](const std::string& candidate) {
        return std::pair{distance(word, candidate), std::string_view{candidate}};
    });
    sorted.resize(std::min(count, sorted.size()));
    return sorted;
}

std::string first_names(std::span<const std::string> names) {
    constexpr std::size_t most = 3;
    const auto shown = names.first(std::min(names.size(), most));
    return fmt::format("{}{}", fmt::join(shown, ", "),
                       names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

void throw_unknown(std::string_view kind, std::string_view word, std::span<const std::string> known,
                   std::string_view all_names) {
    if (known.empty()) throw usage_error{"no {0} matches \"{1}\", because there is no {0}", kind, word};
    const auto near = nearest(word, known);
    const auto question = near.empty() ? ";" : fmt::format("; did you mean {}?", fmt::join(near, " or "));
    throw usage_error{"no {} matches \"{}\"{} {}", kind, word, question, all_names};
}

}  // namespace loopbench::bench
