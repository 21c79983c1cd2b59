#include "bench/harness/history/place.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/history/store.hpp"
#include "bench/harness/machine/environment.hpp"
#include "bench/harness/trial/usage_error.hpp"

namespace loopbench::bench {

namespace {

struct place_part {
    std::size_t begin = 0, end = 0;
};

/// Returns the position of the password that follows the user name in a URL. Also finds a password that is
/// not escaped correctly, so that every password can be hidden. (For libpq, the password ends at the first @
/// if no slash precedes this @.)
std::optional<place_part> password_of_user(std::string_view place) {
    const auto begin = place.find("://") + 3;
    const auto colon = place.find(':', begin), first = place.find('@', begin);
    if (first == std::string_view::npos || colon > first) return std::nullopt;
    const auto query = std::min(place.find('?', begin), place.size());
    auto at = place.rfind('@', query);
    if (at == std::string_view::npos || at < begin) {
        // A question mark precedes the first @. It begins the query if a slash precedes the @, and if a port
        // follows the colon or the host is in brackets. Otherwise, it belongs to the password.
        const auto slash = place.find('/', begin);
        const auto port = place.substr(colon + 1, std::min(slash, query) - colon - 1);
        const bool is_port = port.find_first_not_of("0123456789,") == std::string_view::npos;
        if (slash < first && (is_port || place[begin] == '[')) return std::nullopt;
        at = place.rfind('@', slash < first ? std::string_view::npos : slash);
    }
    return place_part{colon + 1, at};
}

std::vector<place_part> passwords_in(std::string_view place) {
    std::vector<place_part> all;
    if (!is_postgresql(place)) return all;
    if (const auto found = password_of_user(place)) all.push_back(*found);
    constexpr std::string_view key = "password=";
    for (auto at = place.find(key); at != std::string_view::npos; at = place.find(key, at + 1))
        if (const auto begin = at + key.size(); all.empty() || all.back().end <= at)
            all.push_back({begin, std::min(place.find('&', begin), place.size())});
    return all;
}

}  // namespace

bool is_postgresql(std::string_view where) {
    return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

void refuse_other_urls(std::string_view where) {
    const auto scheme = where.substr(0, std::min(where.find("://"), where.size()));
    const bool is_url = !scheme.empty() && scheme.size() < where.size() &&
                        std::ranges::all_of(scheme, [](unsigned char c) { return std::isalnum(c) != 0; });
    if (is_url && !is_postgresql(where))
        throw usage_error{
            "a history cannot have a URL that begins with {}://; use --history with an SQLite file or "
            "postgresql://USER@HOST/DATABASE",
            scheme};
}

void refuse_unescaped_passwords(std::string_view where) {
    const auto is_hex = [](std::string_view digits) {
        return digits.size() == 2 && digits != "00" &&
               digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    };
    for (const auto [begin, end] : passwords_in(where)) {
        const auto password = where.substr(begin, end - begin);
        const bool is_in_query = where[begin - 1] == '=';  // in a query, / and @ do not end the password
        bool is_written_well = is_in_query || password.find_first_of("/@") == std::string_view::npos;
        for (auto at = password.find('%'); at != std::string_view::npos; at = password.find('%', at + 1))
            is_written_well = is_written_well && is_hex(password.substr(at + 1, 2));
        if (!is_written_well)
            throw usage_error{
                "the password in {} contains a character that a URL must encode as %XX (/ is %2F, @ is "
                "%40, and % is %25); leave it out, and keep it in ~/.pgpass",
                without_password(where)};
    }
}

std::string without_password(std::string_view place) {
    std::string shown{place};
    auto all = passwords_in(place);
    std::ranges::reverse(all);  // replaces the last password first, so that earlier positions stay valid
    for (const auto [begin, end] : all) shown.replace(begin, end - begin, "***");
    return shown;
}

std::string history_place(const std::string& asked) {
    if (!asked.empty()) return asked;
    if (const char* place = ::getenv("LOOPBENCH_HISTORY"); place != nullptr && *place != '\0') return place;
    if (const auto data = user_folder("XDG_DATA_HOME", ".local/share")) return *data / "loopbench/history.db";
    throw usage_error{
        "there is no folder for a history, because neither XDG_DATA_HOME nor HOME is set; choose a file with "
        "--history"};
}

}  // namespace loopbench::bench
