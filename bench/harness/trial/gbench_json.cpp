// The parser accepts rows with missing fields, because contenders in other languages can omit some fields. It
// rejects times in an unknown unit, because such a time would become a wrong number.
#include "bench/harness/trial/gbench_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "reports/base/json_node.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

std::string_view text_or(const json& row, const char* key, std::string_view otherwise) {
    const auto found = row.find(key);
    return found != row.end() && found->is_string() ? std::string_view{found->get_ref<const std::string&>()}
                                                    : otherwise;
}

double ns_per(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, double>, 4> units{
        {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
    const auto* found = std::ranges::find(units, unit, &std::pair<std::string_view, double>::first);
    if (found == units.end())
        throw gbench_error{"the program printed the unknown time_unit \"{}\"", reports::shown(unit)};
    return found->second;
}

std::optional<double> finite(const json& value) {
    if (!value.is_number()) return std::nullopt;
    const auto number = value.get<double>();
    return std::isfinite(number) ? std::optional{number} : std::nullopt;
}

gbench_row read_row(const json& from) {
    gbench_row row;
    row.name = text_or(from, "run_name", text_or(from, "name", ""));
    if (from.value("error_occurred", json(false)) == json(true))
        row.error = text_or(from, "error_message", "the contender reported an error without a message");
    // Google Benchmark 1.8 and later report a skipped benchmark in this field.
    else if (from.value("skipped", json(false)) == json(true))
        row.error =
            fmt::format("unsupported: {}", text_or(from, "skip_message", "the benchmark skipped itself"));
    row.family = finite(from.value("family_index", json()));
    row.instance = finite(from.value("per_family_instance_index", json()));
    const auto ns = ns_per(text_or(from, "time_unit", "ns"));
    for (const auto& [key, value] : from.items()) {
        if (!value.is_number() && !value.is_null()) continue;
        const auto number = finite(value);
        if (key == "real_time")
            row.real_time_ns = number ? std::optional{*number * ns} : std::nullopt;
        else if (key == "cpu_time")
            row.cpu_time_ns = number ? std::optional{*number * ns} : std::nullopt;
        else
            row.counters[key] = number;
    }
    return row;
}

std::vector<std::string> hidden_counters(std::string_view text) {
    std::set<std::string> hidden;
    const reports::document document{text, {.twice = reports::duplicates::first_counts}};
    const auto rows = document.root().find("benchmarks");
    if (!rows) return {};
    rows->each_element([&](const reports::node& row) {
        std::set<std::string> seen;
        row.each_field([&](const std::string& key, const reports::node&) {
            if (!seen.insert(key).second) hidden.insert(key);
        });
    });
    return {hidden.begin(), hidden.end()};
}

json parse(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw gbench_error{"the program printed nothing"};
    try {
        // A counter can have the same name as a standard field of a row. Google Benchmark writes the standard
        // fields first, so the first value is used.
        return reports::parse_strictly(without_bare_non_finite(text), reports::duplicates::first_counts);
    } catch (const reports::format_error& error) {
        throw gbench_error{"the program printed invalid JSON: {}; the output begins with \"{}\"",
                           error.what(), reports::shown(text)};
    }
}

}  // namespace

std::string without_bare_non_finite(std::string_view text) {
    constexpr std::array<std::string_view, 4> words{"NaN", "-NaN", "Infinity", "-Infinity"};
    std::string clean;
    clean.reserve(text.size());
    bool in_string = false;
    for (std::size_t i = 0; i < text.size();) {
        const auto rest = text.substr(i);
        const auto word =
            std::ranges::find_if(words, [&](auto candidate) { return rest.starts_with(candidate); });
        if (!in_string && word != words.end()) {
            clean += "null";
            i += word->size();
            continue;
        }
        if (in_string && rest.front() == '\\' && rest.size() > 1)
            clean += text[i++];
        else if (rest.front() == '"')
            in_string = !in_string;
        clean += text[i++];
    }
    return clean;
}

std::pair<reports::result_status, std::string_view> outcome_of_error(std::string_view message) {
    constexpr std::string_view unsupported = "unsupported:";
    if (!message.starts_with(unsupported)) return {reports::result_status::failed, message};
    message.remove_prefix(unsupported.size());
    message.remove_prefix(std::min(message.find_first_not_of(' '), message.size()));
    return {reports::result_status::unsupported, message};
}

std::string unit_of_min_time(const json& context) {
    // Since version 1.8.3, Google Benchmark prints "json_schema_version" and wants the unit "s" after
    // --benchmark_min_time. All earlier versions accept a number without a unit.
    return context.contains("json_schema_version") ? "s" : "";
}

gbench_output parse_gbench_json(std::string_view text) {
    const auto document = parse(text);
    const auto rows = document.is_object() ? document.find("benchmarks") : document.end();
    if (!document.is_object() || rows == document.end() || !rows->is_array())
        throw gbench_error{"the program printed JSON without the list \"benchmarks\""};
    gbench_output output;
    output.context = document.value("context", json::object());
    if (!output.context.is_object()) output.context = json::object();
    for (const auto* private_key : {"host_name", "executable"}) output.context.erase(private_key);
    if (const auto bytes = reports::dump(output.context).size(); bytes > context_bytes_max)
        throw gbench_error{"the program printed a JSON context of {} bytes; the limit is {}", bytes,
                           context_bytes_max};
    std::vector<gbench_row> means;
    for (const auto& row : *rows) {
        if (!row.is_object()) throw gbench_error{"the program printed a benchmark that is not a JSON object"};
        if (text_or(row, "run_type", "iteration") != "aggregate")
            output.rows.push_back(read_row(row));
        else if (text_or(row, "aggregate_name", "") == "mean")
            means.push_back(read_row(row));
    }
    if (const auto hidden = hidden_counters(without_bare_non_finite(text)); !hidden.empty())
        output.context["ignored_counters"] = hidden;
    const auto identity = [](const gbench_row& row) {
        return std::tuple{row.name, row.family, row.instance};
    };
    std::set<decltype(identity(gbench_row{}))> shown;
    for (const auto& row : output.rows) shown.insert(identity(row));
    for (auto& mean : means)
        if (!shown.contains(identity(mean))) output.rows.push_back(std::move(mean));
    return output;
}

}  // namespace loopbench::bench
