// Converts the structs of results.hpp to report.json and back. report.schema.json documents the format.
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
nlohmann::ordered_json to_json(const std::vector<slowdown_cause>& causes);
nlohmann::ordered_json to_json(const report& content);

/// Returns the JSON text, in one line if `indent` is -1. A number gets the shortest form that is read back as
/// the same number. Replaces invalid UTF-8, and escapes characters that could control a terminal.
std::string dump(const nlohmann::ordered_json& value, int indent = -1);

/// Returns null for a missing number, and for numbers that JSON cannot represent (NaN, infinity).
nlohmann::ordered_json number_or_null(std::optional<double> value);

/// Appends the number with at most `digits` significant digits. Appends null if the number is missing, NaN or
/// infinite.
void add_number(std::string& out, std::optional<double> value, int digits);

std::string valid_utf8(std::string_view text);

std::string write_json(const report& content);

/// Parses a report. Throws format_error with `name` (the file's name), the position, the cause and the
/// remedy.
report read_json(const std::string& text, std::string_view name);

/// Returns `text` in the form of report.json, after a check with read_json(). Keeps unknown fields, because a
/// later version or another tool might have added them.
std::string rewrite_json(const std::string& text, std::string_view name);

/// Removes the whitespace between the values of `text`, which must be valid JSON.
std::string in_one_line(std::string text);

/// Returns `text` in a form that is safe in a message: cut to at most 60 bytes without splitting a character,
/// and with spaces instead of control characters, which could control a terminal.
std::string shown(std::string_view text);

/// Returns for example "line 3, column 7" for the byte at `offset`, which is counted from 0. `first_line` is
/// the number of the text's first line in its file.
std::string position_in(std::string_view text, std::size_t offset, std::size_t first_line = 1);

}  // namespace loopbench::reports
