#include "reports/render/formats/csv.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "reports/render/columns.hpp"

namespace loopbench::reports {

namespace {

std::string number(std::optional<double> value) {
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string{};
}

template <auto compared, auto member>
std::string part_of(const result& row) {
    const auto& found = row.*compared;
    if (!found) return {};
    if constexpr (requires { csv_text((*found).*member); })
        return csv_text((*found).*member);
    else
        return number((*found).*member);
}

struct csv_column {
    std::string_view title;
    std::string (*cell)(const result&);
};

constexpr std::array csv_columns{
    csv_column{"workload", [](const result& row) { return csv_text(row.workload); }},
    csv_column{"contender", [](const result& row) { return csv_text(row.contender); }},
    csv_column{"metric", [](const result& row) { return csv_text(row.metric); }},
    csv_column{"unit", [](const result& row) { return csv_text(row.unit); }},
    csv_column{"direction", [](const result& row) { return csv_text(name_of(row.better)); }},
    csv_column{"status", [](const result& row) { return csv_text(name_of(row.status)); }},
    csv_column{"reason", [](const result& row) { return csv_text(row.reason.value_or("")); }},
    csv_column{"trials", [](const result& row) { return fmt::format("{}", row.samples.size()); }},
    csv_column{"median", [](const result& row) { return number(row.median); }},
    csv_column{"low", [](const result& row) { return number(row.low); }},
    csv_column{"high", [](const result& row) { return number(row.high); }},
    csv_column{"level", [](const result& row) { return number(row.level); }},
    csv_column{"ratio_to", part_of<&result::to_baseline, &ratio::to>},
    csv_column{"ratio", part_of<&result::to_baseline, &ratio::median>},
    csv_column{"ratio_low", part_of<&result::to_baseline, &ratio::low>},
    csv_column{"ratio_high", part_of<&result::to_baseline, &ratio::high>},
    csv_column{"verdict",
               [](const result& row) { return std::string{row.judged ? name_of(*row.judged) : ""}; }},
    csv_column{"detectable_pct", [](const result& row) { return number(row.detectable_pct); }},
    csv_column{"floor", part_of<&result::times_floor, &floor_multiple::floor>},
    csv_column{"times_floor", part_of<&result::times_floor, &floor_multiple::median>},
    csv_column{"times_floor_low", part_of<&result::times_floor, &floor_multiple::low>},
    csv_column{"times_floor_high", part_of<&result::times_floor, &floor_multiple::high>},
    csv_column{"difference_to", part_of<&result::from_baseline, &difference::to>},
    csv_column{"difference", part_of<&result::from_baseline, &difference::median>},
    csv_column{"difference_low", part_of<&result::from_baseline, &difference::low>},
    csv_column{"difference_high", part_of<&result::from_baseline, &difference::high>},
    csv_column{"max_of",
               [](const result& row) { return row.max_of ? fmt::format("{}", *row.max_of) : std::string{}; }},
};

}  // namespace

std::string csv_text(std::string_view value) {
    constexpr std::string_view formula_starts = "=+-@\t\r";
    auto guarded = printable(value, "\t\r\n");
    if (!value.empty() && formula_starts.find(value.front()) != std::string_view::npos)
        guarded.insert(0, "'");
    if (guarded.find_first_of(",\"\r\n") == std::string::npos) return guarded;
    std::string quoted = "\"";
    for (const char c : guarded) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

std::string write_csv(const report& content) {
    std::string out;
    for (std::size_t i = 0; i < csv_columns.size(); ++i)
        out += fmt::format("{}{}", i == 0 ? "" : ",", csv_columns[i].title);
    out += "\r\n";
    for (const auto& row : content.results) {
        for (std::size_t i = 0; i < csv_columns.size(); ++i) {
            if (i > 0) out += ',';
            out += csv_columns[i].cell(row);
        }
        out += "\r\n";
    }
    return out;
}

}  // namespace loopbench::reports
