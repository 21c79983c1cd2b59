// How often a loop goes to the kernel to wait: what busy waiting and useless wake-ups show in.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "loop/designs.hpp"
#include "loop/drivers/driver.hpp"

namespace loopbench::loop::test {

/// Any driver, and how many waits it was asked for; those that may have slept among them.
template <Driver Base>
class counting_driver : public Base {
public:
    using Base::Base;

    void wait(time_point deadline) {
        ++waits_;
        if (deadline != do_not_wait) ++sleeps_;
        Base::wait(deadline);
    }

    std::size_t waits() const noexcept { return waits_; }
    std::size_t sleeps() const noexcept { return sleeps_; }

private:
    std::size_t waits_ = 0;
    std::size_t sleeps_ = 0;
};

/// A design whose waits are counted, with everything else as it is.
template <class D>
struct counted : D {
    using driver = counting_driver<typename D::driver>;
};

/// The designs that sleep in the kernel for exactly as long as they have nothing to do. (loop-round-robin and
/// loop-tick do not, and loop-precise spins only near a deadline.)
using counted_designs = testing::Types<  //
    runtime<counted<layered_design>>,    //
    runtime<counted<scheduler_design>>,  //
    runtime<counted<asyncio_design>>,    //
    runtime<counted<poll_design>>,       //
    runtime<counted<epoll_design>>,      //
    runtime<counted<uring_design>>,      //
    runtime<counted<precise_design>>>;

}  // namespace loopbench::loop::test
