#include "reports/fixed_width.hpp"

#include <algorithm>

namespace loopbench::reports {

std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string padded(std::string_view text, std::size_t width, bool right_aligned) {
    const std::string space(width - std::min(width, width_of(text)), ' ');
    return right_aligned ? space + std::string{text} : std::string{text} + space;
}

std::string finished(std::string row) {
    row.erase(row.find_last_not_of(' ') + 1);
    return row + "\n";
}

std::string aligned(std::span<const std::vector<std::string>> rows, std::size_t names) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) line += "  " + padded(row[i], widths[i], i >= names);
        out += finished(line);
    }
    return out;
}

}  // namespace loopbench::reports
