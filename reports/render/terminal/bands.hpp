// The tables for the screen. A table that is too wide is split between groups of columns, and its parts are
// drawn below each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/render/terminal/painted.hpp"

namespace loopbench::reports {

struct shown_cell {
    std::string text{"-"};
    tone how = tone::plain;
};

struct shown_column {
    std::string title;
    std::vector<shown_cell> cells;
    [[nodiscard]] std::size_t width() const;
};

struct column_group {
    std::string title;
    std::vector<shown_column> columns;
    [[nodiscard]] std::size_t columns_width() const;
    [[nodiscard]] std::size_t width() const;
};

struct banded_table {
    std::string title, subtitle;
    std::vector<shown_cell> labels;
    std::vector<column_group> groups;
};

/// Draws as many groups side by side as fit into `columns`, and the other groups below them.
std::string draw_bands(const banded_table& table, std::size_t columns, colours paint);

}  // namespace loopbench::reports
