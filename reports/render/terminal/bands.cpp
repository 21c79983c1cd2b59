#include "reports/render/terminal/bands.hpp"

#include <algorithm>
#include <span>

namespace loopbench::reports {

namespace {

constexpr std::size_t between_groups = 2, between_columns = 1;

std::size_t label_width(const banded_table& table) {
    auto widest = std::max(width_of(table.title), width_of(table.subtitle));
    for (const auto& label : table.labels) widest = std::max(widest, width_of(label.text));
    return widest;
}

std::string heading(const banded_table& table, std::span<const column_group> groups, bool of_groups,
                    colours paint) {
    painted line{paint};
    line.add(of_groups ? table.title : table.subtitle, of_groups ? tone::title : tone::plain);
    std::size_t at = label_width(table);
    for (const auto& group : groups) {
        const auto end = at + between_groups + group.width();
        if (of_groups) {
            line.pad_to(end - width_of(group.title));
            line.add(group.title, tone::title);
        } else {
            std::size_t begin = end - group.columns_width();
            for (const auto& column : group.columns) {
                begin += column.width();
                line.pad_to(begin - width_of(column.title));
                line.add(column.title);
                begin += between_columns;
            }
        }
        at = end;
    }
    return line.line();
}

std::string band(const banded_table& table, std::span<const column_group> groups, colours paint) {
    const auto labels = label_width(table);
    auto out = heading(table, groups, true, paint) + heading(table, groups, false, paint);
    for (std::size_t row = 0; row < table.labels.size(); ++row) {
        painted line{paint};
        line.add(table.labels[row].text, table.labels[row].how);
        std::size_t at = labels;
        for (const auto& group : groups) {
            const auto end = at + between_groups + group.width();
            std::size_t begin = end - group.columns_width();
            for (const auto& column : group.columns) {
                const auto& [text, how] = column.cells[row];
                line.pad_to(begin + column.width() - width_of(text));
                line.add(text, how);
                begin += column.width() + between_columns;
            }
            at = end;
        }
        out += line.line();
    }
    return out;
}

}  // namespace

std::size_t shown_column::width() const {
    auto widest = width_of(title);
    for (const auto& cell : cells) widest = std::max(widest, width_of(cell.text));
    return widest;
}

std::size_t column_group::columns_width() const {
    std::size_t sum = between_columns * (columns.size() - 1);
    for (const auto& column : columns) sum += column.width();
    return sum;
}

std::size_t column_group::width() const {
    return std::max(width_of(title), columns_width());
}

std::string draw_bands(const banded_table& table, std::size_t columns, colours paint) {
    std::string out;
    const std::span groups{table.groups};
    for (std::size_t first = 0; first < groups.size();) {
        std::size_t last = first, width = label_width(table);
        do width += between_groups + groups[last++].width();
        while (last < groups.size() && width + between_groups + groups[last].width() <= columns);
        out += band(table, groups.subspan(first, last - first), paint);
        first = last;
    }
    return out;
}

}  // namespace loopbench::reports
