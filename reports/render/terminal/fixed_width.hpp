// Columns in a fixed-width font, for output on the terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::reports {

/// Returns the number of terminal columns that the text takes: 'µ' is two bytes and one column, '漢' is three
/// bytes and two columns, a combining accent takes none. A byte that is not UTF-8 takes one.
std::size_t width_of(std::string_view text);

/// Returns as much of the text as fits, with "..." at the end if something is cut off.
std::string clipped(std::string_view text, std::size_t columns);

/// Breaks the text into lines that fit, at spaces if possible; all but the first begin with `indent`.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::string_view indent = {});

/// Pads `text` with spaces, on the left or on the right, to this width.
std::string padded(std::string_view text, std::size_t width, bool right_aligned);

/// Removes trailing spaces from the line, and adds a newline.
std::string finished(std::string row);

/// Returns a line for each row, each column as wide as its widest cell. The first `names` columns are
/// left-aligned, the others right-aligned. Rows can have different lengths.
std::string aligned(std::span<const std::vector<std::string>> rows, std::size_t names);

}  // namespace loopbench::reports
