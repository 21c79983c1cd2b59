// Dates of reports and of files from other tools. All functions return UTC as ISO 8601, so that dates sort by
// time.
#pragma once

#include <ctime>
#include <optional>
#include <string>

#include "reports/model/json.hpp"

namespace loopbench::bench {

/// The user's statement about the date of a file that has no date, or a date without a time zone.
struct date_rule {
    std::optional<std::string> date = {};
    bool assume_utc = false;
};

/// Converts a date to UTC: returns "2026-11-22T17:07:18Z" for "2026-11-22T18:07:18+01:00". Returns a date
/// without a time unchanged, and nothing if the text is not a date.
std::optional<std::string> in_utc(const std::string& date);

/// Returns the date and time of a moment, given in seconds since 1970.
std::string utc_date(std::time_t seconds);

/// Returns the date of a file from another tool. `printed` is the date in the file, or empty if the file has
/// none. Throws reports::format_error, with the remedy, if `printed` is incomplete and `rule` does not
/// complete it, or if `printed` is complete and `rule` contradicts it.
std::string date_by(const std::string& printed, const date_rule& rule);

/// The error for a stated date of a file whose own date is complete.
reports::format_error unwanted_date(const std::string& printed);

}  // namespace loopbench::bench
