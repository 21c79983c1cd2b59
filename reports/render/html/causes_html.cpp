#include "reports/render/html/causes_html.hpp"

#include <fmt/format.h>

#include <iterator>

#include "reports/render/causes.hpp"
#include "reports/render/html/flame_graph.hpp"
#include "reports/render/html/markup.hpp"

namespace loopbench::reports {

namespace {

std::string table_of_functions(const slowdown_cause& of, std::string_view caption) {
    auto out = fmt::format(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table class=\"plain\">"
        "<caption>Functions with additional time</caption><thead><tr><th scope=\"col\">function</th><th "
        "scope=\"col\">additional time"
        "</th><th scope=\"col\">share before</th><th scope=\"col\">share after</th></tr></thead><tbody>\n",
        in_markup(caption));
    for (const auto& each : functions_to_show(of))
        fmt::format_to(std::back_inserter(out),
                       "<tr><th scope=\"row\"><bdi class=\"name\">{}</bdi></th><td>{}</td><td>{}</td>"
                       "<td>{}</td></tr>\n",
                       in_markup(each.name), in_markup(more_time_text(each.more_ns)),
                       share_text(each.before_pct / 100), share_text(each.after_pct / 100));
    return out + "</tbody></table></div>\n";
}

}  // namespace

std::string list_of_causes(const report& content) {
    const auto sentences = cause_sentences(content);
    if (sentences.empty()) return {};
    std::string out = "<ul id=\"found-causes\">\n";
    for (const auto& sentence : sentences)
        out += fmt::format("<li><span class=\"name\">{}</span></li>\n", in_markup(sentence));
    return out + "</ul>\n";
}

std::string section_of_profiles(const report& content) {
    if (!content.causes) return {};
    std::string out;
    std::size_t number = 0;
    for (const auto& each : *content.causes) {
        if (!each.profiled) continue;
        const auto title = title_of_profile(each);
        out += fmt::format("<h3>{}</h3>\n", in_markup(title));
        out += flame_graph(*each.profiled, fmt::format("flame-{}", ++number), title);
        if (!functions_to_show(each).empty()) out += table_of_functions(each, title);
    }
    if (out.empty()) return out;
    return "<section id=\"profiles\" data-short=\"Profiles\">\n<h2>Where the additional time is spent</h2>\n"
           "<p class=\"note\">Each box is a function above its caller; its width is its time in the new "
           "build. <span class=\"worse\">▼ The function's own code takes longer</span>, "
           "<span class=\"better\">▲ shorter</span> than before. The times are estimates from profiles of "
           "both builds.</p>\n" +
           out + "</section>\n";
}

}  // namespace loopbench::reports
