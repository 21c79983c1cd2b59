#include "reports/render/terminal/fixed_width.hpp"

#include <algorithm>

#include "reports/render/terminal/unicode.hpp"

namespace loopbench::reports {

namespace {

std::size_t front_of(std::string_view text, std::size_t columns) {
    std::size_t width = 0, at = 0;
    while (at < text.size()) {
        const auto next = character_at(text.substr(at));
        width += next.columns;
        if (width > columns) break;
        at += next.bytes;
    }
    return at;
}

}  // namespace

std::size_t width_of(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto next = character_at(text.substr(at));
        width += next.columns;
        at += next.bytes;
    }
    return width;
}

std::string clipped(std::string_view text, std::size_t columns) {
    constexpr std::string_view cut_here = "...";
    if (width_of(text) <= columns) return std::string{text};
    return std::string{text.substr(0, front_of(text, columns - std::min(columns, cut_here.size())))} +
           std::string{cut_here};
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::string_view indent) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto before = std::string{lines.empty() ? std::string_view{} : indent};
        auto end = std::max(front_of(text, columns - width_of(before)), character_at(text).bytes);
        if (end < text.size() && text[end] != ' ')
            if (const auto blank = text.rfind(' ', end); blank != std::string_view::npos && blank > 0)
                end = blank;
        lines.push_back(before + std::string{text.substr(0, end)});
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    return lines;
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
