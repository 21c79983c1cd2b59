// Functions that convert the structs of results.hpp to report.json and back. report.schema.json in this
// folder documents the format.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "reports/base/formatted_error.hpp"
#include "reports/model/results.hpp"

namespace loopbench::reports {

/// The error for a text that does not have the expected format. what() contains the position and the cause.
class format_error : public formatted_error {
public:
    using formatted_error::formatted_error;
};

nlohmann::ordered_json to_json(const environment& where);
nlohmann::ordered_json to_json(const report& content);

/// Returns the JSON text of a value. Numbers have the shortest form that reads back exactly. Replaces invalid
/// UTF-8, because a name can contain any bytes. Escapes characters that could control a terminal. If `indent`
/// is -1, the text is one line.
std::string dump(const nlohmann::ordered_json& value, int indent = -1);

/// Returns the number as JSON. Returns null for a missing number, and for numbers that JSON cannot represent
/// (NaN, infinity).
nlohmann::ordered_json number_or_null(std::optional<double> value);

/// Appends the number to `out`, with at most `digits` significant digits. Appends null in the same cases as
/// number_or_null().
void add_number(std::string& out, std::optional<double> value, int digits);

/// Returns `text` with invalid UTF-8 replaced, as dump() would write it.
std::string valid_utf8(std::string_view text);

/// Returns `content` as the text of report.json.
std::string write_json(const report& content);

/// Returns the report in `text`. Throws format_error with `name` (the file's name), the position, the cause
/// and the remedy.
report read_json(const std::string& text, std::string_view name);

/// Checks `text` with read_json(), and returns it formatted like report.json. Keeps unknown fields, which a
/// later version or another tool may have added.
std::string rewrite_json(const std::string& text, std::string_view name);

/// Removes the whitespace between the values of `text`, which must be valid JSON.
std::string in_one_line(std::string text);

/// Returns the beginning of a text from a file or a program, for a message: at most 60 bytes, in whole
/// characters, and "..." if anything is cut off. Control characters become spaces, because they could control
/// a terminal.
std::string shown(std::string_view text);

/// Returns the line and the column of the byte at `offset`, for example "line 3, column 7". `offset` starts
/// at 0; lines and columns start at 1. `first_line` is the number of the text's first line, if the text is a
/// part of a file.
std::string position_in(std::string_view text, std::size_t offset, std::size_t first_line = 1);

}  // namespace loopbench::reports
