// Reading a report that somebody else may have written, cut short or edited: every field is checked, and what
// is wrong is named by its place ("results[3].median").
#include <fmt/format.h>

#include <algorithm>

#include "reports/json.hpp"

namespace loopbench::reports {

namespace {

using json = nlohmann::ordered_json;

/// A value in the document together with the way to it.
class node {
public:
    node(const json& value, std::string path) : value_{value}, path_{std::move(path)} {}

    [[nodiscard]] node at(const std::string& key) const {
        if (!value_.is_object()) mismatch("an object");
        const auto found = value_.find(key);
        if (found == value_.end()) fail(fmt::format("the field \"{}\" is missing", key));
        return {*found, path_.empty() ? key : path_ + "." + key};
    }

    template <class function>
    [[nodiscard]] auto each(function convert) const {
        if (!value_.is_array()) mismatch("a list");
        std::vector<decltype(convert(*this))> all;
        all.reserve(value_.size());
        for (std::size_t i = 0; i < value_.size(); ++i)
            all.push_back(convert(node{value_[i], fmt::format("{}[{}]", path_, i)}));
        return all;
    }

    [[nodiscard]] std::string text() const {
        if (!value_.is_string()) mismatch("a text");
        return value_.get<std::string>();
    }
    [[nodiscard]] bool flag() const {
        if (!value_.is_boolean()) mismatch("true or false");
        return value_.get<bool>();
    }
    [[nodiscard]] double number() const {
        if (!value_.is_number()) mismatch("a number");
        return value_.get<double>();
    }
    [[nodiscard]] std::uint64_t natural() const {
        if (!value_.is_number_unsigned()) mismatch("a whole number that is not negative");
        return value_.get<std::uint64_t>();
    }
    [[nodiscard]] std::int64_t count() const {
        constexpr std::uint64_t largest = INT64_MAX;
        return static_cast<std::int64_t>(std::min(natural(), largest));
    }
    [[nodiscard]] const json& object() const {
        if (!value_.is_object()) mismatch("an object");
        return value_;
    }

    /// The value as `read` gives it, or nothing for null.
    template <class value>
    [[nodiscard]] std::optional<value> maybe(value (node::*read)() const) const {
        if (value_.is_null()) return std::nullopt;
        return (this->*read)();
    }

    template <class value, class names>
    [[nodiscard]] value one_of(const names& all) const {
        const auto found = std::ranges::find(all, text());
        if (found == all.end()) fail(fmt::format("\"{}\" is not one of {}", text(), fmt::join(all, ", ")));
        return static_cast<value>(found - all.begin());
    }

    [[nodiscard]] bool is_null() const { return value_.is_null(); }

    [[noreturn]] void fail(const std::string& cause) const {
        throw format_error{path_.empty() ? cause : fmt::format("{}: {}", path_, cause)};
    }

private:
    [[noreturn]] void mismatch(std::string_view expected) const {
        fail(fmt::format("expected {}, found {}", expected, value_.type_name()));
    }

    const json& value_;
    std::string path_;
};

ratio read_ratio(const node& from) {
    return {from.at("to").text(), from.at("median").number(), from.at("low").maybe(&node::number),
            from.at("high").maybe(&node::number)};
}

result read_result(const node& from) {
    result item;
    item.workload = from.at("workload").text();
    item.contender = from.at("contender").text();
    item.metric = from.at("metric").text();
    item.unit = from.at("unit").text();
    item.better = from.at("direction").one_of<direction>(direction_names);
    item.deterministic = from.at("deterministic").flag();
    item.samples = from.at("samples").each([](const node& sample) { return sample.maybe(&node::number); });
    item.median = from.at("median").maybe(&node::number);
    item.low = from.at("low").maybe(&node::number);
    item.high = from.at("high").maybe(&node::number);
    item.level = from.at("level").number();
    if (const auto found = from.at("ratio"); !found.is_null()) item.to_baseline = read_ratio(found);
    if (const auto found = from.at("verdict"); !found.is_null())
        item.judged = found.one_of<verdict>(verdict_names);
    item.detectable_pct = from.at("detectable_pct").maybe(&node::number);
    item.status = from.at("status").one_of<cell_status>(cell_status_names);
    item.reason = from.at("reason").maybe(&node::text);
    return item;
}

contender read_contender(const node& from) {
    return {from.at("name").text(),
            from.at("library").maybe(&node::text),
            from.at("version").maybe(&node::text),
            from.at("compiler").maybe(&node::text),
            from.at("flags").maybe(&node::text),
            from.at("socket_options").maybe(&node::text),
            from.at("context").object()};
}

environment read_environment(const node& from) {
    environment where;
    where.date = from.at("date").text();
    where.loopbench_version = from.at("loopbench_version").text();
    where.kernel = from.at("kernel").text();
    where.cpu_model = from.at("cpu_model").text();
    where.cores = from.at("cores").count();
    where.memory_bytes = from.at("memory_bytes").count();
    where.governor = from.at("governor").maybe(&node::text);
    where.clocksource = from.at("clocksource").maybe(&node::text);
    where.timer_slack_ns = from.at("timer_slack_ns").count();
    const auto load = from.at("load_average");
    const auto values = load.each([](const node& value) { return value.number(); });
    if (values.size() != where.load_average.size()) load.fail("expected three numbers");
    std::ranges::copy(values, where.load_average.begin());
    return where;
}

report read_report(const node& from) {
    const auto schema = from.at("schema");
    if (schema.text() != report_schema)
        schema.fail(fmt::format("\"{}\" is not \"{}\", the one that this loopbench reads", schema.text(),
                                report_schema));
    report content;
    content.complete = from.at("complete").flag();
    content.seed = from.at("seed").natural();
    content.baseline = from.at("baseline").text();
    content.command = from.at("command").each([](const node& word) { return word.text(); });
    content.where = read_environment(from.at("environment"));
    content.contenders = from.at("contenders").each(read_contender);
    content.results = from.at("results").each(read_result);
    content.warnings = from.at("warnings").each([](const node& item) {
        return warning{item.at("code").text(), item.at("message").text(), item.at("remedy").text()};
    });
    return content;
}

constexpr std::string_view remedy = "write it again with `loopbench run`";

}  // namespace

std::string position_in(std::string_view text, std::size_t offset) {
    const auto before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto last_break = before.rfind('\n');
    const auto column = last_break == std::string_view::npos ? before.size() + 1 : before.size() - last_break;
    return fmt::format("line {}, column {}", line, column);
}

report read_json(std::string_view text, std::string_view name) {
    try {
        return read_report(node{json::parse(text), ""});
    } catch (const json::parse_error& error) {
        throw format_error{fmt::format("{} is not a report: {}: not JSON, or cut short; {}", name,
                                       position_in(text, error.byte > 0 ? error.byte - 1 : 0), remedy)};
    } catch (const json::exception& error) {
        throw format_error{fmt::format("{} is not a report: {}; {}", name, error.what(), remedy)};
    } catch (const format_error& error) {
        throw format_error{fmt::format("{} is not a report: {}; {}", name, error.what(), remedy)};
    }
}

}  // namespace loopbench::reports
