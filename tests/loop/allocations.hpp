// How often this program's operator new and delete were called, by whatever thread; and how to let it fail.
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

/// While it lives there is no memory for this thread: operator new throws std::bad_alloc, after the first
/// `few` allocations. One at a time; it does nothing where allocations are not counted. GoogleTest needs
/// memory, too: look at the outcome after its end.
class out_of_memory {
public:
    explicit out_of_memory(std::size_t few = 0) noexcept;
    out_of_memory(const out_of_memory&) = delete;
    out_of_memory& operator=(const out_of_memory&) = delete;
    ~out_of_memory();

    /// How many allocations have failed.
    std::size_t failed() const noexcept;
};

/// While it lives, the `index`-th allocation from now on throws std::bad_alloc, in whatever thread, and no
/// other; with 0 none does. One at a time; it does nothing where allocations are not counted.
class failing_allocation {
public:
    explicit failing_allocation(std::size_t index) noexcept;
    failing_allocation(const failing_allocation&) = delete;
    failing_allocation& operator=(const failing_allocation&) = delete;
    ~failing_allocation();

    bool has_failed() const noexcept;
};

}  // namespace loopbench::loop::test
