// The parts that several sentences of a report have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "reports/render/leads.hpp"

namespace loopbench::reports {

/// Returns the text, or its beginning if it has more than `most` bytes.
std::string cut(std::string_view text, std::size_t most = 60);

inline constexpr std::size_t names_listed = 4;

/// Returns for example "a, b and c" or "a, b, c, d and 3 more".
std::string listed(const names& all, std::size_t most = names_listed);

/// Returns for example "1.27×".
std::string times(double value);

/// Returns for example " (1.25 to 1.29)", or "" if one end is unknown.
std::string in_brackets(const std::optional<double>& low, const std::optional<double>& high);

}  // namespace loopbench::reports
