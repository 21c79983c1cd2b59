#pragma once

#include <utility>

namespace loopbench {

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
