// Counts whether something was freed: for the tests of the loop's parts and for those of all runtimes.
#pragma once

#include <utility>

namespace loopbench {

/// Counts its own destruction: a local or a capture that must be freed.
class freed_counter {
public:
    explicit freed_counter(int& freed) : freed_(&freed) {}
    freed_counter(freed_counter&& other) noexcept : freed_(std::exchange(other.freed_, nullptr)) {}
    freed_counter(const freed_counter&) = delete;
    freed_counter& operator=(const freed_counter&) = delete;
    ~freed_counter() {
        if (freed_ != nullptr) ++*freed_;
    }

private:
    int* freed_;
};

}  // namespace loopbench
