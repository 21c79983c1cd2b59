// Lays the columns out in fixed width.
#include "reports/table.hpp"

#include <algorithm>

#include "reports/columns.hpp"
#include "reports/fixed_width.hpp"

namespace loopbench::reports {

namespace {

std::string family_lines(const family& group) {
    const auto columns = columns_for(group.lines);
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto width = width_of(columns[i].title);
        for (const auto& from : group.lines)
            if (i < naming_columns || from.note().empty())
                width = std::max(width, width_of(columns[i].cell(from)));
        widths.push_back(width);
    }
    std::string row;
    for (std::size_t i = 0; i < columns.size(); ++i)
        row += "  " + padded(std::string{columns[i].title}, widths[i], columns[i].right_aligned);
    auto out = printable(group.name) + "\n" + finished(row);
    for (const auto& from : group.lines) {
        row.clear();
        const auto note = from.note();
        for (std::size_t i = 0; i < (note.empty() ? columns.size() : naming_columns); ++i)
            row += "  " + padded(columns[i].cell(from), widths[i], columns[i].right_aligned);
        out += finished(note.empty() ? row : row + "  " + note);
    }
    return out + "\n";
}

}  // namespace

std::string write_table(const report& content) {
    std::string out;
    for (const auto& group : families_of(content)) out += family_lines(group);
    return out + legend_for(content) + "\n";
}

}  // namespace loopbench::reports
