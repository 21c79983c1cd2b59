// The reader of the lines of a journal as JSON. It throws an exception if the last line is incomplete.
#pragma once

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

inline std::vector<nlohmann::json> journal_lines(const std::filesystem::path& file) {
    const auto text = content_of(file);
    if (!text.empty() && text.back() != '\n')
        throw std::runtime_error{"the last line of the journal is incomplete"};
    std::vector<nlohmann::json> lines;
    std::istringstream source{text};
    for (std::string line; std::getline(source, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

inline std::ptrdiff_t first_trials_in(const std::filesystem::path& file) {
    std::set<std::tuple<std::uint64_t, std::string, std::string>> tried;
    for (const auto& line : journal_lines(file))
        if (line.contains("attempt"))
            tried.emplace(line["block"].get<std::uint64_t>(), line["workload"].get<std::string>(),
                          line["contender"].get<std::string>());
    return std::ssize(tried);
}

}  // namespace loopbench::tests
