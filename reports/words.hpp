// The words of a report that statistics and engine use too. Nothing else is in here, so that who includes it
// depends on no part of the reports.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace loopbench::reports {

enum class direction { smaller, larger };
enum class cell_status { ok, unsupported, failed };
enum class verdict { faster, slower, equivalent, inconclusive };
enum class fitness { fit, unfit, unknown };

// The spelling of each value in files, in the order of the enumeration.
inline constexpr std::array<std::string_view, 2> direction_names{"smaller", "larger"};
inline constexpr std::array<std::string_view, 3> cell_status_names{"ok", "unsupported", "failed"};
inline constexpr std::array<std::string_view, 4> verdict_names{"faster", "slower", "equivalent",
                                                               "inconclusive"};
inline constexpr std::array<std::string_view, 3> fitness_names{"fit", "unfit", "unknown"};

constexpr std::string_view name_of(direction value) {
    return direction_names[static_cast<std::size_t>(value)];
}
constexpr std::string_view name_of(cell_status value) {
    return cell_status_names[static_cast<std::size_t>(value)];
}
constexpr std::string_view name_of(verdict value) {
    return verdict_names[static_cast<std::size_t>(value)];
}
constexpr std::string_view name_of(fitness value) {
    return fitness_names[static_cast<std::size_t>(value)];
}

}  // namespace loopbench::reports
