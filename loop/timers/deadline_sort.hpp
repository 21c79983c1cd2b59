// Sorting what is due, for the case that very much is due at once.
//
// For a million entries std::sort would cost more than everything else that happens to a timer. A radix sort
// makes one pass over the entries for each byte in which the deadlines differ: five, when they span a minute.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "loop/timers/timer_bag.hpp"

namespace loopbench::loop::detail {

/// By deadline. `scratch` is what the sort may use as it likes; its memory is worth keeping.
inline void sort_by_deadline(std::vector<timer_entry>& entries, std::vector<timer_entry>& scratch) {
    constexpr std::size_t few = 256;
    if (entries.size() < few) {
        std::sort(entries.begin(), entries.end(),
                  [](const timer_entry& a, const timer_entry& b) { return a.deadline < b.deadline; });
        return;
    }
    timer_ticks differing = 0;
    for (const timer_entry& e : entries) differing |= e.deadline ^ entries.front().deadline;
    scratch.resize(entries.size());
    for (unsigned shift = 0; shift < 64; shift += 8) {
        const auto digit = [shift](timer_ticks value) {
            return static_cast<std::size_t>(value >> shift) & 0xFF;
        };
        if (digit(differing) == 0) continue;
        std::array<std::size_t, 257> place{};  // of the next entry with a digit
        for (const timer_entry& e : entries) ++place[digit(e.deadline) + 1];
        for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
        for (const timer_entry& e : entries) scratch[place[digit(e.deadline)]++] = e;
        entries.swap(scratch);
    }
}

}  // namespace loopbench::loop::detail
