#include "reports/render/sentence_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "reports/model/json.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::reports {

std::string cut(std::string_view text, std::size_t most) {
    return text.size() <= most ? std::string{text} : shown(text);
}

std::string listed(const names& all, std::size_t most) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < all.size() && i < most; ++i) parts.push_back(cut(all[i]));
    if (all.size() > most) parts.push_back(fmt::format("{} more", all.size() - most));
    if (parts.size() < 2) return fmt::format("{}", fmt::join(parts, ""));
    const auto last = std::move(parts.back());
    parts.pop_back();
    return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

std::string times(double value) {
    return three_digits(value) + "×";
}

std::string in_brackets(const std::optional<double>& low, const std::optional<double>& high) {
    return low && high ? fmt::format(" ({} to {})", three_digits(*low), three_digits(*high)) : "";
}

}  // namespace loopbench::reports
