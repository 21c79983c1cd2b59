// The parser accepts rows with missing fields, because contenders in other languages can omit some fields. It
// rejects times in an unknown unit, because such a time would become a wrong number.
#include "bench/harness/trial/gbench_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

#include "reports/base/json_node.hpp"

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

std::optional<double> in_ns(std::optional<double> number, double ns) {
    return number && std::isfinite(*number * ns) ? std::optional{*number * ns} : std::nullopt;
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
    row.label = text_or(from, "label", "");
    row.has_run_type = from.contains("run_type");
    row.family = finite(from.value("family_index", json()));
    row.instance = finite(from.value("per_family_instance_index", json()));
    const auto ns = ns_per(text_or(from, "time_unit", "ns"));
    for (const auto& [key, value] : from.items()) {
        if (!value.is_number() && !value.is_null()) continue;
        const auto number = finite(value);
        if (key == "real_time")
            row.real_time_ns = in_ns(number, ns);
        else if (key == "cpu_time")
            row.cpu_time_ns = number.value_or(0) < 0 ? std::nullopt : in_ns(number, ns);
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

/// Returns a number with a decimal comma or with separators of thousands, such as 1,5e+00 or 1.234.567, or
/// nothing if there is none.
std::optional<std::string> number_of_a_locale(std::string_view text) {
    // Every repetition is bounded, because std::regex needs stack memory for each of them.
    static const std::regex number{
        R"re(": ?(-?\d,\d{1,20}e[-+]\d{2}|\d{1,3}([,']\d{3}){1,6}\b|\d{1,3}(\.\d{3}){2,6}\b))re"};
    std::match_results<std::string_view::const_iterator> found;
    if (!std::regex_search(text.begin(), text.end(), found, number)) return std::nullopt;
    return found[1].str();
}

/// Returns the file name in the context's "executable". Google Benchmark before 1.4.2 wrote the backslashes
/// of Windows paths without escapes (google/benchmark#641). Therefore, in valid JSON, a control character in
/// the path stands for a backslash and a letter: "build\bench.exe".
std::string file_name_in(std::string path) {
    constexpr std::array<std::pair<char, std::string_view>, 5> read_as_escapes{
        {{'\b', "\\b"}, {'\f', "\\f"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}}};
    for (const auto& [character, printed] : read_as_escapes)
        for (auto at = path.find(character); at != std::string::npos; at = path.find(character, at))
            path.replace(at, 1, printed);
    return path.substr(path.find_last_of("/\\") + 1);
}

json parse(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw gbench_error{"the program printed nothing"};
    try {
        // A counter can have the same name as a standard field of a row. Google Benchmark writes the standard
        // fields first, so the first value is used.
        return read_corrected(text, [](std::string_view valid) {
            return reports::parse_strictly(valid, reports::duplicates::first_counts);
        });
    } catch (const reports::format_error& error) {
        if (const auto number = number_of_a_locale(text))
            throw gbench_error{
                "the program printed numbers in the format of a locale ({}), which is invalid "
                "JSON; run it with LC_ALL=C, or remove std::locale::global() from it",
                *number};
        throw gbench_error{"the program printed invalid JSON: {}; the output begins with \"{}\"",
                           error.what(), reports::shown(text)};
    }
}

}  // namespace

namespace {

/// Returns the position after the string that begins at the start of the text, or the size of the text.
std::size_t end_of_string(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return text.size();
}

bool is_escape(std::string_view after_backslash) {
    constexpr std::string_view simple = R"("\/bfnrt)";
    const auto digits = after_backslash.substr(std::min<std::size_t>(1, after_backslash.size()), 4);
    return !after_backslash.empty() &&
           (simple.find(after_backslash[0]) != std::string_view::npos ||
            (after_backslash[0] == 'u' && digits.size() == 4 &&
             digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos));
}

/// Returns true if a backslash in the quoted string escapes nothing. Google Benchmark before 1.5 wrote all
/// texts without escapes (google/benchmark#745).
bool has_plain_backslashes(std::string_view quoted) {
    for (auto at = quoted.find('\\'); at != std::string_view::npos; at = quoted.find('\\', at + 2))
        if (!is_escape(quoted.substr(at + 1))) return true;
    return false;
}

/// Returns true if `rest` begins with the percent sign of a number that ends `before`: "rms": 12%
/// (google/benchmark#300).
bool is_percent_of_number(std::string_view before, std::string_view rest) {
    constexpr std::string_view digits = "0123456789", ends = ",}] \t\r\n";
    return rest.front() == '%' && !before.empty() &&
           (digits.find(before.back()) != std::string_view::npos || before.ends_with("null")) &&
           (rest.size() == 1 || ends.find(rest[1]) != std::string_view::npos);
}

void add_with_escapes(std::string& to, std::string_view quoted) {
    for (std::size_t i = 0; i < quoted.size(); ++i) {
        to += quoted[i];
        if (quoted[i] == '\\' && !quoted.substr(i + 1).starts_with('"')) to += '\\';
    }
}

}  // namespace

std::string as_valid_json(std::string_view text) {
    // Google Benchmark before 1.5 printed the words of the C library.
    constexpr std::array<std::string_view, 8> words{"NaN", "-NaN", "Infinity", "-Infinity",
                                                    "nan", "-nan", "inf",      "-inf"};
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const auto word =
            std::ranges::find_if(words, [&](auto candidate) { return text.starts_with(candidate); });
        if (word != words.end()) {
            clean += "null";
            text.remove_prefix(word->size());
        } else if (text.front() == '"') {
            const auto quoted = text.substr(0, end_of_string(text));
            if (quoted.ends_with('"') && has_plain_backslashes(quoted))
                add_with_escapes(clean, quoted);
            else
                clean += quoted;
            text.remove_prefix(quoted.size());
        } else {
            clean += is_percent_of_number(clean, text) ? ' ' : text.front();
            text.remove_prefix(1);
        }
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

namespace {

using identity = std::tuple<std::string, std::optional<double>, std::optional<double>>;

identity identity_of(const gbench_row& row) {
    return {row.name, row.family, row.instance};
}

/// Returns true if the row is a fitted complexity (BigO or RMS), which belongs to a family of benchmarks.
bool is_complexity(const json& row) {
    const auto name = text_or(row, "aggregate_name", "");
    return name == "BigO" || name == "RMS" ||
           (!row.contains("real_time") && (row.contains("big_o") || row.contains("rms")));
}

constexpr std::array<std::string_view, 4> aggregate_suffixes{"_mean", "_stddev", "_median", "_cv"};

/// Returns the name without a suffix such as "_mean".
std::string without_aggregate(const std::string& name) {
    const auto found =
        std::ranges::find_if(aggregate_suffixes, [&](std::string_view each) { return name.ends_with(each); });
    return found == aggregate_suffixes.end() ? name : name.substr(0, name.size() - found->size());
}

std::optional<double> iterations_of(const gbench_row& row) {
    const auto found = row.counters.find("iterations");
    return found == row.counters.end() ? std::nullopt : found->second;
}

/// The rows of a program, sorted by their kind.
struct sorted_rows {
    std::vector<gbench_row> single, means, other_aggregates;
};

sorted_rows sorted(const json& rows) {
    sorted_rows all;
    for (const auto& row : rows) {
        if (!row.is_object()) throw gbench_error{"the program printed a benchmark that is not a JSON object"};
        if (is_complexity(row)) continue;
        auto next = read_row(row);
        const bool is_aggregate = text_or(row, "run_type", "iteration") == "aggregate";
        if (is_aggregate && !row.contains("run_name")) next.name = without_aggregate(next.name);
        const bool is_mean = is_aggregate && text_or(row, "aggregate_name", "") == "mean";
        (is_mean ? all.means : is_aggregate ? all.other_aggregates : all.single).push_back(std::move(next));
    }
    return all;
}

/// Returns the names of the benchmarks with aggregates that no run_type marks. Google Benchmark before 1.5
/// printed no run_type: if adjacent rows without one are called `sort_mean`, `sort_median` and `sort_stddev`
/// and have as many iterations, they are aggregates of `sort`. Versions before 1.3 printed no median; their
/// rows are aggregates only if there is also a row `sort`.
std::set<std::string> with_unmarked_aggregates(const std::vector<gbench_row>& rows) {
    std::set<std::string_view> names;
    for (const auto& row : rows) names.insert(row.name);
    const auto is_aggregate = [&](std::size_t at, const std::string& name, const gbench_row& mean) {
        return at < rows.size() && !rows[at].has_run_type && rows[at].name == name &&
               iterations_of(rows[at]) == iterations_of(mean);
    };
    std::set<std::string> found;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& mean = rows[i];
        if (mean.has_run_type || !mean.name.ends_with("_mean")) continue;
        auto plain = without_aggregate(mean.name);
        const bool has_median = is_aggregate(i + 1, plain + "_median", mean);
        if ((has_median || names.contains(plain)) &&
            is_aggregate(i + (has_median ? 2 : 1), plain + "_stddev", mean))
            found.insert(std::move(plain));
    }
    return found;
}

/// Moves aggregates that no run_type marks from the single rows to the aggregates.
void sort_unmarked_aggregates(sorted_rows& all) {
    const auto repeated = with_unmarked_aggregates(all.single);
    if (repeated.empty()) return;
    std::vector<gbench_row> single;
    for (auto& row : all.single) {
        auto plain = without_aggregate(row.name);
        const bool is_mean = row.name.ends_with("_mean");
        const bool is_aggregate = !row.has_run_type && plain != row.name && repeated.contains(plain);
        if (is_aggregate) row.name = std::move(plain);
        (!is_aggregate ? single : is_mean ? all.means : all.other_aggregates).push_back(std::move(row));
    }
    all.single = std::move(single);
}

/// Numbers further benchmarks of one name. Google Benchmark before 1.5.4 prints no index of the benchmark,
/// but a mean occurs once in each benchmark, and so does the index of a repetition, which 1.5.1 and later
/// print.
void tell_apart(std::vector<gbench_row>& rows, bool are_means) {
    std::map<std::pair<std::string_view, double>, double> seen;
    for (auto& row : rows) {
        const auto repetition = row.counters.find("repetition_index");
        const bool has_repetition = repetition != row.counters.end() && repetition->second;
        if (row.family || (!are_means && !has_repetition)) continue;
        const auto earlier = seen[{row.name, are_means ? 0 : *repetition->second}]++;
        if (earlier > 0) row.instance = earlier;
    }
}

/// Returns one row for each single run, and one for each benchmark that has only aggregates.
std::vector<gbench_row> representative(sorted_rows all) {
    tell_apart(all.single, false);
    tell_apart(all.means, true);
    std::set<identity> shown;
    std::set<std::string> shown_names;  // without an index, a mean can be of any benchmark with its name
    auto rows = std::move(all.single);
    for (const auto& row : rows) {
        shown.insert(identity_of(row));
        if (!row.family) shown_names.insert(row.name);
    }
    for (auto& mean : all.means) {
        const bool is_shown = !mean.family && shown_names.contains(mean.name);
        if (!is_shown && shown.insert(identity_of(mean)).second) rows.push_back(std::move(mean));
    }
    for (auto& row : all.other_aggregates)
        if (shown.insert(identity_of(row)).second) {
            row.error = "unsupported: the program printed only aggregates without a mean";
            rows.push_back(std::move(row));
        }
    return rows;
}

}  // namespace

gbench_output parse_gbench_json(std::string_view text) {
    const auto document = parse(text);
    const auto rows = document.is_object() ? document.find("benchmarks") : document.end();
    if (!document.is_object() || rows == document.end() || !rows->is_array())
        throw gbench_error{"the program printed JSON without the list \"benchmarks\""};
    gbench_output output;
    output.context = document.value("context", json::object());
    if (!output.context.is_object()) output.context = json::object();
    output.program = file_name_in(std::string{text_or(output.context, "executable", "")});
    for (const auto* private_key : {"host_name", "executable"}) output.context.erase(private_key);
    if (const auto bytes = reports::dump(output.context).size(); bytes > context_bytes_max)
        throw gbench_error{"the program printed a JSON context of {} bytes; the limit is {}", bytes,
                           context_bytes_max};
    auto sorted_ones = sorted(*rows);
    sort_unmarked_aggregates(sorted_ones);
    if (const auto hidden = read_corrected(text, hidden_counters); !hidden.empty())
        output.context["ignored_counters"] = hidden;
    output.rows = representative(std::move(sorted_ones));
    return output;
}

}  // namespace loopbench::bench
