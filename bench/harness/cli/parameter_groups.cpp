#include "bench/harness/cli/parameter_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace loopbench::bench {

namespace {

/// A part of a workload's name between two slashes. For example, the part "conns:1" has the text "conns:" and
/// the value "1".
struct part {
    std::string text, value;
};

std::vector<part> parts_of(const std::string& name) {
    std::vector<part> parts;
    for (const auto& word : CLI::detail::split(name, '/')) {
        const auto colon = word.find(':');
        const bool is_parameter = colon != std::string::npos && colon > 0 && colon + 1 < word.size();
        const auto end = is_parameter ? colon + 1 : word.size();
        parts.push_back({word.substr(0, end), word.substr(end)});
    }
    return parts;
}

struct family {
    std::vector<std::string> texts;
    std::vector<std::vector<std::string>> values;
    std::vector<std::string> names;

    void add(const std::string& name, const std::vector<part>& parts) {
        names.push_back(name);
        values.resize(parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (std::ranges::find(values[i], parts[i].value) == values[i].end())
                values[i].push_back(parts[i].value);
    }

    [[nodiscard]] bool is_complete() const {
        std::size_t combinations = 1;
        for (const auto& each : values) combinations *= each.size();
        return combinations == names.size();
    }

    [[nodiscard]] std::string pattern() const {
        std::vector<std::string> words;
        for (std::size_t i = 0; i < texts.size(); ++i)
            words.push_back(values[i].size() > 1
                                ? fmt::format("{}{{{}}}", texts[i], fmt::join(values[i], ","))
                                : texts[i] + values[i].front());
        return fmt::format("{}", fmt::join(words, "/"));
    }
};

}  // namespace

std::vector<parameter_group> grouped_by_parameters(std::span<const std::string> names) {
    std::vector<family> families;
    for (const auto& name : names) {
        const auto parts = parts_of(name);
        std::vector<std::string> texts;
        for (const auto& each : parts) texts.push_back(each.text);
        auto found = std::ranges::find(families, texts, &family::texts);
        if (found == families.end()) found = families.insert(found, {texts, {}, {}});
        found->add(name, parts);
    }
    std::vector<parameter_group> groups;
    for (const auto& each : families)
        if (each.is_complete())
            groups.push_back({each.pattern(), each.names});
        else
            for (const auto& name : each.names) groups.push_back({name, {name}});
    return groups;
}

}  // namespace loopbench::bench
