// Measures, breaks and aligns text for a terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::reports {

/// Returns the number of terminal columns that the text occupies. For example, 'µ' has two bytes and one
/// column, '漢' has three bytes and two columns, and a combining accent has no column. A byte of invalid UTF-8
/// occupies one column.
std::size_t width_of(std::string_view text);

/// Returns the beginning of the text that fits into `columns`, with "..." at the end if anything is cut off.
std::string clipped(std::string_view text, std::size_t columns);

/// Breaks the text into lines that fit into `columns`, at spaces if possible. All lines but the first begin
/// with `indent`.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::string_view indent = {});

/// Pads `text` with spaces to `width` columns: on the left if `right_aligned`, otherwise on the right.
std::string padded(std::string_view text, std::size_t width, bool right_aligned);

/// Removes trailing spaces from the line, and adds a newline.
std::string finished(std::string row);

/// Returns a text with a line for each row. Each column is as wide as its widest cell. The first `names`
/// columns are left-aligned, all other columns are right-aligned. Rows can have different numbers of cells.
std::string aligned(std::span<const std::vector<std::string>> rows, std::size_t names);

}  // namespace loopbench::reports
