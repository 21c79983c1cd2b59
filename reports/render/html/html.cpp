// Builds the page from the other files in this folder. The page contains the report as JSON, which has a
// fifth of the size of report.json: each text is stored only once, and a result is a list. A full report then
// fits into an email.
#include "reports/render/html/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "reports/model/json.hpp"
#include "reports/model/metrics.hpp"
#include "reports/model/report_index.hpp"
#include "reports/model/scaling.hpp"
#include "reports/render/html/causes_html.hpp"
#include "reports/render/scaling_text.hpp"
#include "reports/render/summary_sentences.hpp"
#include "reports/render/trust.hpp"

#define LOOPBENCH_EMBED(name, file)                                                          \
    __asm__(".pushsection .rodata,\"a\",@progbits\n" #name ":\n.incbin \"" file "\"\n" #name \
            "_end:\n"                                                                        \
            ".popsection\n");                                                                \
    extern "C" const char name[], name##_end[];

LOOPBENCH_EMBED(loopbench_page_html, LOOPBENCH_PAGE "/page.html")
LOOPBENCH_EMBED(loopbench_page_css, LOOPBENCH_PAGE "/page.css")
LOOPBENCH_EMBED(loopbench_elements_js, LOOPBENCH_PAGE "/elements.js")
LOOPBENCH_EMBED(loopbench_address_js, LOOPBENCH_PAGE "/address.js")
LOOPBENCH_EMBED(loopbench_contenders_js, LOOPBENCH_PAGE "/contenders.js")
LOOPBENCH_EMBED(loopbench_drawings_js, LOOPBENCH_PAGE "/drawings.js")
LOOPBENCH_EMBED(loopbench_charts_js, LOOPBENCH_PAGE "/charts.js")
LOOPBENCH_EMBED(loopbench_report_html, LOOPBENCH_PAGE "/report.html")
LOOPBENCH_EMBED(loopbench_data_js, LOOPBENCH_PAGE "/data.js")
LOOPBENCH_EMBED(loopbench_answer_js, LOOPBENCH_PAGE "/answer.js")
LOOPBENCH_EMBED(loopbench_speed_js, LOOPBENCH_PAGE "/speed.js")
LOOPBENCH_EMBED(loopbench_comparison_js, LOOPBENCH_PAGE "/comparison.js")
LOOPBENCH_EMBED(loopbench_cards_js, LOOPBENCH_PAGE "/cards.js")
LOOPBENCH_EMBED(loopbench_matrix_js, LOOPBENCH_PAGE "/matrix.js")
LOOPBENCH_EMBED(loopbench_scaling_js, LOOPBENCH_PAGE "/scaling.js")
LOOPBENCH_EMBED(loopbench_report_js, LOOPBENCH_PAGE "/report.js")
LOOPBENCH_EMBED(loopbench_trends_html, LOOPBENCH_PAGE "/trends.html")
LOOPBENCH_EMBED(loopbench_trends_js, LOOPBENCH_PAGE "/trends.js")
LOOPBENCH_EMBED(loopbench_chart_js, LOOPBENCH_CHART_JS)

#define LOOPBENCH_EMBEDDED(name) \
    std::string_view {           \
        name, name##_end         \
    }

namespace loopbench::reports {

namespace {

using json = nlohmann::ordered_json;

class text_pool {
public:
    std::size_t place_of(const std::string& text) {
        const auto [found, added] = places_.try_emplace(text, texts_.size());
        if (added) texts_.push_back(text);
        return found->second;
    }
    [[nodiscard]] const json& texts() const { return texts_; }

private:
    std::unordered_map<std::string, std::size_t> places_;
    json texts_ = json::array();
};

constexpr int digits_of_medians = 9, digits_of_bounds = 8, digits_of_trials = 4;

/// Appends the number in the shortest form that JavaScript can read: "1677e2" instead of "1.677e+05".
void add_short(std::string& out, std::optional<double> value, int digits) {
    std::string text;
    add_number(text, value, digits);
    if (const auto at = text.find('e'); at != std::string::npos) {
        const auto point = text.find('.');
        const auto places = point == std::string::npos ? 0 : static_cast<int>(at - point) - 1;
        const auto exponent = std::stoi(text.substr(at + 1)) - places;
        text.resize(at);
        std::erase(text, '.');
        if (exponent != 0) fmt::format_to(std::back_inserter(text), "e{}", exponent);
    }
    out += text;
}

void add_estimate(std::string& out, std::optional<double> median, std::optional<double> low,
                  std::optional<double> high) {
    out += ',';
    add_short(out, median, digits_of_medians);
    for (const auto& each : {low, high}) {
        out += ',';
        add_short(out, each, digits_of_bounds);
    }
}

template <class estimate>
void add_quotient(std::string& out, const std::optional<estimate>& of, std::string estimate::*name,
                  text_pool& texts) {
    if (!of) {
        out += ",null";
        return;
    }
    fmt::format_to(std::back_inserter(out), ",[{}", texts.place_of((*of).*name));
    add_estimate(out, of->median, of->low, of->high);
    out += ']';
}

/// Appends the fields that few results have: [layout_pct, deviation between hosts, max_of, to_epoll]. Appends
/// null if the result has none of them.
void add_rare(std::string& out, const result& item, text_pool& texts) {
    if (!item.layout_pct && !item.by_host && !item.max_of && !item.to_epoll) {
        out += ",null";
        return;
    }
    out += ",[";
    add_short(out, item.layout_pct, digits_of_bounds);
    out += ',';
    add_short(out, item.by_host ? item.by_host->deviation_pct : std::nullopt, digits_of_bounds);
    out += item.max_of ? fmt::format(",{}", *item.max_of) : ",null";
    add_quotient(out, item.to_epoll, &driver_ratio::to, texts);
    if (item.to_epoll) {
        out.pop_back();
        fmt::format_to(std::back_inserter(out), ",{}]",
                       texts.place_of(std::string{name_of(item.to_epoll->judged)}));
    }
    out += ']';
}

std::string kind_of(const result& item) {
    return dump(json{item.unit, name_of(item.better), name_of(item.made), name_of(item.status),
                     item.reason ? json(*item.reason) : json(nullptr), item.level});
}

struct pools {
    text_pool texts, kinds;
};

/// Appends the fields in the order in which data.js reads them.
void add_result(std::string& out, const result& item, pools& in) {
    auto& texts = in.texts;
    fmt::format_to(std::back_inserter(out), "[{},{},{}", texts.place_of(item.workload),
                   texts.place_of(item.contender), texts.place_of(item.metric));
    add_estimate(out, item.median, item.low, item.high);
    add_quotient(out, item.to_baseline, &ratio::to, texts);
    add_quotient(out, item.from_baseline, &difference::to, texts);
    add_quotient(out, item.times_floor, &floor_multiple::floor, texts);
    out += item.judged ? fmt::format(",{},", texts.place_of(std::string{name_of(*item.judged)})) : ",null,";
    add_short(out, item.detectable_pct, digits_of_bounds);
    add_rare(out, item, texts);
    fmt::format_to(std::back_inserter(out), ",{},[", in.kinds.place_of(kind_of(item)));
    for (std::size_t i = 0; i < item.samples.size(); ++i) {
        if (i > 0) out += ',';
        add_short(out, item.samples[i], digits_of_trials);
    }
    out += "]]";
}

std::string results_of(const report& content, pools& in) {
    std::string out = "[";
    for (const auto& item : content.results) {
        if (out.size() > 1) out += ",\n";
        add_result(out, item, in);
    }
    return out + "]";
}

constexpr int curve_steps_per_decade = 8, curve_decades = 6;
constexpr double fewest_values_beyond = 10;

/// Returns the quantiles in equal steps on a logarithmic scale of 1/(1-share). At least ten values exceed the
/// last quantile, because a quantile with fewer values above it is inaccurate.
json curve_of(const histogram& from) {
    std::uint64_t count = 0, seen = 0;
    for (const auto& each : from.values) count += each.count;
    auto values = json::array();
    auto next = from.values.begin();
    for (int step = 0; step <= curve_steps_per_decade * curve_decades; ++step) {
        const double beyond = std::pow(10, -static_cast<double>(step) / curve_steps_per_decade);
        if (beyond * static_cast<double>(count) < fewest_values_beyond) break;
        const auto wanted = static_cast<double>(count) * (1 - beyond);
        for (; next != from.values.end() && static_cast<double>(seen + next->count) < wanted; ++next)
            seen += next->count;
        if (next == from.values.end()) break;
        values.push_back(std::min(next->highest_ns, from.max_ns));
    }
    return {{"values", values}, {"count", count}, {"max", from.max_ns}, {"mean", from.mean_ns}};
}

json curves_of(std::span<const histogram> histograms, text_pool& texts) {
    auto all = json::array();
    for (const auto& each : histograms) {
        auto curve = curve_of(each);
        curve["workload"] = texts.place_of(each.workload);
        curve["contender"] = texts.place_of(each.contender);
        curve["metric"] = each.metric;
        curve["trials"] = each.trials;
        all.push_back(std::move(curve));
    }
    return all;
}

/// Returns the summary sentences. The field `from` of a sentence contains indexes into the report's list of
/// results.
json summary_as_json(const report& content) {
    auto all = json::array();
    for (const auto& each : summary_sentences_of(content)) {
        auto from = json::array();
        for (const auto* item : each.from) from.push_back(item - content.results.data());
        all.push_back({{"about", name_of(each.about)},
                       {"title", each.title},
                       {"text", each.text},
                       {"from", std::move(from)}});
    }
    return all;
}

/// Returns [median, low, high, verdict], or null.
json ratio_as_json(const std::optional<paired_ratio>& of, text_pool& texts) {
    if (!of) return nullptr;
    return {of->median, of->low ? json(*of->low) : json(nullptr), of->high ? json(*of->high) : json(nullptr),
            texts.place_of(std::string{name_of(of->judged)})};
}

/// Returns the sets of curves. A point is [state, work, CPU time per operation]; both are relative to one
/// thread. scaling.js reads the fields in this order.
json scaling_as_json(const report& content, text_pool& texts) {
    auto all = json::array();
    const report_index index{content};
    for (const auto& set : curves_of(index)) {
        auto values = json::array(), curves = json::array();
        for (const auto& [value, workload] : set.values)
            values.push_back({value, texts.place_of(std::string{workload})});
        for (const auto& each : set.curves) {
            auto points = json::array();
            for (const auto& point : each.points)
                points.push_back({texts.place_of(std::string{name_of(point.state)}),
                                  ratio_as_json(point.work, texts),
                                  ratio_as_json(point.cpu_per_operation, texts)});
            curves.push_back({texts.place_of(std::string{each.contender}), std::move(points)});
        }
        all.push_back({{"title", set.title},
                       {"name", set.name},
                       {"key", set.key},
                       {"metric", set.metric},
                       {"is_speed", set.is_speed},
                       {"sentence", set.is_speed ? sentence_about(set, index) : ""},
                       {"missing", set.key == "threads" ? note_about_missing(set) : ""},
                       {"values", std::move(values)},
                       {"curves", std::move(curves)}});
    }
    return all;
}

json trust_as_json(const report& content) {
    const auto found = trust_in(content);
    return {{"word", name_of(found.word)}, {"reasons", found.reasons}, {"blocks", blocks_in(content)}};
}

json primary_metrics_of(const report& content) {
    auto all = json::array();
    const report_index index{content};
    for (const auto& [workload, metrics] : index.headlines()) all.push_back({workload, metrics});
    return all;
}

json metrics() {
    auto all = json::object();
    for (const auto& each : known_metrics())
        all[std::string{each.name}] = {{"title", each.title}, {"summary", each.summary}};
    return all;
}

/// Replaces the characters that could end the script element or look like markup with escape sequences.
std::string inert(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 16);
    for (const char c : text) {
        if (c == '<' || c == '>' || c == '&')
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out;
}

std::string data_of(const report& content, std::span<const histogram> histograms, const report* before) {
    auto rest = content;
    rest.results.clear();
    rest.causes.reset();
    pools in;
    const auto results = results_of(content, in);
    const auto old_results = before != nullptr ? results_of(*before, in) : "[]";
    const auto curves = curves_of(histograms, in.texts), scaling = scaling_as_json(content, in.texts);
    std::string kinds;
    for (const auto& kind : in.kinds.texts()) kinds += (kinds.empty() ? "" : ",") + kind.get<std::string>();
    return fmt::format(
        R"({{"report":{},"summary":{},"trust":{},"headlines":{},"metrics":{},"curves":{},"steps_per_decade":{},"scaling":{},"texts":{},"kinds":[{}],"results":{},"before":{}}})",
        dump(to_json(rest)), dump(summary_as_json(content)), dump(trust_as_json(content)),
        dump(primary_metrics_of(content)), dump(metrics()), dump(curves), curve_steps_per_decade,
        dump(scaling), dump(in.texts.texts()), kinds, results, old_results);
}

struct page_parts {
    std::string_view title, body;
    std::vector<std::string_view> scripts;
};

/// Replaces the marks in the text, which must contain each of them once, in this order.
std::string with_parts(std::string_view text,
                       std::span<const std::pair<std::string_view, std::string_view>> parts) {
    std::string out;
    for (const auto& [mark, part] : parts) {
        const auto at = text.find(mark);
        out.append(text.substr(0, at)).append(part);
        text.remove_prefix(at + mark.size());
    }
    return out.append(text);
}

std::string page_of(const page_parts& own, std::string_view data) {
    std::string scripts;
    for (const auto script :
         {LOOPBENCH_EMBEDDED(loopbench_elements_js), LOOPBENCH_EMBEDDED(loopbench_address_js),
          LOOPBENCH_EMBEDDED(loopbench_contenders_js), LOOPBENCH_EMBEDDED(loopbench_drawings_js),
          LOOPBENCH_EMBEDDED(loopbench_charts_js)})
        scripts += script;
    for (const auto script : own.scripts) scripts += script;
    const auto inert_data = inert(data);
    const std::array<std::pair<std::string_view, std::string_view>, 6> parts{{
        {"{{title}}", own.title},
        {"{{page.css}}", LOOPBENCH_EMBEDDED(loopbench_page_css)},
        {"{{body}}", own.body},
        {"{{data}}", inert_data},
        {"{{chart.js}}", LOOPBENCH_EMBEDDED(loopbench_chart_js)},
        {"{{scripts}}", scripts},
    }};
    return with_parts(LOOPBENCH_EMBEDDED(loopbench_page_html), parts);
}

}  // namespace

std::string write_html(const report& content, std::span<const histogram> histograms, const report* before) {
    const auto causes = list_of_causes(content), profiles = section_of_profiles(content);
    const std::array<std::pair<std::string_view, std::string_view>, 2> parts{
        {{"{{causes}}", causes}, {"{{profiles}}", profiles}}};
    const auto body = with_parts(LOOPBENCH_EMBEDDED(loopbench_report_html), parts);
    return page_of({"loopbench report",
                    body,
                    {LOOPBENCH_EMBEDDED(loopbench_data_js), LOOPBENCH_EMBEDDED(loopbench_answer_js),
                     LOOPBENCH_EMBEDDED(loopbench_speed_js), LOOPBENCH_EMBEDDED(loopbench_comparison_js),
                     LOOPBENCH_EMBEDDED(loopbench_cards_js), LOOPBENCH_EMBEDDED(loopbench_matrix_js),
                     LOOPBENCH_EMBEDDED(loopbench_scaling_js), LOOPBENCH_EMBEDDED(loopbench_report_js)}},
                   data_of(content, histograms, before));
}

std::string write_trends_html(std::string_view history) {
    return page_of({"loopbench trends",
                    LOOPBENCH_EMBEDDED(loopbench_trends_html),
                    {LOOPBENCH_EMBEDDED(loopbench_trends_js)}},
                   fmt::format(R"({{"metrics":{},"history":{}}})", dump(metrics()), history));
}

}  // namespace loopbench::reports
