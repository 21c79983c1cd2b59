#include "bench/harness/profiling/perf_script.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace loopbench::bench {

namespace {

std::string_view file_name(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Returns the function in a line such as "    55d0c3a2 f(int) (/usr/bin/program)", or nothing if the line is
/// not a part of a stack.
std::optional<std::string> function_in(std::string_view line) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return std::nullopt;
    line.remove_prefix(begin);
    const auto address = line.find_first_not_of(hexadecimal);
    if (address == 0 || address == std::string_view::npos || line[address] != ' ') return std::nullopt;
    line.remove_prefix(address + 1);
    const auto file = line.rfind(" (");
    if (file == std::string_view::npos || !line.ends_with(')')) return std::nullopt;
    const auto symbol = line.substr(0, file);
    if (symbol.starts_with("[unknown]")) {
        auto path = line.substr(file + 2);
        path.remove_suffix(1);
        return path.starts_with('[') ? std::string{path} : "[" + std::string{file_name(path)} + "]";
    }
    return function_name(symbol);
}

}  // namespace

weighted_stacks stacks_in_perf_script(std::string_view text) {
    weighted_stacks found;
    std::vector<std::string> functions;  // the innermost one first
    const auto end_sample = [&] {
        std::string stack;
        for (auto each = functions.rbegin(); each != functions.rend(); ++each)
            stack += (stack.empty() ? "" : ";") + *each;
        if (!stack.empty()) ++found[stack];
        functions.clear();
    };
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (auto function = function_in(line))
            functions.push_back(std::move(*function));
        else
            end_sample();
    }
    end_sample();
    return found;
}

}  // namespace loopbench::bench
