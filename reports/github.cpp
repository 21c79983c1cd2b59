// ::error title=Where::What
#include "reports/github.hpp"

#include <fmt/format.h>

#include "reports/columns.hpp"

namespace loopbench::reports {

namespace {

/// What would end a command is written as a percentage.
std::string in_text(std::string_view text) {
    return escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}}, "\r\n");
}

/// The same for what would end a title.
std::string in_title(std::string_view text) {
    return escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}}, "\r\n");
}

std::string annotation(const result& time) {
    const auto title = fmt::format("{} on {}", time.contender, time.workload);
    if (time.status == cell_status::failed)
        return github_command("error", title, time.reason.value_or("failed"));
    if (time.status == cell_status::not_run)
        return github_command("notice", title, time.reason.value_or("not run"));
    if (!time.judged || !time.to_baseline) return {};
    const auto& ratio = *time.to_baseline;
    if (*time.judged == verdict::slower)
        return github_command(
            "error", title,
            fmt::format("slower than {} by {:.1f} %: {:.3f} times its speed, 95 % interval {:.3f} to {:.3f}",
                        ratio.to, 100 * (1 / ratio.median - 1), ratio.median,
                        ratio.low.value_or(ratio.median), ratio.high.value_or(ratio.median)));
    if (*time.judged != verdict::inconclusive) return {};
    return github_command("notice", title,
                          time.detectable_pct
                              ? fmt::format("inconclusive, could have seen {:.2g} %", *time.detectable_pct)
                              : "inconclusive, too few blocks to see any difference");
}

}  // namespace

std::string github_command(std::string_view kind, std::string_view title, std::string_view text) {
    return fmt::format("::{} title={}::{}\n", kind, in_title(title), in_text(text));
}

std::string write_github(const report& content) {
    std::string out;
    for (const auto& item : content.results)
        if (item.metric == "time") out += annotation(item);
    for (const auto& item : content.warnings)
        out += github_command("warning", item.code, fmt::format("{}; {}", item.message, item.remedy));
    return out;
}

}  // namespace loopbench::reports
