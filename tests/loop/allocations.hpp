// How often this program's operator new and delete were called, by whatever thread.
//
// allocations.cpp replaces them. Under a sanitizer they are its own, and allocations_uncounted.cpp stands
// there instead (CMakeLists.txt chooses).
#pragma once

#include <cstddef>

namespace loopbench::loop::test {

struct allocation_counts {
    std::size_t made;
    std::size_t freed;
};

extern const bool allocations_are_counted;
inline constexpr const char* why_allocations_are_not_counted =
    "operator new belongs to the sanitizer in this build";

/// Zeros when they are not counted.
allocation_counts count_allocations() noexcept;

}  // namespace loopbench::loop::test
