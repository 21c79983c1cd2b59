#include "reports/render/terminal/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reports/render/asio_loops.hpp"
#include "reports/render/causes.hpp"
#include "reports/render/columns.hpp"
#include "reports/render/scaling_text.hpp"
#include "reports/render/terminal/fixed_width.hpp"

namespace loopbench::reports {

namespace {

std::string missing_metrics(const family& group) {
    std::vector<std::pair<std::string, std::size_t>> reasons;
    for (const auto& from : group.lines)
        for (const auto& metric : from.headline) {
            const auto* const found = from.find(metric);
            if (found == nullptr || found->median || !found->reason || found->status != result_status::ok)
                continue;
            const auto text = metric + ": " + *found->reason;
            const auto at = std::ranges::find(reasons, text, &std::pair<std::string, std::size_t>::first);
            if (at == reasons.end())
                reasons.emplace_back(text, 1);
            else
                ++at->second;
        }
    std::string out;
    for (const auto& [text, cells] : reasons)
        out += printable(fmt::format("  no {} ({} {})", text, cells, cells == 1 ? "cell" : "cells")) + "\n";
    return out;
}

std::string family_lines(const family& group) {
    const auto columns = columns_for(group.lines);
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto width = width_of(columns[i].title);
        for (const auto& from : group.lines)
            if (i < naming_columns || from.note().empty())
                width = std::max(width, width_of(columns[i].cell(from)));
        widths.push_back(width);
    }
    std::string row;
    for (std::size_t i = 0; i < columns.size(); ++i)
        row += "  " + padded(std::string{columns[i].title}, widths[i], columns[i].right_aligned);
    auto out = printable(group.name) + "\n" + finished(row);
    for (const auto& from : group.lines) {
        row.clear();
        const auto note = from.note();
        for (std::size_t i = 0; i < (note.empty() ? columns.size() : naming_columns); ++i)
            row += "  " + padded(columns[i].cell(from), widths[i], columns[i].right_aligned);
        out += finished(note.empty() ? row : row + "  " + note);
    }
    const auto note = contradiction_note(group.lines);
    return out + (note.empty() ? "" : "  " + note + "\n") + missing_metrics(group) + "\n";
}

/// Returns a table for each workload whose work per second was measured with several numbers of threads.
std::string tables_of_threads(const report& content) {
    const report_index index{content};
    std::string out;
    for (const auto& set : curves_of(index)) {
        if (!set.is_speed) continue;
        auto rows = threads_table(set, index);
        for (auto& row : rows)
            std::ranges::transform(row, row.begin(), [](auto& cell) { return printable(cell); });
        out += fmt::format("{}: share of linear scaling\n{}", printable(set.name), aligned(rows, 1));
        for (const auto& line : {sentence_about(set, index), note_about_missing(set)})
            if (!line.empty()) out += fmt::format("  {}\n", printable(line));
        out += "\n";
    }
    return out.empty() ? out : fmt::format("{}{}\n\n", out, legend_of_threads);
}

std::string with_environment(const contender& who) {
    const auto set = context_text(who.context, "environment");
    return set ? fmt::format(" ({})", *set) : "";
}

}  // namespace

std::string programs_text(const report& content) {
    std::string out;
    for (const auto& who : content.contenders)
        if (const auto program = context_text(who.context, "program"); program && *program != who.name)
            out += fmt::format("{}{} = {}{}", out.empty() ? "" : ", ", who.name, *program,
                               with_environment(who));
    if (!out.empty()) out = printable(out) + "\n";
    constexpr std::size_t line_width = 100;
    for (const auto& line : wrapped(printable(asio_loops_text(content)), line_width)) out += line + "\n";
    return out.empty() ? out : out + "\n";
}

std::string write_table(const report& content) {
    auto out =
        content.gate ? printable(content.gate->verdict) + "\n" + write_causes(content) + "\n" : std::string{};
    out += programs_text(content);
    for (const auto& group : families_of(content)) out += family_lines(group);
    return out + tables_of_threads(content) + legend_for(content) + "\n";
}

}  // namespace loopbench::reports
