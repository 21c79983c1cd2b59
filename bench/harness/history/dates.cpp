#include "bench/harness/history/dates.hpp"

#include <fmt/format.h>
#include <time.h>

namespace loopbench::bench {

namespace {

std::string stated_date(const std::string& date) {
    if (auto stated = in_utc(date)) return *std::move(stated);
    throw reports::format_error{
        "'{}' is not a date; expected a date like 2026-11-22 or 2026-11-22T18:07:18+01:00",
        reports::shown(date)};
}

}  // namespace

std::string utc_date(std::time_t seconds) {
    std::tm moment{};
    ::gmtime_r(&seconds, &moment);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", moment.tm_year + 1900, moment.tm_mon + 1,
                       moment.tm_mday, moment.tm_hour, moment.tm_min, moment.tm_sec);
}

std::optional<std::string> in_utc(const std::string& date) {
    std::tm moment{};
    const auto exists = [](std::tm day) {  // strptime() accepts the 31st of every month
        const auto asked = day.tm_mday;
        day.tm_hour = day.tm_min = day.tm_sec = 0;
        ::timegm(&day);
        return day.tm_mday == asked;
    };
    const auto is_of_form = [&](const char* form) {
        moment = {};
        return ::strptime(date.c_str(), form, &moment) == date.c_str() + date.size() && exists(moment);
    };
    if (is_of_form("%Y-%m-%d"))
        return fmt::format("{:04}-{:02}-{:02}", moment.tm_year + 1900, moment.tm_mon + 1, moment.tm_mday);
    if (!is_of_form("%Y-%m-%dT%H:%M:%S%z")) return std::nullopt;
    const auto east_of_greenwich = moment.tm_gmtoff;
    return utc_date(::timegm(&moment) - east_of_greenwich);
}

reports::format_error unwanted_date(const std::string& printed) {
    return reports::format_error{
        "its date {} has a time zone already, so --date does not apply; add this file without --date",
        reports::shown(printed)};
}

std::string date_by(const std::string& printed, const date_rule& rule) {
    const auto complete = in_utc(printed);
    const bool has_time = printed.find('T') != std::string::npos;
    if (complete && has_time && rule.date) throw unwanted_date(printed);
    if (complete && !rule.date) return *complete;
    if (rule.date) return stated_date(*rule.date);
    if (printed.empty())
        throw reports::format_error{
            "it contains no date; give the date of the measurement with --date, for example --date "
            "2026-11-22T18:07:18Z"};
    std::string as_utc = printed + "Z";
    if (const auto space = as_utc.find(' '); space != std::string::npos) as_utc[space] = 'T';
    const auto date = in_utc(as_utc);
    if (date && rule.assume_utc) return *date;
    throw reports::format_error{"its date \"{}\" {}", reports::shown(printed),
                                date ? "has no time zone; add --assume-utc, or give the date with --date"
                                     : "is invalid; give the date with --date"};
}

}  // namespace loopbench::bench
