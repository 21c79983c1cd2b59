// Columns in a fixed-width font, for what goes to the terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::reports {

/// How many columns a terminal takes for it: 'µ' is two bytes and one column, '漢' three and two, an accent
/// that is put over a letter none. A byte that is not UTF-8 is one.
std::size_t width_of(std::string_view text);

/// As much of it as so many columns hold, with "..." at its end where something is missing.
std::string clipped(std::string_view text, std::size_t columns);

/// Lines of at most so many columns, cut at blanks where that can be; all but the first begin with `indent`.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::string_view indent = {});

/// `text` with blanks before it or behind it, to that many characters.
std::string padded(std::string_view text, std::size_t width, bool right_aligned);

/// A line without blanks at its end, and with the end of a line.
std::string finished(std::string row);

/// A line for each row, each column as wide as its widest cell. The first `names` columns are left-aligned,
/// the others right-aligned. Rows may be shorter than the first one.
std::string aligned(std::span<const std::vector<std::string>> rows, std::size_t names);

}  // namespace loopbench::reports
