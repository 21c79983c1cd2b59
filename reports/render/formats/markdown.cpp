// Escapes characters that Markdown or HTML would interpret, because names and reasons can contain any
// characters.
#include "reports/render/formats/markdown.hpp"

#include <fmt/format.h>

#include "reports/render/columns.hpp"

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

}  // namespace

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
    auto out = fmt::format("## loopbench, {}\n\n", escaped_markdown(content.where.date));
    for (const auto& group : families_of(content)) out += family_section(group);
    out += escaped_markdown(legend_for(content)) + "\n";
    // Begins each line with "- Warning:". Without this text, an arbitrary text could begin a heading, a list
    // or a quotation.
    for (const auto& item : content.warnings)
        out +=
            fmt::format("\n- Warning: {}: {}", escaped_markdown(item.message), escaped_markdown(item.remedy));
    if (!content.warnings.empty()) out += "\n";
    return out;
}

}  // namespace loopbench::reports
