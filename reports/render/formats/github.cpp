#include "reports/render/formats/github.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/render/columns.hpp"
#include "reports/render/summary_sentences.hpp"

namespace loopbench::reports {

namespace {

std::string in_text(std::string_view text) {
    return escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}}, "\r\n");
}

std::string in_title(std::string_view text) {
    return escaped(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}}, "\r\n");
}

}  // namespace

std::string github_command(std::string_view kind, std::string_view title, std::string_view text) {
    return fmt::format("::{} title={}::{}\n", kind, in_title(title), in_text(text));
}

std::string github_annotations(std::span<const annotation> all) {
    constexpr std::size_t most = 10;
    std::string text;
    for (const auto& item : all.first(std::min(most, all.size())))
        text += github_command(item.kind, item.title, item.text);
    if (all.size() > most)
        text += github_command(
            "notice", "loopbench",
            fmt::format("{} more are not shown, because GitHub shows ten annotations per step; the report "
                        "contains them",
                        all.size() - most));
    return text;
}

std::string write_github(const report& content) {
    std::vector<annotation> failures, warnings, rest;
    for (const auto& item : content.results) {
        if (item.metric != "time") continue;
        const auto title = fmt::format("{} on {}", item.contender, item.workload);
        if (item.status == result_status::failed)
            failures.push_back({"error", title, item.reason.value_or("failed")});
        if (item.status == result_status::not_run)
            rest.push_back({"notice", title, item.reason.value_or("not run")});
    }
    for (const auto& item : content.warnings)
        warnings.push_back({"warning", item.code, fmt::format("{}; {}", item.message, item.remedy)});
    std::string out;
    if (const auto sentences = summary_sentences_of(content); !sentences.empty())
        out += github_command("notice", sentences.front().title, sentences.front().text);
    failures.insert(failures.end(), warnings.begin(), warnings.end());
    failures.insert(failures.end(), rest.begin(), rest.end());
    return out + github_annotations(failures);
}

}  // namespace loopbench::reports
