// The list of suffixes is the same as in Google Benchmark's BenchmarkName::str().
#include "bench/harness/trial/gbench_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "bench/catalog/workload_table.hpp"

namespace loopbench::bench {

namespace {

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

}  // namespace

std::string workload_name(std::string_view printed) {
    for (;;) {
        const auto slash = printed.rfind('/');
        if (find_shape(printed) != nullptr)
            return std::string{printed};  // the number of threads is a parameter
        if (slash == std::string_view::npos || slash == 0 || !is_suffix(printed.substr(slash + 1)))
            return std::string{printed};
        printed = printed.substr(0, slash);
    }
}

bool is_own_workload(std::string_view printed) {
    const auto plain = workload_name(printed);
    return find_shape(plain) != nullptr || plain.starts_with("served/") || plain == "command";
}

std::vector<std::string> distinct_names(const std::vector<std::string>& names) {
    std::map<std::string_view, std::size_t> alike, seen;
    for (const auto& name : names) ++alike[name];
    std::vector<std::string> all;
    for (const auto& name : names) {
        const auto count = alike[name], number = ++seen[name];
        auto distinct = name;
        for (std::string mark = "#"; count > 1 && alike.contains(distinct); mark += '#')
            distinct = fmt::format("{}/{}{}/{}", name, mark, number, count);
        all.push_back(std::move(distinct));
    }
    return all;
}

std::vector<listed_benchmark> benchmarks_named(const std::vector<std::string>& printed) {
    std::map<std::string, std::set<std::string_view>> variants;
    std::map<std::string_view, std::size_t> alike, seen;
    for (const auto& line : printed) {
        variants[workload_name(line)].insert(line);
        ++alike[line];
    }
    std::vector<listed_benchmark> all;
    std::vector<std::string> names;
    for (const auto& line : printed) {
        auto plain = workload_name(line);
        const bool has_variants = variants[plain].size() > 1;
        names.push_back(is_own_workload(line) && !has_variants ? std::move(plain) : line);
        all.push_back({{}, line, seen[line]++, alike[line], has_variants});
    }
    auto distinct = distinct_names(names);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].workload = std::move(distinct[i]);
    return all;
}

namespace {

std::string escaped(std::string_view name) {
    constexpr std::string_view special = R"(.[{()\*+?|^$)";
    std::string pattern;
    for (const char c : name) {
        if (special.find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

}  // namespace

int threads_of(std::string_view printed) {
    constexpr std::string_view key = "/threads:";
    const auto at = printed.rfind(key);
    int threads = 1;
    if (at != std::string_view::npos && workload_name(printed).size() <= at)
        std::from_chars(printed.data() + at + key.size(), printed.data() + printed.size(), threads);
    return threads;
}

std::string exact_filter(std::string_view printed) {
    return fmt::format("^{}$", escaped(printed));
}

std::string listing_filter(std::span<const std::string> patterns) {
    std::string filter;
    for (std::string_view pattern : patterns) {
        auto front = pattern.substr(0, pattern.find_first_of("*?[\\#"));  // "sort/#2/2" is printed as "sort"
        const auto is_part_of_suffix = [](std::string_view word) {
            return is_suffix(word) ||
                   std::ranges::any_of(suffixes, [&](auto suffix) { return suffix.starts_with(word); });
        };
        for (auto slash = front.rfind('/'); slash != front.npos && is_part_of_suffix(front.substr(slash + 1));
             slash = front.rfind('/'))
            front = front.substr(0, slash);
        if (front.empty()) return "";
        filter += (filter.empty() ? "" : "|") + escaped(front);
    }
    constexpr std::size_t longest_argument = 100'000;  // the kernel's limit is 128 KiB
    return filter.empty() || filter.size() > longest_argument ? "" : fmt::format("^({})", filter);
}

std::string filter_with_any_suffix(std::string_view workload) {
    auto filter = fmt::format("^{}(/(", escaped(workload));
    for (const auto suffix : suffixes) {
        if (suffix != suffixes.front()) filter += '|';
        filter += suffix;
        if (suffix.ends_with(':')) filter += "[^/]+";
    }
    return filter + "))*$";
}

}  // namespace loopbench::bench
