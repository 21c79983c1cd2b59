#include "reports/render/formats/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

#include "reports/model/report_index.hpp"
#include "reports/render/asio_loops.hpp"
#include "reports/render/causes.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/scaling_text.hpp"
#include "reports/render/summary_sentences.hpp"

namespace loopbench::reports {

namespace {

std::string family_section(const family& group) {
    const auto columns = columns_for(group.lines);
    auto out = fmt::format("### {}\n\n|", escaped_markdown(group.name));
    for (const auto& shown : columns) out += fmt::format(" {} |", shown.title);
    out += "\n|";
    for (const auto& shown : columns) out += shown.right_aligned ? "---:|" : "---|";
    out += "\n";
    for (const auto& from : group.lines) {
        const auto note = from.note();
        out += "|";
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (note.empty() || i < naming_columns)
                out += fmt::format(" {} |", escaped_markdown(columns[i].cell(from)));
            else
                out += i == naming_columns ? fmt::format(" {} |", escaped_markdown(note)) : " |";
        }
        out += "\n";
    }
    const auto note = contradiction_note(group.lines);
    return out + (note.empty() ? "\n" : fmt::format("\n{}\n\n", escaped_markdown(note)));
}

constexpr std::size_t rows_shown = 10;

std::string escaped_html(std::string_view text) {
    return escaped(text, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}});
}

std::string table_of(const std::vector<std::vector<std::string>>& rows) {
    std::string out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
        if (i > 0) continue;
        for (std::size_t cell = 0; cell < rows[i].size(); ++cell) out += "|---";
        out += "|\n";
    }
    return out + "\n";
}

/// Returns a section for each workload whose work per second was measured with several numbers of threads.
std::string sections_of_threads(const report& content) {
    const report_index index{content};
    std::string out;
    for (const auto& set : curves_of(index)) {
        if (!set.is_speed) continue;
        auto rows = threads_table(set, index);
        for (auto& row : rows) std::ranges::transform(row, row.begin(), escaped_markdown);
        out +=
            fmt::format("### {}: share of linear scaling\n\n{}", escaped_markdown(set.name), table_of(rows));
        for (const auto& line : {sentence_about(set, index), note_about_missing(set)})
            if (!line.empty()) out += escaped_markdown(line) + "\n\n";
    }
    return out.empty() ? out : out + escaped_markdown(legend_of_threads) + "\n\n";
}

std::string table_of_comparison(const report& content) {
    std::vector<const result*> all;
    const report_index index{content};
    for (const auto& item : content.results)
        if (item.judged && index.is_about(item)) all.push_back(&item);
    const auto severity = [](const result* item) {
        constexpr std::array order{verdict::slower, verdict::inconclusive, verdict::faster};
        return std::pair{std::ranges::find(order, *item->judged) - order.begin(), item};
    };
    std::ranges::sort(all, {}, severity);
    std::vector<std::vector<std::string>> rows{{"benchmark", "contender", "comparison"}};
    for (const auto* const item : std::span{all}.first(std::min(all.size(), rows_shown)))
        rows.push_back({escaped_markdown(item->workload), escaped_markdown(item->contender),
                        escaped_markdown(comparison_text(*item))});
    return all.empty() ? "" : table_of(rows);
}

bool is_faster(const standing& each) {
    return each.item->judged == verdict::faster;
}

std::string table_of_fastest(const report& content) {
    if (!is_compared(content)) return "";
    constexpr std::size_t names_shown = 3;
    std::vector<std::vector<std::string>> rows{
        {"workload", escaped_markdown(content.baseline), "fastest", "times as fast"}};
    const report_index index{content};
    for (const auto workload : index.workloads()) {
        const auto* const baseline = index.baseline(workload, "time");
        auto first = leaders(standings(content, workload, "time"), content.baseline);
        if (first.empty() || baseline == nullptr || !index.is_about(*baseline)) continue;
        if (rows.size() > rows_shown) break;
        // Only contenders that are significantly faster than the baseline have the ratio, if there are any.
        const bool is_decided = std::ranges::any_of(first, is_faster);
        if (is_decided) std::erase_if(first, std::not_fn(is_faster));
        const auto& best = first.front();
        std::vector<std::string> names;
        for (const auto& each : first) names.push_back(escaped_markdown(each.item->contender));
        const auto more = names.size() > names_shown ? names.size() - names_shown : 0;
        names.resize(names.size() - more);
        rows.push_back(
            {escaped_markdown(workload), escaped_markdown(human_time(*baseline->median)),
             fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""),
             fmt::format("{}× ({} to {}){}", three_digits(best.ratio), three_digits(best.low),
                         three_digits(best.high),
                         is_decided || best.item->contender == content.baseline ? "" : " ?")});
    }
    return rows.size() == 1 ? "" : table_of(rows);
}

/// Returns the causes as a list, and the profiles as folded tables.
std::string causes_of(const report& content) {
    std::string out;
    for (const auto& sentence : cause_sentences(content))
        out += fmt::format("- {}\n", escaped_markdown(sentence));
    if (out.empty()) return out;
    out += "\n";
    for (const auto& each : *content.causes) {
        if (!each.profiled) continue;
        std::vector<std::vector<std::string>> rows{{"function", "more time", "before", "after"}};
        for (const auto& function : functions_to_show(each))
            rows.push_back({escaped_markdown(function.name), more_time_text(function.more_ns),
                            share_text(function.before_pct / 100), share_text(function.after_pct / 100)});
        out += folded_markdown(title_of_profile(each),
                               rows.size() == 1 ? std::string{no_function_to_show} : table_of(rows)) +
               "\n";
    }
    return out;
}

std::string lead_of(const report& content) {
    if (content.gate) {
        const auto loops = asio_loops_text(content);
        return fmt::format("**{}**\n\n{}{}", escaped_markdown(content.gate->verdict),
                           loops.empty() ? "" : escaped_markdown(loops) + "\n\n", causes_of(content));
    }
    const auto sentences = summary_sentences_of(content);
    if (sentences.empty()) return "**No results**\n\n";
    return fmt::format("**{}:** {}\n\n", escaped_markdown(sentences.front().title),
                       escaped_markdown(sentences.front().text));
}

/// Returns the lead, the short table, and folded sections with all tables and warnings.
std::string with_details(const report& content, const std::string& short_table) {
    auto out = lead_of(content) + short_table;
    std::string all;
    for (const auto& group : families_of(content)) all += family_section(group);
    all += sections_of_threads(content);
    out +=
        folded_markdown("All results of " + content.where.date, all + escaped_markdown(legend_for(content)));
    if (content.warnings.empty()) return out;
    // The prefix "- Warning:" keeps a warning's text from being read as a heading, a list or a quotation.
    std::vector<std::string> warnings;
    for (const auto& item : content.warnings)
        warnings.push_back(
            fmt::format("- Warning: {}: {}", escaped_markdown(item.message), escaped_markdown(item.remedy)));
    return out + "\n" +
           folded_markdown(fmt::format("{} warning{}", warnings.size(), warnings.size() == 1 ? "" : "s"),
                           fmt::format("{}", fmt::join(warnings, "\n")));
}

}  // namespace

std::string folded_markdown(std::string_view title, std::string_view text) {
    return fmt::format("<details>\n<summary>{}</summary>\n\n{}\n\n</details>\n", escaped_html(title), text);
}

std::string escaped_markdown(std::string_view text) {
    return escaped(text, {{'<', "&lt;"},
                          {'&', "&amp;"},
                          {'|', "\\|"},
                          {'\\', "\\\\"},
                          {'`', "\\`"},
                          {'*', "\\*"},
                          {'_', "\\_"},
                          {'~', "\\~"},
                          {'[', "\\["},
                          {']', "\\]"}});
}

std::string write_markdown(const report& content) {
    return with_details(content, content.gate              ? table_of_comparison(content)
                                 : why_unreliable(content) ? ""
                                                           : table_of_fastest(content));
}

std::string write_markdown(const report& content, const std::vector<std::vector<std::string>>& comparison) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : std::span{comparison}.first(std::min(comparison.size(), rows_shown + 1)))
        std::ranges::transform(row, std::back_inserter(rows.emplace_back()), escaped_markdown);
    return with_details(content, table_of(rows));
}

}  // namespace loopbench::reports
