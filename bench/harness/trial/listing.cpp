#include "bench/harness/trial/listing.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/process/orphans.hpp"

namespace loopbench::bench {

namespace {

using lines = std::vector<std::string>;

lines lines_of(const std::string& text) {
    lines all;
    std::istringstream from{text};
    for (std::string line; std::getline(from, line);)
        if (!line.empty() && line != "\r") all.push_back(std::move(line));
    return all;
}

std::string joined(const lines& all) {
    std::string text;
    for (const auto& line : all) text += line + "\n";
    return text;
}

/// Returns the lines of `from` that `others` contains, or those that it does not contain. Each line of
/// `others` counts once.
lines found_in(const lines& from, const lines& others, bool wanted) {
    std::multiset<std::string> left(others.begin(), others.end());
    lines all;
    for (const auto& line : from) {
        const auto found = left.find(line);
        if ((found != left.end()) == wanted) all.push_back(line);
        if (found != left.end()) left.erase(found);
    }
    return all;
}

}  // namespace

std::string without_noise(const child_request& listing, const child_request& plain, std::string printed,
                          const shared_limit& limit) {
    auto names = lines_of(printed);
    if (std::ranges::all_of(names, is_own_workload)) return printed;
    const auto ask_in_time = [&](child_request request) {
        request.limit = limit.left();
        return ask(request);
    };
    auto of_nothing = plain;
    of_nothing.command.emplace_back("--benchmark_filter=^$");
    const auto answer = ask_in_time(of_nothing);
    const auto noise = lines_of(answer.output);
    if (answer.end != child_end::exited || answer.code != 0 || noise.empty()) return printed;
    if (!found_in(noise, names, false).empty())
        names = found_in(names, lines_of(ask_in_time(listing).output), true);
    const auto rest = found_in(names, noise, false);
    return joined(rest.empty() ? names : rest);
}

}  // namespace loopbench::bench
