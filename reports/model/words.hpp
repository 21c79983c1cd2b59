// The enumerations of a report. Code that needs no other types of a report includes only this file.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace loopbench::reports {

enum class direction { smaller, larger };
enum class result_status {
    ok,
    unsupported,
    failed,
    not_run  // the run was interrupted, or the run's time budget was used up
};
enum class verdict { faster, slower, equivalent, inconclusive };
enum class reliability { reliable, unreliable, unknown };
enum class pairing {
    sequential,
    interleaved,  // the processes alternate on one core, in slices of milliseconds
    concurrent    // all processes run at the same time on one core, and their CPU times are compared
};

// The names of an enumeration's values in files, in the order of the enumeration.
constexpr auto names_of(direction) {
    return std::to_array<std::string_view>({"smaller", "larger"});
}
constexpr auto names_of(result_status) {
    return std::to_array<std::string_view>({"ok", "unsupported", "failed", "not_run"});
}
constexpr auto names_of(verdict) {
    return std::to_array<std::string_view>({"faster", "slower", "equivalent", "inconclusive"});
}
constexpr auto names_of(reliability) {
    return std::to_array<std::string_view>({"reliable", "unreliable", "unknown"});
}
constexpr auto names_of(pairing) {
    return std::to_array<std::string_view>({"sequential", "interleaved", "concurrent"});
}

constexpr bool is_difference(std::optional<verdict> judged) {
    return judged == verdict::faster || judged == verdict::slower;
}

template <class enumeration>
requires std::is_enum_v<enumeration> && requires(enumeration value) {
    names_of(value);
}
constexpr std::string_view name_of(enumeration value) {
    return names_of(value)[static_cast<std::size_t>(value)];
}

template <class enumeration>
constexpr std::optional<enumeration> named(std::string_view name) {
    const auto all = names_of(enumeration{});
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] == name) return static_cast<enumeration>(i);
    return std::nullopt;
}

}  // namespace loopbench::reports
