// Counts destroyed objects, for the tests of the loop's parts and of all runtimes.
#pragma once

#include <utility>

namespace loopbench {

/// An object that increments a counter when it is destroyed. Tests use the object as a local variable or a
/// capture that must be destroyed.
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
