// The interface of allocations.cpp, which replaces operator new and delete. In a sanitizer build, the
// sanitizer replaces them, and CMake compiles allocations_uncounted.cpp instead.
#pragma once

#include <cstddef>

namespace loopbench::loop::test {

struct allocation_counts {
    std::size_t made;
    std::size_t freed;
};

extern const bool allocations_are_counted;
inline constexpr const char* why_allocations_are_not_counted =
    "allocations are not counted, because the sanitizer replaces operator new in this build";

/// Returns the numbers of allocations and deallocations in all threads. Both numbers are zero if allocations
/// are not counted.
allocation_counts count_allocations() noexcept;

/// An object that lets the next `few` allocations of this thread succeed and all later ones throw
/// std::bad_alloc. A thread can have only one such object at a time. GoogleTest also allocates memory, so
/// check results only after the object's destruction. The object has no effect if allocations are not
/// counted.
class out_of_memory {
public:
    explicit out_of_memory(std::size_t few = 0) noexcept;
    out_of_memory(const out_of_memory&) = delete;
    out_of_memory& operator=(const out_of_memory&) = delete;
    ~out_of_memory();

    std::size_t failed() const noexcept;
};

/// An object that makes one allocation throw std::bad_alloc. `index` is the number of this allocation,
/// counted from 1 over all threads; if it is 0, no allocation fails. Only one such object can exist at a
/// time. The object has no effect if allocations are not counted.
class failing_allocation {
public:
    explicit failing_allocation(std::size_t index) noexcept;
    failing_allocation(const failing_allocation&) = delete;
    failing_allocation& operator=(const failing_allocation&) = delete;
    ~failing_allocation();

    bool has_failed() const noexcept;
};

}  // namespace loopbench::loop::test
