// Writes workflow commands like "::error title=Where::What".
#include "reports/render/formats/github.hpp"

#include <fmt/format.h>

#include <span>

#include "reports/model/report_index.hpp"
#include "reports/render/columns.hpp"

namespace loopbench::reports {

namespace {

/// Percent-encodes the characters that would end a command.
std::string in_text(std::string_view text) {
    return escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}}, "\r\n");
}

/// Percent-encodes the characters that would end a command or its title.
std::string in_title(std::string_view text) {
    return escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}}, "\r\n");
}

/// Returns the annotations of one workload and contender. `judged` contains the results for the workload's
/// primary metrics, or nothing if the session is unreliable.
std::string annotations(const result& time, std::span<const result* const> judged) {
    const auto title = fmt::format("{} on {}", time.contender, time.workload);
    if (time.status == result_status::failed)
        return github_command("error", title, time.reason.value_or("failed"));
    if (time.status == result_status::not_run)
        return github_command("notice", title, time.reason.value_or("not run"));
    std::string all;
    for (const auto* const item : judged) {
        if (item->judged == verdict::slower)
            all += github_command("error", title, how_much_worse(*item));
        else if (item == judged.front() && item->judged == verdict::inconclusive)
            all += github_command("notice", title, why_inconclusive(*item));
    }
    return all;
}

}  // namespace

std::string github_command(std::string_view kind, std::string_view title, std::string_view text) {
    return fmt::format("::{} title={}::{}\n", kind, in_title(title), in_text(text));
}

std::string write_github(const report& content) {
    std::string out;
    const report_index index{content};
    const auto unreliable = why_unreliable(content);
    if (unreliable)
        out += github_command("notice", "unreliable", *unreliable);  // GitHub shows at most ten per step
    for (const auto& item : content.results) {
        if (item.metric != "time") continue;
        const auto judged = index.judged(item.workload, item.contender);
        out += annotations(item, unreliable ? std::span<const result* const>{} : judged);
    }
    for (const auto& item : content.warnings)
        out += github_command("warning", item.code, fmt::format("{}; {}", item.message, item.remedy));
    return out;
}

}  // namespace loopbench::reports
