#include "bench/harness/cli/session/program_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

using path_words = std::vector<std::string>;

path_words from_the_end(const std::filesystem::path& path) {
    path_words all;
    for (const auto& part : std::filesystem::absolute(path).lexically_normal().relative_path())
        if (!part.empty()) all.push_back(reports::valid_utf8(part.native()));
    std::ranges::reverse(all);
    return all;
}

std::string joined(const path_words& all, std::size_t count) {
    constexpr std::size_t longest = 40;
    path_words shown{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()))};
    std::ranges::reverse(shown);
    auto text = fmt::format("{}", fmt::join(shown, "/"));
    if (text.size() <= longest || shown.size() < 3) return text;
    return fmt::format("{}/.../{}", shown.front(), shown.back());
}

}  // namespace

std::pair<std::string, std::string> program_names(const std::filesystem::path& base,
                                                  const std::filesystem::path& next) {
    const auto old = from_the_end(base), other = from_the_end(next);
    if (old == other) return {joined(old, 1), joined(old, 1) + " (new)"};
    const auto first = std::ranges::mismatch(old, other).in1 - old.begin();
    const auto count = static_cast<std::size_t>(first) + 1;
    const auto name = joined(old, count), other_name = joined(other, count);
    return {name, other_name == name ? name + " (new)" : other_name};
}

}  // namespace loopbench::bench
