// Columns in a fixed-width font, for what goes to the terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::reports {

/// Characters, not bytes: 'µ' is two bytes of UTF-8.
std::size_t width_of(std::string_view text);

/// `text` with blanks before it or behind it, to that many characters.
std::string padded(std::string_view text, std::size_t width, bool right_aligned);

/// A line without blanks at its end, and with the end of a line.
std::string finished(std::string row);

/// A line for each row, each column as wide as its widest cell. The first `names` columns are left-aligned,
/// the others right-aligned. Rows may be shorter than the first one.
std::string aligned(std::span<const std::vector<std::string>> rows, std::size_t names);

}  // namespace loopbench::reports
