// The textbook table, from the end, so that the lines come out from the front.
#include "bench/gate/line_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace loopbench::bench {

namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

std::string line_difference(std::string_view before, std::string_view after) {
    const auto old = split_lines(before), next = split_lines(after);
    std::vector<std::vector<std::size_t>> common(old.size() + 1, std::vector<std::size_t>(next.size() + 1));
    for (auto i = old.size(); i-- > 0;)
        for (auto j = next.size(); j-- > 0;)
            common[i][j] =
                old[i] == next[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::string text;
    for (std::size_t i = 0, j = 0; i < old.size() || j < next.size();) {
        if (i < old.size() && j < next.size() && old[i] == next[j]) {
            ++i;
            ++j;
        } else if (j == next.size() || (i < old.size() && common[i + 1][j] >= common[i][j + 1])) {
            text += fmt::format("-{}\n", old[i++]);
        } else {
            text += fmt::format("+{}\n", next[j++]);
        }
    }
    return text;
}

}  // namespace loopbench::bench
