// The words of a report that statistics and engine use too. Nothing else is in here, so that who includes it
// depends on no part of the reports.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace loopbench::reports {

enum class direction { smaller, larger };
enum class cell_status {
    ok,
    unsupported,
    failed,
    not_run  // its turn never came: the run was interrupted, or its time budget ended
};
enum class verdict { faster, slower, equivalent, inconclusive };
enum class fitness { fit, unfit, unknown };

// The spelling of each value in files, in the order of the enumeration.
inline constexpr std::array<std::string_view, 2> direction_names{"smaller", "larger"};
inline constexpr std::array<std::string_view, 4> cell_status_names{"ok", "unsupported", "failed", "not_run"};
inline constexpr std::array<std::string_view, 4> verdict_names{"faster", "slower", "equivalent",
                                                               "inconclusive"};
inline constexpr std::array<std::string_view, 3> fitness_names{"fit", "unfit", "unknown"};

constexpr const auto& names_of(direction) {
    return direction_names;
}
constexpr const auto& names_of(cell_status) {
    return cell_status_names;
}
constexpr const auto& names_of(verdict) {
    return verdict_names;
}
constexpr const auto& names_of(fitness) {
    return fitness_names;
}

/// How the value of an enumeration that has names_of() is spelled.
template <class enumeration>
requires std::is_enum_v<enumeration> && requires(enumeration value) {
    names_of(value);
}
constexpr std::string_view name_of(enumeration value) {
    return names_of(value)[static_cast<std::size_t>(value)];
}

}  // namespace loopbench::reports
