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
constexpr auto names_of(direction) {
    return std::to_array<std::string_view>({"smaller", "larger"});
}
constexpr auto names_of(cell_status) {
    return std::to_array<std::string_view>({"ok", "unsupported", "failed", "not_run"});
}
constexpr auto names_of(verdict) {
    return std::to_array<std::string_view>({"faster", "slower", "equivalent", "inconclusive"});
}
constexpr auto names_of(fitness) {
    return std::to_array<std::string_view>({"fit", "unfit", "unknown"});
}
constexpr auto names_of(way) {
    return std::to_array<std::string_view>({"apart", "turns", "together"});
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

/// The value that is spelled so; nothing when none is.
template <class enumeration>
constexpr std::optional<enumeration> named(std::string_view name) {
    const auto all = names_of(enumeration{});
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] == name) return static_cast<enumeration>(i);
    return std::nullopt;
}

}  // namespace loopbench::reports
