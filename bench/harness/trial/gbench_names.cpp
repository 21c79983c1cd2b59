// The list of suffixes is the same as in Google Benchmark's BenchmarkName::str().
#include "bench/harness/trial/gbench_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace loopbench::bench {

namespace {

// A suffix that ends in ':' is followed by a value.
constexpr std::array<std::string_view, 8> suffixes{
    "real_time", "manual_time", "process_time",     "iterations:",
    "repeats:",  "min_time:",   "min_warmup_time:", "threads:",
};

bool is_suffix(std::string_view word) {
    return std::ranges::any_of(suffixes, [&](std::string_view suffix) {
        return suffix.ends_with(':') ? word.starts_with(suffix) && word.size() > suffix.size()
                                     : word == suffix;
    });
}

std::vector<std::string_view> printed_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto length = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, length);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.empty()) lines.push_back(line);
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return lines;
}

}  // namespace

std::string workload_name(std::string_view printed) {
    for (;;) {
        const auto slash = printed.rfind('/');
        // A name must remain before the suffix.
        if (slash == std::string_view::npos || slash == 0 || !is_suffix(printed.substr(slash + 1)))
            return std::string{printed};
        printed = printed.substr(0, slash);
    }
}

std::vector<std::string> workloads_from_listing(std::string_view listing) {
    const auto printed = printed_lines(listing);
    std::map<std::string, int> uses;
    for (const auto line : printed) ++uses[workload_name(line)];
    std::vector<std::string> workloads;
    std::set<std::string> seen;  // a set for fast look-up, because a listing can be very long
    for (const auto line : printed) {
        auto name = workload_name(line);
        if (uses[name] > 1) name = line;
        if (seen.insert(name).second) workloads.push_back(std::move(name));
    }
    return workloads;
}

std::string exact_filter(std::string_view workload) {
    constexpr std::string_view special = R"(.[{()\*+?|^$)";
    std::string filter = "^";
    for (const char c : workload) {
        if (special.find(c) != std::string_view::npos) filter += '\\';
        filter += c;
    }
    filter += "(/(";
    for (const auto suffix : suffixes) {
        if (suffix != suffixes.front()) filter += '|';
        filter += suffix;
        if (suffix.ends_with(':')) filter += "[^/]+";
    }
    return filter + "))*$";
}

}  // namespace loopbench::bench
