// Reads callgrind's profiles (Valgrind User Manual, chapter "Callgrind Format Specification").
#include "bench/harness/counting/callgrind.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace loopbench::bench {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Cuts ".isra.0" and similar endings, of which there can be several.
std::string_view without_endings(std::string_view name) {
    constexpr std::string_view endings[] = {".constprop", ".isra", ".part", ".cold", ".lto_priv", ".llvm"};
    for (bool is_cut = true; is_cut;) {
        is_cut = false;
        for (const auto ending : endings)
            if (const auto at = name.rfind(ending); at != std::string_view::npos && at > 0) {
                const auto rest = name.substr(at + ending.size());
                is_cut = std::ranges::all_of(rest, [](char c) { return c == '.' || is_digit(c); });
                if (is_cut) name = name.substr(0, at);
            }
    }
    return name;
}

/// The names of a file: "(12) name'caller" defines the number 12, and "(12)" refers to it.
class numbered_names {
public:
    std::string take(std::string_view text) {
        const auto end = text.find(')');
        if (!text.starts_with('(') || end == std::string_view::npos) return std::string{text};
        auto& name = names_[std::string{text.substr(1, end - 1)}];
        text.remove_prefix(end + 1);
        if (text.starts_with(' ')) name = text.substr(1);
        return name;
    }

private:
    std::map<std::string, std::string, std::less<>> names_;
};

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// Converts "f'g'main" to "main;g;f". A recursive function has a number: "f'2".
std::string stack_of(std::string_view name) {
    std::string stack;
    auto parts = split(name, '\'');
    std::erase_if(parts, [](std::string_view part) { return std::ranges::all_of(part, is_digit); });
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        stack += (stack.empty() ? "" : ";") + function_name(*part);
    return stack;
}

/// Returns the cost in a line of positions and costs, for example 5 in "+3 5" or "0x401000 12 5".
std::optional<double> cost_in(std::string_view line) {
    const auto at = line.rfind(' ');
    constexpr std::string_view first = "0123456789+-*";
    if (line.empty() || first.find(line.front()) == std::string_view::npos || at == std::string_view::npos)
        return std::nullopt;
    std::uint64_t cost = 0;
    const auto digits = line.substr(at + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cost);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return static_cast<double>(cost);
}

}  // namespace

std::string function_name(std::string_view symbol) {
    constexpr std::string_view clone = " [clone ";
    if (const auto at = symbol.find(clone); at != std::string_view::npos) symbol = symbol.substr(0, at);
    std::string name{without_endings(symbol)};
    std::ranges::replace(name, ';', ',');
    return name;
}

command_words callgrind_arguments(const std::string& record) {
    return {"-q",
            "--tool=callgrind",
            "--trace-children=yes",
            "--vgdb=no",
            "--separate-callers=50",
            "--separate-recs=1",
            "--callgrind-out-file=" + record + ".%p"};
}

weighted_stacks stacks_in_callgrind(std::string_view text) {
    weighted_stacks found;
    numbered_names names;
    std::string stack;
    bool is_of_call = false;  // true if the next cost belongs to a call, and not to the function itself
    bool has_events = false;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        has_events = has_events || line.starts_with("events: Ir");
        if (line.starts_with("fn=")) {
            stack = stack_of(names.take(line.substr(3)));
        } else if (line.starts_with("cfn=")) {
            names.take(line.substr(4));
        } else if (line.starts_with("calls=")) {
            is_of_call = true;
        } else if (const auto cost = cost_in(line)) {
            if (!std::exchange(is_of_call, false) && !stack.empty()) found[stack] += *cost;
        }
    }
    if (!has_events || found.empty()) throw uncountable{"callgrind wrote no profile"};
    return found;
}

double total_weight(const weighted_stacks& of) {
    return std::accumulate(of.begin(), of.end(), 0.0,
                           [](double sum, const auto& each) { return sum + each.second; });
}

}  // namespace loopbench::bench
