// The replacement of allocations.cpp in sanitizer builds, in which the sanitizer defines operator new and
// delete.
#include "tests/loop/allocations.hpp"

namespace loopbench::loop::test {

const bool allocations_are_counted = false;

allocation_counts count_allocations() noexcept {
    return {0, 0};
}

out_of_memory::out_of_memory(std::size_t) noexcept {}
out_of_memory::~out_of_memory() = default;

std::size_t out_of_memory::failed() const noexcept {
    return 0;
}

failing_allocation::failing_allocation(std::size_t) noexcept {}
failing_allocation::~failing_allocation() = default;

bool failing_allocation::has_failed() const noexcept {
    return false;
}

}  // namespace loopbench::loop::test
