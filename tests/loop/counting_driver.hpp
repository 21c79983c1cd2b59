// How often a loop goes to the kernel to wait: what busy waiting and useless wake-ups show in.
#pragma once

#include <cstddef>

#include "loop/drivers/driver.hpp"

namespace loopbench::loop::test {

/// Any driver, and how many waits it was asked for.
template <Driver Base>
class counting_driver : public Base {
public:
    using Base::Base;

    void wait(time_point deadline) {
        ++waits_;
        Base::wait(deadline);
    }

    std::size_t waits() const noexcept { return waits_; }

private:
    std::size_t waits_ = 0;
};

/// A design whose waits are counted, with everything else as it is.
template <class D>
struct counted : D {
    using driver = counting_driver<typename D::driver>;
};

}  // namespace loopbench::loop::test
