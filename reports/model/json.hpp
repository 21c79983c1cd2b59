// Converts the result structs to report.json and back. report.schema.json in this folder documents the
// format.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "reports/base/formatted_error.hpp"
#include "reports/model/results.hpp"

namespace loopbench::reports {

/// Error: a text is not a report; what() says where and why.
class format_error : public formatted_error {
public:
    using formatted_error::formatted_error;
};

nlohmann::ordered_json to_json(const environment& where);
nlohmann::ordered_json to_json(const report& content);

/// Returns the JSON text of a value. Numbers have the shortest form that reads back exactly. Invalid UTF-8
/// becomes replacement characters: names come from outside and must not prevent a report. Characters that
/// could steer a terminal are escaped. `indent` -1 means one line.
std::string dump(const nlohmann::ordered_json& value, int indent = -1);

/// Returns null for a missing number, and for numbers that JSON does not have (NaN, infinity).
nlohmann::ordered_json number_or_null(std::optional<double> value);

/// Appends the number with at most this many digits, or null as number_or_null() does.
void add_number(std::string& out, std::optional<double> value, int digits);

/// Returns `text` with replacement characters for invalid UTF-8, as it would come back from a file.
std::string valid_utf8(std::string_view text);

/// Returns the text of report.json.
std::string write_json(const report& content);

/// Returns the report in `text`; throws format_error with `name`, the position, the cause and the remedy.
report read_json(const std::string& text, std::string_view name);

/// Returns `text` formatted as report.json, after checking it with read_json(). Keeps unknown fields, which a
/// later version or another tool added.
std::string rewrite_json(const std::string& text, std::string_view name);

/// Removes the whitespace between the values of a valid JSON text.
std::string in_one_line(std::string text);

/// Returns the part of a foreign text that a message shows: at most the first 60 bytes, in whole characters,
/// with "..." if something is cut off, and with spaces for control characters, which a terminal would obey.
std::string shown(std::string_view text);

/// Returns line and column, both from 1, of the byte at `offset` (from 0): "line 3, column 7". `first_line`
/// is the number of the text's first line, if the text is part of a file.
std::string position_in(std::string_view text, std::size_t offset, std::size_t first_line = 1);

}  // namespace loopbench::reports
