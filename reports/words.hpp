// The words of a report that statistics and engine use too. Nothing else is in here, so that who includes it
// depends on no part of the reports.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
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
/// How the trials of a block are made, so that they can be compared.
enum class way {
    apart,    // one after the other
    turns,    // all alive on one core, one at a time working for a millisecond or two
    together  // all at once on one core, under the kernel's scheduler; what is judged is CPU time
};

// The spelling of each value in files, in the order of the enumeration.
inline constexpr std::array<std::string_view, 2> direction_names{"smaller", "larger"};
inline constexpr std::array<std::string_view, 4> cell_status_names{"ok", "unsupported", "failed", "not_run"};
inline constexpr std::array<std::string_view, 4> verdict_names{"faster", "slower", "equivalent",
                                                               "inconclusive"};
inline constexpr std::array<std::string_view, 3> fitness_names{"fit", "unfit", "unknown"};
inline constexpr std::array<std::string_view, 3> way_names{"apart", "turns", "together"};

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
constexpr const auto& names_of(way) {
    return way_names;
}

constexpr bool is_difference(std::optional<verdict> judged) {
    return judged == verdict::faster || judged == verdict::slower;
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
