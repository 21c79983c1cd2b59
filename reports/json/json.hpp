// report.json: the result structs to text and back. report.schema.json in this folder says the same to
// others.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "reports/formatted_error.hpp"
#include "reports/results.hpp"

namespace loopbench::reports {

/// A text is not a report; what() says where and why.
class format_error : public formatted_error {
public:
    using formatted_error::formatted_error;
};

nlohmann::ordered_json to_json(const environment& where);
nlohmann::ordered_json to_json(const report& content);

/// JSON text of one value. Numbers in their shortest form that reads back the same, text that is not UTF-8
/// with replacement characters: names come from outside and must not stop a report. What no terminal should
/// see is escaped. `indent` -1 is one line.
std::string dump(const nlohmann::ordered_json& value, int indent = -1);

/// Null where there is no number, and for what JSON has none for (NaN, infinity).
nlohmann::ordered_json number_or_null(std::optional<double> value);

/// Appends it with so many digits at the most, or null where number_or_null() gives that.
void add_number(std::string& out, std::optional<double> value, int digits);

/// `text` with replacement characters for what is not UTF-8, as it comes back from a file.
std::string valid_utf8(std::string_view text);

/// report.json.
std::string write_json(const report& content);

/// The report in `text`; throws format_error naming `name`, the position, the cause and the remedy.
report read_json(const std::string& text, std::string_view name);

/// The report in `text` as report.json has it, after read_json() found it to be one. What this loopbench does
/// not know is kept: fields that a newer one, or somebody else, added.
std::string rewrite_json(const std::string& text, std::string_view name);

/// A text that was read as JSON, without the blanks between its values.
std::string in_one_line(std::string text);

/// What a message shows of a text from outside: its first 60 bytes at the most, whole characters, with "..."
/// where something was left out, and a space for every control character, as a terminal would obey those.
std::string shown(std::string_view text);

/// Line and column, both from 1, of the byte at `offset` (from 0): "line 3, column 7". `first_line` is the
/// number of the text's first one, where it is a part of a file.
std::string position_in(std::string_view text, std::size_t offset, std::size_t first_line = 1);

}  // namespace loopbench::reports
