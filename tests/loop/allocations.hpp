// Counts this program's calls of operator new and delete, in all threads; and makes allocations fail.
//
// allocations.cpp replaces these operators. Under a sanitizer, the sanitizer replaces them, and
// CMakeLists.txt chooses allocations_uncounted.cpp instead.
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

/// Returns the counts; zeros if allocations are not counted.
allocation_counts count_allocations() noexcept;

/// Takes all memory from this thread while it lives: after the first `few` allocations, operator new throws
/// std::bad_alloc. Only one can exist at a time. It does nothing where allocations are not counted.
/// GoogleTest needs memory, too: check the outcome after its end.
class out_of_memory {
public:
    explicit out_of_memory(std::size_t few = 0) noexcept;
    out_of_memory(const out_of_memory&) = delete;
    out_of_memory& operator=(const out_of_memory&) = delete;
    ~out_of_memory();

    /// Returns how many allocations have failed.
    std::size_t failed() const noexcept;
};

/// Makes the `index`-th allocation from now on, in whatever thread, throw std::bad_alloc, and no other; with
/// 0 none fails. Only one can exist at a time. It does nothing where allocations are not counted.
class failing_allocation {
public:
    explicit failing_allocation(std::size_t index) noexcept;
    failing_allocation(const failing_allocation&) = delete;
    failing_allocation& operator=(const failing_allocation&) = delete;
    ~failing_allocation();

    bool has_failed() const noexcept;
};

}  // namespace loopbench::loop::test
