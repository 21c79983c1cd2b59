#pragma once

#include <utility>

namespace loopbench {

/// Counts its destruction in a `Count`, which is an int, or an atomic if threads destroy the counters.
template <class Count>
class basic_freed_counter {
public:
    explicit basic_freed_counter(Count& freed) : freed_(&freed) {}
    basic_freed_counter(basic_freed_counter&& other) noexcept
        : freed_(std::exchange(other.freed_, nullptr)) {}
    basic_freed_counter(const basic_freed_counter&) = delete;
    basic_freed_counter& operator=(const basic_freed_counter&) = delete;
    ~basic_freed_counter() {
        if (freed_ != nullptr) ++*freed_;
    }

private:
    Count* freed_;
};

using freed_counter = basic_freed_counter<int>;

}  // namespace loopbench
