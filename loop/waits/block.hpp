// The wait policies of every serious loop: sleep in the kernel until there is something to do. They differ in
// what they do while there is.
#pragma once

#include "loop/drivers/driver.hpp"

namespace loopbench::loop {

/// Sleeps until I/O, a post or the next deadline; with work in the queue it only looks whether there is more.
struct block_wait {
    template <class Loop>
    void operator()(Loop& loop) {
        if (!loop.has_ready()) {
            loop.sleep_until_event(loop.next_deadline());
        } else if (loop.driver().in_flight() != 0) {
            loop.driver().wait(do_not_wait);
        }
    }
};

/// As block_wait, but the kernel is asked on every turn, with and without operations under way: the
/// documents' loops call their selector so. It costs a system call for each turn that has work to do.
struct block_every_turn_wait {
    template <class Loop>
    void operator()(Loop& loop) {
        if (loop.has_ready()) {
            loop.driver().wait(do_not_wait);
        } else {
            loop.sleep_until_event(loop.next_deadline());
        }
    }
};

}  // namespace loopbench::loop
