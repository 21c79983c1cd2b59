// A journal as JSON; fails on half a line.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "scratch_folder.hpp"

namespace loopbench::tests {

inline std::vector<nlohmann::json> journal_lines(const std::filesystem::path& file) {
    const auto text = content_of(file);
    if (!text.empty() && text.back() != '\n') throw std::runtime_error{"the journal ends within a line"};
    std::vector<nlohmann::json> lines;
    std::istringstream source{text};
    for (std::string line; std::getline(source, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

/// How many trials it has, without those that were run again because something disturbed them.
inline std::ptrdiff_t first_trials_in(const std::filesystem::path& file) {
    return std::ranges::count_if(journal_lines(file),
                                 [](const auto& line) { return line.value("attempt", 1) == 0; });
}

}  // namespace loopbench::tests
