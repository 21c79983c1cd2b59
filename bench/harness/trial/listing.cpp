#include "bench/harness/trial/listing.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/process/orphans.hpp"
#include "bench/harness/trial/run_trial.hpp"

namespace loopbench::bench {

namespace {

struct answer {
    text_lines lines;
    std::optional<std::string> failure;
};

class lister {
public:
    lister(const child_request& plain, const shared_limit& limit) : plain_{plain}, limit_{limit} {}

    std::optional<std::string> list(const std::string& filter, listing& found) {
        auto printed = start(filter);
        if (printed.failure) return printed.failure;
        found.names = std::move(printed.lines);
        if (std::ranges::all_of(found.names, is_own_workload)) return std::nullopt;
        // Some programs fail if a filter selects no benchmark.
        if (!noise_) {
            auto other = start("^$");
            if (other.failure && limit_.is_over()) return other.failure;
            noise_ = std::move(other.lines);
        }
        if (noise_->empty()) return std::nullopt;
        const auto first = found.names;
        if (!found_in(*noise_, first, false).empty()) {
            printed = start(filter);
            if (printed.failure) return printed.failure;
            found.names = found_in(first, printed.lines, true);
            if (found.names.empty() && filter.empty())
                return "two listings have no line in common; make the program print the names of its "
                       "benchmarks";
        }
        auto rest = found_in(found.names, *noise_, false);
        if (!rest.empty() || !filter.empty()) found.names = std::move(rest);
        found.left_out = found_in(first, found.names, false);
        return std::nullopt;
    }

private:
    [[nodiscard]] answer start(const std::string& filter) const {
        auto request = plain_;
        if (!filter.empty()) request.command.push_back("--benchmark_filter=" + filter);
        request.limit = limit_.left();
        const auto outcome = ask(request);
        if (auto failure = failure_of(outcome, request.limit)) return {{}, std::move(failure)};
        return {lines_of(outcome.output), std::nullopt};
    }

    const child_request& plain_;
    const shared_limit& limit_;
    std::optional<text_lines> noise_;
};

}  // namespace

text_lines lines_of(const std::string& text) {
    text_lines all;
    std::istringstream from{text};
    for (std::string line; std::getline(from, line);) {
        if (line.ends_with('\r')) line.pop_back();
        if (!line.empty()) all.push_back(std::move(line));
    }
    return all;
}

text_lines found_in(const text_lines& from, const text_lines& others, bool wanted) {
    std::multiset<std::string_view> left(others.begin(), others.end());
    text_lines all;
    for (const auto& line : from) {
        const auto found = left.find(line);
        if ((found != left.end()) == wanted) all.push_back(line);
        if (found != left.end()) left.erase(found);
    }
    return all;
}

std::optional<std::string> list_names(const child_request& plain, const std::string& filter,
                                      const shared_limit& limit, listing& found) {
    lister program{plain, limit};
    found = {};
    if (!filter.empty()) {
        const auto failure = program.list(filter, found);
        if (!found.names.empty() || (failure && limit.is_over())) return failure;
    }
    return program.list("", found);
}

}  // namespace loopbench::bench
