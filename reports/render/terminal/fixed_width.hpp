#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::reports {

/// Returns the number of terminal columns. 'µ' has two bytes and one column, '漢' has three bytes and two
/// columns, a combining accent has none, and a byte of invalid UTF-8 has one.
std::size_t width_of(std::string_view text);

/// Returns the beginning of the text that fits into `columns`, with "..." if anything is cut off.
std::string clipped(std::string_view text, std::size_t columns);

/// Breaks the text into lines, at spaces if possible. All lines but the first begin with `indent`.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::string_view indent = {});

std::string padded(std::string_view text, std::size_t width, bool right_aligned);

std::string finished(std::string row);

/// Left-aligns the first `names` columns, and right-aligns the others. Rows can have different numbers of
/// cells.
std::string aligned(std::span<const std::vector<std::string>> rows, std::size_t names);

}  // namespace loopbench::reports
