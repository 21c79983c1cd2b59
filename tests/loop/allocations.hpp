// Counts the calls of operator new and delete in all threads of the program, and makes allocations fail.
//
// allocations.cpp replaces these operators. In a sanitizer build, the sanitizer replaces them, and
// CMake compiles allocations_uncounted.cpp instead.
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

/// Returns the counts since the start of the program. Both counts are zero if allocations are not counted.
allocation_counts count_allocations() noexcept;

/// An object that makes its thread run out of memory: while the object exists, operator new throws
/// std::bad_alloc after the first `few` allocations. A thread can have only one such object at a time. The
/// object does nothing if allocations are not counted. GoogleTest also allocates memory, so check results
/// only after the object has been destroyed.
class out_of_memory {
public:
    explicit out_of_memory(std::size_t few = 0) noexcept;
    out_of_memory(const out_of_memory&) = delete;
    out_of_memory& operator=(const out_of_memory&) = delete;
    ~out_of_memory();

    /// Returns the number of allocations that have failed.
    std::size_t failed() const noexcept;
};

/// An object that makes exactly one allocation throw std::bad_alloc: allocation number `index` after the
/// object's construction, counted from 1 over all threads. If `index` is 0, no allocation fails. Only one
/// such object can exist at a time. The object does nothing if allocations are not counted.
class failing_allocation {
public:
    explicit failing_allocation(std::size_t index) noexcept;
    failing_allocation(const failing_allocation&) = delete;
    failing_allocation& operator=(const failing_allocation&) = delete;
    ~failing_allocation();

    bool has_failed() const noexcept;
};

}  // namespace loopbench::loop::test
